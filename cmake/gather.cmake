# Compiles many small files as few, room by room (cmake/gather.py): what they include is then parsed, and instantiated, once for
# all of them, which halves a build from nothing. CMake's own unity builds name files by absolute paths, and never meet a
# compiler cache that was filled elsewhere. A file must not live off its neighbours: the preset clang compiles each alone.
option(ATTESTONE_GATHER "Compile the files of a room together" ON)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(ATTESTONE_GATHERER ${PROJECT_SOURCE_DIR}/cmake/gather.py)

# Replaces files in the list by what gathers them; files with options of their own stand together with their like.
function(attestone_gather name list)
  if(NOT ATTESTONE_GATHER)
    return()
  endif()
  set(files ${${list}})  # before a variable of here hides one of that name
  set(compiled)
  set(all_options)
  foreach(file ${files})
    get_source_file_property(options ${file} COMPILE_OPTIONS)
    if(NOT options)
      set(options "")
    endif()
    get_filename_component(file ${file} ABSOLUTE)
    if(EXISTS ${file})
      string(MD5 key "${options}")
      list(APPEND files_${key} ${file})
      set(options_${key} "${options}")
      list(APPEND keys ${key})
    else()
      list(APPEND compiled ${file})  # made by the build
    endif()
  endforeach()
  list(REMOVE_DUPLICATES keys)
  foreach(key ${keys})
    attestone_gather_alike(${name} "${files_${key}}" "${options_${key}}" gathered)
    list(APPEND compiled ${gathered})
  endforeach()
  set(${list} ${compiled} PARENT_SCOPE)
endfunction()

# Files of one set of options.
function(attestone_gather_alike name files options result)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/gathered/${name})
  if(options)
    string(MD5 key "${options}")
    string(APPEND folder _${key})
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ATTESTONE_GATHERER})
  execute_process(COMMAND ${Python3_EXECUTABLE} ${ATTESTONE_GATHERER} plan ${folder} ${files}
    OUTPUT_VARIABLE plan COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" "|" plan "${plan}")
  string(REPLACE ";" "," plan "${plan}")
  string(REPLACE "|" ";" plan "${plan}")
  set(outputs)
  set(all_together)
  foreach(line ${plan})
    string(REPLACE "," ";" together "${line}")
    list(POP_FRONT together output)
    list(REMOVE_ITEM files ${together})
    list(APPEND files ${output})
    list(APPEND outputs ${output})
    list(APPEND all_together ${together})
    # g++ takes a file that #line names for a header, in which types of one unit alone would be a mistake. clang finds that
    # parameters shadow what neighbours declare; the preset clang looks for real shadows.
    set_source_files_properties(${output} PROPERTIES
      COMPILE_OPTIONS "${options};$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>;$<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>")
    if(options)
      set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  if(outputs)
    add_custom_command(OUTPUT ${outputs}
      COMMAND Python3::Interpreter ${ATTESTONE_GATHERER} write ${folder} ${PROJECT_BINARY_DIR}
      DEPENDS ${folder}/plan ${all_together} ${ATTESTONE_GATHERER}
      COMMENT "Gathering the files of ${name}"
      VERBATIM)
  endif()
  set(${result} ${files} PARENT_SCOPE)
endfunction()
