# Takes the ```cpp blocks out of a Markdown page: ${prefix}_1.cpp, ${prefix}_2.cpp, ... in the build folder, whenever the
# page changes. The list of files is put into `result`.
#
# A block that begins with the line of the licence is a file as it stands. Any other is the inside of a function, and
# becomes a test: it must print what the ```text block behind it shows. Its #include lines go to the top.
function(extract_code page prefix result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  file(READ ${page} rest)
  set(number 0)
  set(files "")
  while(TRUE)
    string(FIND "${rest}" "```cpp\n" begin)
    if(begin EQUAL -1)
      break()
    endif()
    math(EXPR begin "${begin} + 7")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n```" length)
    string(SUBSTRING "${rest}" 0 ${length} code)
    math(EXPR length "${length} + 5")
    string(SUBSTRING "${rest}" ${length} -1 rest)
    math(EXPR number "${number} + 1")
    string(FIND "${code}" "// SPDX" licence)
    if(NOT licence EQUAL 0)
      code_as_test("${code}" "${rest}" ${prefix}${number} code)
    endif()
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_${number}.cpp CONTENT "${code}\n" @ONLY)
    list(APPEND files ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_${number}.cpp)
  endwhile()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# The block as the test DocsCode.${name}; `behind` is the page after the block.
function(code_as_test code behind name result)
  string(REGEX MATCHALL "#include [^\n]+\n" includes "${code}")
  list(JOIN includes "" includes)
  string(REGEX REPLACE "#include [^\n]+\n" "" body "${code}")
  set(shown "")
  if(behind MATCHES "^\n```text\n")
    string(SUBSTRING "${behind}" 9 -1 shown)
    string(FIND "${shown}" "```" length)
    string(SUBSTRING "${shown}" 0 ${length} shown)
  endif()
  set(${result} "#include \"tests/docs/shown_output.hpp\"\n${includes}\nnamespace attestone {\nnamespace {\n
TEST(DocsCode, ${name}) {\n  const ShownOutput shown(R\"shown(${shown})shown\");\n${body}\n}\n
}  // namespace\n}  // namespace attestone" PARENT_SCOPE)
endfunction()
