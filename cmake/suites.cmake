# Compiles the suites of conformance/problems/suites/ into the library, so that an installed program finds them: run as a script
# with -DOUTPUT=<file.cpp> -DSUITES=<file>;<file>...
set(entries "")
foreach(file ${SUITES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "      {\"${name}\", R\"suite(${text})suite\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"conformance/problems/suite.hpp\"\n\nnamespace attestone::inline conformance {\n
std::vector<Suite> builtin_suites() {\n  return {\n${entries}  };\n}\n\n}  // namespace attestone::inline conformance\n")
