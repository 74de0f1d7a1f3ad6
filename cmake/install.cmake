include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bristle)

# Two export sets, so that find_package(bristle COMPONENTS core) needs no third-party package.
install(DIRECTORY include/bristle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(TARGETS bristle_core EXPORT bristleCoreTargets)
install(EXPORT bristleCoreTargets NAMESPACE bristle:: DESTINATION ${config_dir})
if(TARGET bristle)
  install(TARGETS bristle EXPORT bristleTargets)
  install(EXPORT bristleTargets NAMESPACE bristle:: DESTINATION ${config_dir})
endif()
if(TARGET bristle_cli)
  install(TARGETS bristle_cli)
  install(DIRECTORY papers DESTINATION ${CMAKE_INSTALL_DATADIR}/bristle FILES_MATCHING PATTERN "*.toml" PATTERN "*.csv")
endif()

configure_package_config_file(cmake/bristleConfig.cmake.in bristleConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(bristleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bristleConfig.cmake ${PROJECT_BINARY_DIR}/bristleConfigVersion.cmake
        DESTINATION ${config_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
