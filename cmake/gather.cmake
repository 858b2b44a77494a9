# Compiles many small files as few. A file whose every name stands in an unnamed namespace (a test, a mutant, a mask: it
# registers itself, and nobody calls it) can stand behind others in one translation unit, once that namespace lies in one
# of its own; what such files include is then parsed, and instantiated, once for all of them, which halves a build from
# nothing. A file must not live off its neighbours: the preset clang compiles each alone.
option(ATTESTONE_GATHER "Compile files that only register themselves twelve at a time" ON)
set(ATTESTONE_GATHERED_AT_A_TIME 12)

# Replaces such files in the list by what gathers them. Other files stay, and so do those with options of their own.
function(attestone_gather name list)
  if(NOT ATTESTONE_GATHER)
    return()
  endif()
  set(files ${${list}})  # before a variable of here hides one of that name
  set(compiled)
  set(registering)
  foreach(file ${files})
    get_filename_component(file ${file} ABSOLUTE)
    attestone_registers_only(${file} registers_only)
    if(registers_only)
      list(APPEND registering ${file})
    else()
      list(APPEND compiled ${file})
    endif()
  endforeach()
  set(number 0)
  while(registering)
    list(SUBLIST registering 0 ${ATTESTONE_GATHERED_AT_A_TIME} together)
    list(REMOVE_ITEM registering ${together})
    attestone_gather_into(${name}_${number} "${together}" gathered)
    list(APPEND compiled ${gathered})
    math(EXPR number "${number} + 1")
  endwhile()
  set(${list} ${compiled} PARENT_SCOPE)
endfunction()

# Whether all that the file declares lies in one unnamed namespace, and none of it is compiled for each instruction set.
function(attestone_registers_only file result)
  set(${result} FALSE PARENT_SCOPE)
  get_source_file_property(options ${file} COMPILE_OPTIONS)
  if(options OR NOT EXISTS ${file})
    return()
  endif()
  file(READ ${file} text)
  string(FIND "${text}" "foreach_target.h" per_target)
  string(REGEX MATCHALL "\nnamespace {\n" unnamed "${text}")
  list(LENGTH unnamed unnamed)
  if(per_target EQUAL -1 AND unnamed EQUAL 1 AND text MATCHES "\n}  // namespace\n}  // namespace attestone[a-z_:]*\n$")
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

function(attestone_gather_into name files result)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/gathered/${name}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/gathered.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/gathered.cmake
    VERBATIM)
  set(${result} ${output} PARENT_SCOPE)
endfunction()
