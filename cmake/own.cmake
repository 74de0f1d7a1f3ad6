# Settings of the targets of this project; nothing here affects a consumer.

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  find_program(CCACHE_PROGRAM ccache)
  mark_as_advanced(CCACHE_PROGRAM)
  if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # ccache keeps objects made with precompiled headers only with these settings.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  endif()
endif()

# -fno-math-errno: no code reads errno, and pure math calls can be merged, hoisted and inlined (sqrt).
# -ffp-contract=off: no implicit fused multiply-add, so every compiler and machine gives the same bits.
# Never -ffast-math: the code relies on NaN, infinity, signed zero and the order of sums.
set(bristle_flags -fno-math-errno -ffp-contract=off)

set(bristle_warnings
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wcast-align -Wcast-qual
    -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wformat=2 -Wundef
    -Wno-missing-field-initializers # designated initialisers leave the other members at their defaults
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wlogical-op>
    # GCC 12 reports overlapping copies in std::string + that do not exist (GCC bug 105651).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)

function(bristle_own target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  if(NOT MSVC)
    target_compile_options(${target} PRIVATE ${bristle_flags})
    if(PROJECT_IS_TOP_LEVEL)
      target_compile_options(${target} PRIVATE ${bristle_warnings} $<$<BOOL:${BRISTLE_WERROR}>:-Werror>)
    endif()
  endif()
endfunction()

# Headers that nearly every file includes, parsed once per target: a third of the time of a small file.
function(bristle_precompile target)
  if(BRISTLE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <functional> <memory> <optional> <span> <string>
                                                <variant> <vector> ${ARGN})
    # GCC 12 no longer takes the standard headers for system headers then, and warns of overflows that cannot happen there.
    target_compile_options(${target} PRIVATE
      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>)
  endif()
endfunction()

# Files of a room compiled together, eight at a time: headers and templates that they share are compiled once, which takes a
# third of the time. Names in an unnamed namespace are then unique in their room; files with flags of their own stay alone.
function(bristle_unite target)
  if(BRISTLE_UNITE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_compile_options(${target} PRIVATE -Wno-shadow -Wshadow=local -Wno-subobject-linkage) # one file is several; `make lint` compiles each alone
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=large-unit-insns=80000>) # inlines as in eight files of 10000
    foreach(source IN LISTS ARGN)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME room)
      math(EXPR batch "0${number_${room}} / 8")
      math(EXPR number_${room} "0${number_${room}} + 1")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${room}_${batch})
    endforeach()
  endif()
endfunction()

# Libraries without heavy computation: -O1 saves a third of their build time without a noticeable effect.
function(bristle_quickly_built target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# A required package, listed with its purpose in the feature summary.
macro(bristle_find package purpose)
  find_package(${package} CONFIG REQUIRED)
  set_package_properties(${package} PROPERTIES PURPOSE "${purpose}")
endmacro()
