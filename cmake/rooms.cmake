# The rooms of src/ in four libraries, each based on the previous one: models, simulate, identify, report. tools/rooms checks the
# includes between rooms against the table in CONTRIBUTING.md.

find_package(Threads REQUIRED)
bristle_find(fmt "messages")
bristle_find(Eigen3 "small dense matrices")
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED) # header-only: nothing to link
mark_as_advanced(TOMLPLUSPLUS_INCLUDE_DIR)
set(bristle_fmt fmt::fmt)
if(NOT (BRISTLE_CVODE OR BRISTLE_MAT OR BRISTLE_IDENTIFY))
  set(bristle_fmt $<BUILD_INTERFACE:fmt::fmt-header-only>) # nothing to link; takes twice as long to build
endif()

# Of NAME.cpp and its replacement no_NAME.cpp, which reports the missing option, keeps the one that fits.
function(bristle_choose files)
  set(left ${${files}})
  foreach(part CVODE MAT IDENTIFY CUDA)
    string(TOLOWER ${part} name)
    if(BRISTLE_${part})
      list(FILTER left EXCLUDE REGEX "/no_${name}\\.cpp$")
    else()
      list(FILTER left EXCLUDE REGEX "/${name}\\.cpp$")
    endif()
  endforeach()
  set(${files} ${left} PARENT_SCOPE)
endfunction()

function(bristle_library name below)
  set(sources)
  foreach(room IN LISTS ARGN)
    file(GLOB in_room CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
    list(FILTER in_room EXCLUDE REGEX "/[a-z0-9_]*kernels?\\.cpp$") # compiled once per instruction set
    bristle_choose(in_room)
    list(APPEND sources ${in_room})
  endforeach()
  add_library(bristle_${name} ${sources})
  add_library(bristle::${name} ALIAS bristle_${name})
  set_target_properties(bristle_${name} PROPERTIES EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} POSITION_INDEPENDENT_CODE ON
                                                   SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(bristle_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM below PREPEND bristle::)
  target_link_libraries(bristle_${name} PUBLIC ${below} PRIVATE ${bristle_fmt} Threads::Threads $<BUILD_INTERFACE:Eigen3::Eigen>)
  bristle_own(bristle_${name})
  bristle_precompile(bristle_${name} <fmt/format.h>)
  bristle_unite(bristle_${name} ${sources})
endfunction()

bristle_library(models core base asperity batch registry)
target_include_directories(bristle_models SYSTEM PRIVATE ${TOMLPLUSPLUS_INCLUDE_DIR})

bristle_library(simulate models trace surface simulate tribometer mechanism gpu)
if(BRISTLE_CUDA)
  include(cmake/gpu.cmake)
endif()
if(BRISTLE_CVODE)
  find_package(SUNDIALS CONFIG REQUIRED COMPONENTS cvode)
  set_package_properties(SUNDIALS PROPERTIES PURPOSE "method cvode, a check of our own solver")
  target_link_libraries(bristle_simulate PRIVATE SUNDIALS::cvode)
endif()
if(BRISTLE_MAT) # loaded when a MAT file is read: linking it, with HDF5, would triple the start time of every command
  find_path(MATIO_INCLUDE_DIR matio.h REQUIRED)
  find_library(MATIO_LIBRARY matio REQUIRED)
  mark_as_advanced(MATIO_INCLUDE_DIR MATIO_LIBRARY)
  file(REAL_PATH ${MATIO_LIBRARY} matio_file)
  string(REGEX MATCH "libmatio\\.so(\\.[0-9]+)?|libmatio.*\\.dylib" matio_name ${matio_file})
  set_property(SOURCE src/trace/mat.cpp APPEND PROPERTY COMPILE_DEFINITIONS BRISTLE_MATIO="${matio_name}")
  target_include_directories(bristle_simulate SYSTEM PRIVATE ${MATIO_INCLUDE_DIR})
  target_link_libraries(bristle_simulate PRIVATE ${CMAKE_DL_LIBS})
endif()

set(bristle_below_report simulate)
set(bristle_fit_pages)
if(BRISTLE_IDENTIFY)
  bristle_library(identify simulate data identify)
  set(bristle_below_report identify)
  set(bristle_fit_pages report/fit)
endif()

bristle_library(report ${bristle_below_report} plot scenario sweep sweep/analyze report ${bristle_fit_pages} gallery export)
target_sources(bristle_report PRIVATE $<TARGET_OBJECTS:bristle_element>)
set_property(SOURCE src/export/fmu.cpp src/export/fmu_xml.cpp src/export/mujoco.cpp APPEND PROPERTY INCLUDE_DIRECTORIES
             ${PROJECT_SOURCE_DIR}/export)

include(cmake/kernels.cmake) # the hot loops, once per instruction set

add_library(bristle INTERFACE)
add_library(bristle::bristle ALIAS bristle)
target_link_libraries(bristle INTERFACE bristle::report)

# Dominated by templates of their own, which the laws give them.
set_property(SOURCE src/registry/make.cpp src/registry/describe.cpp src/simulate/flow.cpp src/base/linear.cpp
             PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)

# Little is lost by -O2 in the forces of fits, and a third of the time to compile them is saved; the loops of batches are kernels.
set_property(SOURCE src/identify/evaluator.cpp APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
set_property(SOURCE src/batch/batch.cpp APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
# One filter per model: half a minute and 1 MB less; a filter computes once per sample of a controller.
set_property(SOURCE src/simulate/compensator_kalman.cpp APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
bristle_quickly_built(bristle_report)
