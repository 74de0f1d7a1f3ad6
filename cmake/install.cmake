# A component per library, so that each can be installed and found without the packages of the others:
#   cmake --install build --component core        find_package(bristle COMPONENTS simulate)
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bristle)

# Public headers of the compiled libraries; all others are the header core.
set(headers_models asperity batch output registry value)
set(headers_simulate gpu mechanism simulate surface trace tribometer)
set(headers_identify data identify)
set(headers_report export gallery plot report scenario sweep)
file(GLOB_RECURSE headers_core RELATIVE ${PROJECT_SOURCE_DIR}/include/bristle CONFIGURE_DEPENDS include/bristle/*.hpp)
foreach(library models simulate identify report)
  list(JOIN headers_${library} "|" names)
  set(files ${headers_core})
  list(FILTER files INCLUDE REGEX "^(${names})[./]")
  list(REMOVE_ITEM headers_core ${files})
  set(headers_${library} ${files})
endforeach()

foreach(library core models simulate identify report)
  if(NOT TARGET bristle_${library})
    continue()
  endif()
  foreach(header IN LISTS headers_${library})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES include/bristle/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bristle/${folder} COMPONENT ${library})
  endforeach()
  install(TARGETS bristle_${library} EXPORT bristle_${library}_targets COMPONENT ${library})
  install(EXPORT bristle_${library}_targets FILE bristle_${library}.cmake NAMESPACE bristle:: DESTINATION ${config_dir}
          COMPONENT ${library})
endforeach()
if(TARGET bristle)
  install(TARGETS bristle EXPORT bristle_bristle_targets COMPONENT report)
  install(EXPORT bristle_bristle_targets FILE bristle_bristle.cmake NAMESPACE bristle:: DESTINATION ${config_dir}
          COMPONENT report)
endif()
if(TARGET bristle_cli)
  install(TARGETS bristle_cli COMPONENT command)
  install(DIRECTORY papers DESTINATION ${CMAKE_INSTALL_DATADIR}/bristle COMPONENT command
          FILES_MATCHING PATTERN "*.toml" PATTERN "*.csv")
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/bristle COMPONENT command
          FILES_MATCHING PATTERN "*.toml" PATTERN "*.csv" PATTERN "*.sh" PATTERN "*.md")
  install(DIRECTORY ${bristle_resources} DESTINATION ${CMAKE_INSTALL_DATADIR}/bristle COMPONENT command)
  if(NOT CMAKE_CROSSCOMPILING)
    set(texts ${PROJECT_BINARY_DIR}/share)
    install(FILES ${texts}/bristle.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    install(FILES ${texts}/bristle.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME bristle
            COMPONENT command)
    install(FILES ${texts}/_bristle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)
    install(FILES ${texts}/bristle.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/bristle COMPONENT command)
  endif()
endif()

configure_package_config_file(cmake/bristleConfig.cmake.in bristleConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(bristleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bristleConfig.cmake ${PROJECT_BINARY_DIR}/bristleConfigVersion.cmake
        DESTINATION ${config_dir} COMPONENT core)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT core)
