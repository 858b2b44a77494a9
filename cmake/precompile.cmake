# Headers that nearly every file of a target includes, parsed once: half of the time of a build from nothing. A file must
# not live off them: the preset clang builds without. clang's precompiled headers differ from folder to folder, so that a
# compiler cache never knows a file that was compiled with one; g++ alone gets them.
option(ATTESTONE_PRECOMPILED_HEADERS "Parse common headers once per target, with g++" ON)

function(attestone_precompile target)
  if(ATTESTONE_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <functional> <map> <memory> <optional> <string> <vector> ${ARGN})
  endif()
endfunction()
