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

# attestone_layer(<name> LEFT <layer> LIBRARIES <target>... SOURCES <file>... FOLDERS <extension folder>...)
# LEFT is the layer just to the left. Files in extension folders register themselves: a new file there is found without
# being listed; NAME.examples.cpp beside NAME.hpp is a test (tests/CMakeLists.txt).
function(attestone_layer name)
  cmake_parse_arguments(LAYER "" "LEFT" "SOURCES;FOLDERS;LIBRARIES" ${ARGN})
  foreach(folder ${LAYER_FOLDERS})
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    list(FILTER files EXCLUDE REGEX "\\.examples\\.cpp$")
    list(APPEND registering ${files})
  endforeach()
  attestone_gather(${name} registering)
  add_library(${name} OBJECT ${LAYER_SOURCES} ${registering})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${name} PRIVATE attestone_compile_options PUBLIC ${LAYER_LEFT} ${LAYER_LIBRARIES})
  attestone_precompile(${name} <fmt/format.h>)
  target_sources(attestone PRIVATE $<TARGET_OBJECTS:${name}>)
  target_link_libraries(attestone PRIVATE ${LAYER_LIBRARIES})
endfunction()
