# Kernel files are compiled once per instruction set; who uses them chooses at run time.
# -fno-trapping-math: nobody reads the exception flags, and choices between values can become vector selects.
# Fused multiply-add only where the instruction set has it: results there differ from the baseline by rounding.
set(BRISTLE_BATCH_SETS avx2 avx512 CACHE STRING "Instruction sets of the kernels beside the baseline (x86-64)")

# sets: "baseline" and others; room: its file is src/<file>.cpp; users: the sources that choose; the rest: its own flags.
function(bristle_kernel sets room file users)
  set(flags_baseline)
  set(bytes_baseline 16)
  set(flags_avx2 -march=x86-64-v3 -ffp-contract=fast)
  set(bytes_avx2 32)
  set(flags_avx512 -march=x86-64-v4 -ffp-contract=fast)
  set(bytes_avx512 64)
  foreach(isa IN LISTS sets)
    if(NOT isa STREQUAL "baseline"
       AND NOT (CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND isa IN_LIST BRISTLE_BATCH_SETS))
      continue()
    endif()
    set(target bristle_${room}_${isa})
    add_library(${target} OBJECT src/${file}.cpp)
    target_link_libraries(${target} PRIVATE bristle::core)
    target_include_directories(${target} PRIVATE src)
    target_compile_definitions(${target} PRIVATE BRISTLE_ISA=${isa} BRISTLE_BYTES=${bytes_${isa}})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    bristle_own(${target})
    target_compile_options(${target} PRIVATE -fno-trapping-math -Wno-psabi ${flags_${isa}} ${ARGN})
    target_compile_options(${target} PRIVATE -fno-sanitize=address,undefined) # which take minutes over kernels
    list(APPEND bristle_kernel_objects $<TARGET_OBJECTS:${target}>)
    string(TOUPPER ${isa} name)
    set_property(SOURCE ${users} APPEND PROPERTY COMPILE_DEFINITIONS BRISTLE_${name})
  endforeach()
  set(bristle_kernel_objects ${bristle_kernel_objects} PARENT_SCOPE)
endfunction()

# What is inlined into a loop must not depend on how much else the file holds.
bristle_kernel("baseline;avx2;avx512" batch batch/kernels src/batch/batch.cpp $<$<CONFIG:Release>:-O3>
               $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=80>)
# GCC's vectoriser makes code of a few numbers slower; what is worth it is in vectors already. The sanitizers would take
# minutes over these files.
set(steps -fno-tree-vectorize -fno-sanitize=all $<$<CXX_COMPILER_ID:GNU>:-fno-var-tracking>)
bristle_kernel("baseline;avx2" slider kernels/slider src/simulate/small.cpp ${steps})
bristle_kernel("baseline;avx2;avx512" sensitivities kernels/sensitivities src/identify/fused.cpp
               $<$<CONFIG:Release>:-O3>)
bristle_kernel("avx2;avx512" lanes kernels/lanes src/simulate/small.cpp ${steps})
bristle_kernel("baseline;avx2" tones kernels/tones src/simulate/piece.cpp)
bristle_kernel("baseline;avx2" bodies kernels/bodies src/simulate/typed.cpp ${steps})
bristle_kernel("baseline;avx2" blocks kernels/blocks src/simulate/chain_lanes.cpp ${steps})
bristle_kernel("baseline;avx2;avx512" asperity asperity/kernel src/asperity/gfm.cpp)
bristle_kernel("baseline;avx2;avx512" asperity2010 asperity/generic2010_kernel src/asperity/generic2010.cpp)
