# Compiles what `attestone init` writes into the library, so that an installed program has it: run as a script with
# -DOUTPUT=<file.cpp> -DEXAMPLES=<LANGUAGE/NAME>;... -DHEADER=<kernel.h>.
set(entries "")
foreach(path ${EXAMPLES})
  cmake_path(GET path FILENAME name)
  cmake_path(GET path PARENT_PATH folder)
  cmake_path(GET folder FILENAME language)
  file(READ ${path} text)
  string(APPEND entries "      {\"${language}\", \"${name}\", R\"template(${text})template\"},\n")
endforeach()
file(READ ${HEADER} text)
foreach(language c++ cuda)
  string(APPEND entries "      {\"${language}\", \"attestone/kernel.h\", R\"template(${text})template\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"conformance/program/kernel_template.hpp\"\n\nnamespace attestone::inline conformance {\n
std::vector<TemplateFile> template_files() {\n  return {\n${entries}  };\n}\n\n}  // namespace attestone::inline conformance\n")
