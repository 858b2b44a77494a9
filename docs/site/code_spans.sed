# Doxygen takes `it's` for a quotation that ends at the apostrophe; doubled backticks say that it is code.
s/(^|[^`])`([^`]*'[^`]*)`([^`]|$)/\1``\2``\3/g
# It cannot show code in a heading.
/^#+ /s/`//g
