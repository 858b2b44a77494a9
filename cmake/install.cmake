# What `cmake --install` puts where, and what find_package(attestone) then finds.
#
# The headers keep their layer: #include "reference/problem/problem.hpp" reads the same here and there. The interface is what lies
# directly in a layer's folder and in some rooms, with what that includes (cmake/install_headers.cmake); it needs no other
# library's headers, so a consumer needs none of attestone's dependencies (tests/consumer/ checks both). Beside it lie
# headers for those who have another library anyway: conformance/integrations/.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ATTESTONE_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/attestone)

target_include_directories(attestone PUBLIC
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/attestone>  # "reference/problem/problem.hpp"
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)           # <attestone/kernel.h>
install(TARGETS attestone EXPORT attestone_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT development)
# Beside it the mutants, for the program only.
set_target_properties(attestone_mutants PROPERTIES INSTALL_RPATH $ORIGIN)
install(TARGETS attestone_mutants LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
install(CODE "
  set(SOURCE \"${PROJECT_SOURCE_DIR}\")
  set(DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/attestone\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")")
install(FILES backends/plugins/protocol/kernel.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attestone)
install(TARGETS attestone_worker RUNTIME DESTINATION ${ATTESTONE_WORKER_FOLDER})
if(TARGET attestone_rank)
  file(RELATIVE_PATH library_from_rank
    ${CMAKE_INSTALL_PREFIX}/${ATTESTONE_WORKER_FOLDER} ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(attestone_mpi PROPERTIES INSTALL_RPATH $ORIGIN)
  set_target_properties(attestone_rank PROPERTIES INSTALL_RPATH $ORIGIN/${library_from_rank})
  install(TARGETS attestone_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
  install(TARGETS attestone_rank RUNTIME DESTINATION ${ATTESTONE_WORKER_FOLDER})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The program finds its libraries beside itself, wherever both are moved.
if(TARGET attestone_program)
  file(RELATIVE_PATH library_from_program
    ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(attestone_program PROPERTIES INSTALL_RPATH $ORIGIN/${library_from_program})
  install(TARGETS attestone_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT attestone_targets NAMESPACE attestone:: DESTINATION ${ATTESTONE_PACKAGE_FOLDER})
configure_package_config_file(cmake/attestoneConfig.cmake.in ${PROJECT_BINARY_DIR}/attestoneConfig.cmake
  INSTALL_DESTINATION ${ATTESTONE_PACKAGE_FOLDER})
# Before 1.0, a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/attestoneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/attestoneConfig.cmake ${PROJECT_BINARY_DIR}/attestoneConfigVersion.cmake
  DESTINATION ${ATTESTONE_PACKAGE_FOLDER})
