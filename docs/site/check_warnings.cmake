# Fails on every warning of Doxygen but one: a member or function without a comment is no fault, since full names say
# much. A type without one is. Run with -DWARNINGS=<file>.
file(STRINGS ${WARNINGS} warnings)
list(FILTER warnings EXCLUDE REGEX "warning: Member .* is not documented\\.$")
if(warnings)
  list(JOIN warnings "\n  " text)
  message(FATAL_ERROR "Doxygen warns:\n  ${text}")
endif()
