# Compiles what `attestone init` writes into the library, so that an installed program has it: run as a script with
# -DOUTPUT=<file.cpp> -DEXAMPLES=<examples/> -DHEADER=<kernel.h>. Each folder of the examples is one language.
file(GLOB_RECURSE files RELATIVE ${EXAMPLES} ${EXAMPLES}/*)
set(entries "")
foreach(path ${files})
  if(path MATCHES "/.+\\.(cpp|cu|py|txt|md)$|/Makefile$")
    string(REGEX REPLACE "/.*" "" language ${path})
    string(REGEX REPLACE "^[^/]*/" "" name ${path})
    file(READ ${EXAMPLES}/${path} text)
    string(APPEND entries "      {\"${language}\", \"${name}\", R\"template(${text})template\"},\n")
  endif()
endforeach()
file(READ ${HEADER} text)
foreach(language c++ cuda)
  string(APPEND entries "      {\"${language}\", \"attestone/kernel.h\", R\"template(${text})template\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"conformance/program/kernel_template.hpp\"\n\nnamespace attestone {\n
std::vector<TemplateFile> template_files() {\n  return {\n${entries}  };\n}\n\n}  // namespace attestone\n")
