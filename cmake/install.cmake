# SPDX-License-Identifier: MIT
# Install rules: headers, targets and a relocatable package. Two export files, since only the component `cpu` refers to
# Boost: a project that asks for rowfold alone needs none.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rowfold)
install(DIRECTORY include/rowfold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(TARGETS rowfold EXPORT rowfold-targets)
install(TARGETS rowfold_cpu EXPORT rowfold-cpu-targets)
install(EXPORT rowfold-targets NAMESPACE rowfold:: DESTINATION ${package_dir})
install(EXPORT rowfold-cpu-targets NAMESPACE rowfold:: DESTINATION ${package_dir})

configure_package_config_file(cmake/rowfold-config.cmake.in ${PROJECT_BINARY_DIR}/rowfold-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rowfold-config-version.cmake COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/rowfold-config.cmake ${PROJECT_BINARY_DIR}/rowfold-config-version.cmake
              cmake/rowfold-cuda-headers.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
