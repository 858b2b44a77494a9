# Installs attestone into a scratch folder, builds the consumer against it, and runs it: cmake -D... -P check.cmake
#   BUILD     attestone's build tree         CONSUMER  this folder
#   SCRATCH   emptied first                  COMPILER  the C++ compiler, with FLAGS
file(REMOVE_RECURSE ${SCRATCH})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nexit status ${status}\n${output}")
  endif()
  set(output ${output} PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/installed)
# The installed tree is moved first: nothing in it may depend on where it was put.
file(RENAME ${SCRATCH}/installed ${SCRATCH}/moved)
# Every installed header of the interface stands by itself, and includes the standard library and installed headers only.
# One for users of another library, which lies beside the folders, includes that library alone.
file(GLOB_RECURSE headers RELATIVE ${SCRATCH}/moved/include/attestone ${SCRATCH}/moved/include/attestone/*.hpp)
foreach(header ${headers})
  file(STRINGS ${SCRATCH}/moved/include/attestone/${header} foreign REGEX "#include <.*[./].*>")
  if(NOT header MATCHES "/")
    string(REGEX REPLACE ".hpp$" "" library ${header})
    if(NOT foreign STREQUAL "#include <${library}.h>")
      message(FATAL_ERROR "<attestone/${header}> includes something else than ${library}: ${foreign}")
    endif()
    continue()
  endif()
  if(foreign)
    message(FATAL_ERROR "the installed header ${header} needs another library: ${foreign}")
  endif()
  string(APPEND every_header "#include \"${header}\"\n")
endforeach()
file(WRITE ${SCRATCH}/generated/every_header.hpp "${every_header}")

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved
  -DGENERATED=${SCRATCH}/generated)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer_rapidcheck)
if(NOT output MATCHES "parses what it prints.*OK, passed 100 tests")
  message(FATAL_ERROR "the consumer's property was not checked:\n${output}")
endif()
run(${SCRATCH}/build/consumer)
foreach(expected "shape=1x2x8x8x4 mask=causal dtype=bf16" "dense: yes" "flash: yes")
  if(NOT output MATCHES ${expected})
    message(FATAL_ERROR "the consumer did not say '${expected}':\n${output}")
  endif()
endforeach()
