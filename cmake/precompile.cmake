# Headers that nearly every file of a target includes, parsed once: half of the time of a build from nothing. A file must
# not live off them: the preset clang builds without.
option(ATTESTONE_PRECOMPILED_HEADERS "Parse common headers once per target" ON)

function(attestone_precompile target)
  if(ATTESTONE_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <functional> <map> <memory> <optional> <string> <vector> ${ARGN})
  endif()
endfunction()
