# A layer is a folder, an OBJECT library, and an include prefix; all layers make the one shared library.

# What every translation unit is compiled with. Contraction is explicit: results do not depend on the compiler's mood.
add_library(attestone_compile_options INTERFACE)
target_compile_features(attestone_compile_options INTERFACE cxx_std_20)
target_compile_options(attestone_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Werror -ffp-contract=off
  # Nobody replaces one of our functions from outside: g++ may inline them within a file, as clang does anyway.
  -fno-semantic-interposition
  # g++ 12 sees overlapping copies in the concatenation of strings that there are not (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# Vectors of SVE have no length before the program runs, and cannot stand in arrays: 64-bit Arm gets NEON.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_definitions(attestone_compile_options INTERFACE
    "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
endif()

if(ATTESTONE_FEW_VECTOR_TARGETS)
  target_compile_definitions(attestone_compile_options INTERFACE
    "HWY_DISABLED_TARGETS=(HWY_AVX3|HWY_AVX3_DL|HWY_SSE4|HWY_SSSE3)")
endif()

# attestone_layer(<name> LEFT <layer> LIBRARIES <target>... APART <file or folder>... MADE <file>...)
# LEFT is the layer just to the left. Every .cpp below the folder belongs to the layer, without being listed, but for what
# belongs to programs and modules of its own (APART); MADE are files that the build writes. NAME.examples.cpp beside NAME.hpp
# is a test (tests/CMakeLists.txt).
function(attestone_layer name)
  cmake_parse_arguments(LAYER "" "LEFT" "APART;MADE;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "\\.examples\\.cpp$")
  foreach(apart ${LAYER_APART})
    list(FILTER sources EXCLUDE REGEX "^${apart}")
  endforeach()
  list(APPEND sources ${LAYER_MADE})
  attestone_gather(${name} sources)
  add_library(${name} OBJECT ${sources})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${name} PRIVATE attestone_compile_options PUBLIC ${LAYER_LEFT} ${LAYER_LIBRARIES})
  attestone_precompile(${name} <fmt/format.h>)
  target_sources(attestone PRIVATE $<TARGET_OBJECTS:${name}>)
  target_link_libraries(attestone PRIVATE ${LAYER_LIBRARIES})
endfunction()
