# ccache, where it is installed: a file that was compiled in one checkout is not compiled again in another. Its base folder is
# the checkout, so that paths below it count as relative; neither the folder of the build nor the user's language is a part of
# a key; and precompiled headers, which only g++ makes alike each time (cmake/precompile.cmake), are read through. What a
# file includes is known from what the compiler lists: otherwise ccache would preprocess every file before it is compiled.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,locale ${CCACHE_PROGRAM})
elseif(NOT CCACHE_PROGRAM)
  message(STATUS "without ccache: every checkout compiles everything itself (Debian's package ccache)")
endif()
