# Writes files one behind the other, the unnamed namespace of each in a namespace of its own (cmake/gather.cmake): run as a
# script with -DOUTPUT=<file.cpp> -DFILES=<file>;<file>...
set(text "")
set(number 0)
foreach(file ${FILES})
  file(READ ${file} one)
  string(REPLACE "\nnamespace {\n" "\nnamespace file_${number} { namespace {\n" one "${one}")
  string(REPLACE "\n}  // namespace\n" "\n}}\n" one "${one}")
  string(APPEND text "#line 1 \"${file}\"\n${one}")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "${text}")
