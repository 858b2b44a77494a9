# A header's first sentence, behind the line of its licence, is what the site says of the file.
1s|^// SPDX.*|/// @file|
2s|^// |/// @brief |
3,/^#/s|^// |/// |
# A title that begins with its number is no list (the space behind it does not break), and a page's first sentence no
# summary of it.
/^\/\/\/ @page/{
  s/ \([0-9][0-9]*\)\. / \1. /
  n
  s/$/ @details/
}
