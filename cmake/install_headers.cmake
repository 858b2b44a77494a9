# Run by `cmake --install`: the headers that lie directly in a layer's folder or in a room named here, a few more, and
# whatever those include, so that what is installed is closed. SOURCE is attestone's root, DESTINATION the folder for the
# headers. Headers for users of another library lie there by their bare name, <attestone/rapidcheck.hpp>: beside the
# interface, and no part of it.
cmake_policy(VERSION 3.25)
file(GLOB waiting RELATIVE ${SOURCE}
  ${SOURCE}/reference/*.hpp ${SOURCE}/reference/problem/*.hpp ${SOURCE}/reference/tensor/*.hpp ${SOURCE}/reference/call/*.hpp
  ${SOURCE}/reference/random/*.hpp ${SOURCE}/backends/*.hpp ${SOURCE}/simulate/world/*.hpp
  ${SOURCE}/conformance/problems/*.hpp ${SOURCE}/conformance/verdict/*.hpp ${SOURCE}/conformance/trial/*.hpp
  ${SOURCE}/conformance/run/*.hpp)
list(APPEND waiting
  reference/certified/forward/truth.hpp reference/error_bound/forward/forward_bound.hpp reference/files/safetensors.hpp
  conformance/properties/metamorphic/relation.hpp conformance/reports/report.hpp)
# Former spellings lead to what they named.
file(STRINGS ${SOURCE}/cmake/former_spellings.txt moves REGEX "^[^#]")
foreach(move ${moves})
  string(REGEX MATCH "^([^ ]+) +([^ ]+)$" move ${move})
  list(APPEND waiting ${CMAKE_MATCH_2})
  file(WRITE ${DESTINATION}/${CMAKE_MATCH_1}
    "// SPDX-License-Identifier: Apache-2.0\n// A former place of ${CMAKE_MATCH_2}.\n#pragma once\n\n#include \"${CMAKE_MATCH_2}\"\n")
endforeach()
file(GLOB integrations ${SOURCE}/conformance/integrations/*.hpp)
file(INSTALL ${integrations} DESTINATION ${DESTINATION})
foreach(integration ${integrations})
  file(STRINGS ${integration} includes REGEX "^#include \"")
  list(TRANSFORM includes REPLACE "^#include \"(.*)\".*" "\\1")
  list(APPEND waiting ${includes})
endforeach()
set(installed)
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST installed)
    continue()
  endif()
  list(APPEND installed ${header})
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL ${SOURCE}/${header} DESTINATION ${DESTINATION}/${folder})
  file(STRINGS ${SOURCE}/${header} includes REGEX "^#include \"")
  foreach(include ${includes})
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" include ${include})
    list(APPEND waiting ${include})
  endforeach()
endwhile()
