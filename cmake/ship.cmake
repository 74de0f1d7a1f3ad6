# Binaries that run inside other programs, from the header core alone: they need the C library and nothing else.

# Any lumped model as one type; also read by the exporter, so that both have the same list of variables.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/export/element/*.cpp)
add_library(bristle_element OBJECT ${sources})
target_link_libraries(bristle_element PUBLIC bristle::core)
target_include_directories(bristle_element PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/export>
                                                  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
set_target_properties(bristle_element PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                 VISIBILITY_INLINES_HIDDEN ON)
bristle_own(bristle_element)
target_compile_options(bristle_element PRIVATE $<$<CONFIG:Release>:-O2>)

# The command looks for resources next to itself: build/bin and build/share, or the installed folders.
set(bristle_resources ${PROJECT_BINARY_DIR}/share/bristle/resources)

function(bristle_plugin target folder)
  set_target_properties(${target} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${bristle_resources}/${folder}
                                             CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/export ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE bristle_element)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections
                                          $<$<CONFIG:Release>:-static-libstdc++;-static-libgcc;-s>)
  endif()
  bristle_own(${target})
endfunction()

# The binary of every FMU; it reads the friction block from the resources of the FMU.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/export/fmu/*.cpp)
add_library(bristle_fmu MODULE EXCLUDE_FROM_ALL ${sources}) # built with the command, which copies it
bristle_plugin(bristle_fmu fmu/x86_64-linux)
set_target_properties(bristle_fmu PROPERTIES OUTPUT_NAME bristle)

# The same for Windows where the cross compiler is installed.
find_program(BRISTLE_MINGW NAMES x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++)
mark_as_advanced(BRISTLE_MINGW)
if(BRISTLE_MINGW)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/export/element/*.cpp ${PROJECT_SOURCE_DIR}/export/fmu/*.cpp)
  set(dll ${bristle_resources}/fmu/x86_64-windows/bristle.dll)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/export/*.h* ${PROJECT_SOURCE_DIR}/include/bristle/*.hpp)
  add_custom_command(OUTPUT ${dll} DEPENDS ${sources} ${headers} VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${bristle_resources}/fmu/x86_64-windows
                     COMMAND ${BRISTLE_MINGW} -std=c++20 -O2 -shared -static -s ${bristle_flags} -I${PROJECT_SOURCE_DIR}/include
                             -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/export ${sources} -o ${dll})
  add_custom_target(bristle_fmu_windows DEPENDS ${dll})
  add_dependencies(bristle_fmu bristle_fmu_windows)
endif()

# The MuJoCo plugin, where the headers of MuJoCo are: tools/install-ship puts its wheel into build/ship.
file(GLOB wheels ${PROJECT_BINARY_DIR}/ship/lib/python*/site-packages/mujoco/include)
find_path(BRISTLE_MUJOCO_INCLUDE mujoco/mjplugin.h HINTS ${wheels})
mark_as_advanced(BRISTLE_MUJOCO_INCLUDE)
if(BRISTLE_MUJOCO_INCLUDE)
  add_library(bristle_mujoco MODULE EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/export/mujoco/plugin.cpp)
  bristle_plugin(bristle_mujoco mujoco)
  target_include_directories(bristle_mujoco SYSTEM PRIVATE ${BRISTLE_MUJOCO_INCLUDE})
endif()
