# Every library that attestone uses; each comes from a Debian 12 package that ./run installs.
find_package(fmt REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(OpenMP REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pugixml REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
find_library(MPFR_LIBRARY mpfr REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)

# For programs. Judging takes and gives back small memory all the time, which mimalloc does faster than the C library: smoke
# lasts a tenth less. Where it is missing the C library does it; sanitizers have an allocator of their own.
add_library(attestone_allocator INTERFACE)
find_library(MIMALLOC_LIBRARY mimalloc)
if(MIMALLOC_LIBRARY AND NOT CMAKE_CXX_FLAGS MATCHES "fsanitize")
  target_link_libraries(attestone_allocator INTERFACE
    -Wl,--push-state,--no-as-needed ${MIMALLOC_LIBRARY} -Wl,--pop-state)
endif()
