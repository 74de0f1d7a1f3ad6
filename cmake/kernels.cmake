# Kernel files are compiled once per instruction set; their callers choose at run time.
# -fno-trapping-math: no code reads the exception flags, and conditional values become vector selects.
# Fused multiply-add is used if the instruction set has it: its results differ from the baseline by rounding.
set(BRISTLE_BATCH_SETS avx2 avx512 CACHE STRING "Instruction sets of the kernels in addition to the baseline (x86-64)")

# library: which contains it; sets: "baseline" and others; file: src/<file>.cpp; users: the sources that choose; rest: compiler flags.
function(bristle_kernel library sets name file users)
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
    set(target bristle_${name}_${isa})
    add_library(${target} OBJECT src/${file}.cpp)
    target_link_libraries(${target} PRIVATE bristle::core)
    target_include_directories(${target} PRIVATE src)
    target_compile_definitions(${target} PRIVATE BRISTLE_ISA=${isa} BRISTLE_BYTES=${bytes_${isa}})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    bristle_own(${target})
    target_compile_options(${target} PRIVATE -fno-trapping-math -Wno-psabi ${flags_${isa}} ${ARGN})
    target_compile_options(${target} PRIVATE -fno-sanitize=address,undefined) # they take minutes on kernels
    if(isa STREQUAL "baseline" AND NOT sets STREQUAL "baseline" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"
       AND BRISTLE_BATCH_SETS)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>) # for processors of before 2013: built in less time
    endif()
    target_sources(bristle_${library} PRIVATE $<TARGET_OBJECTS:${target}>)
    string(TOUPPER ${isa} set)
    set_property(SOURCE ${users} APPEND PROPERTY COMPILE_DEFINITIONS BRISTLE_${set})
  endforeach()
endfunction()

# Inlining into a loop must not depend on the size of the file.
bristle_kernel(models "baseline;avx2;avx512" batch batch/kernels "src/batch/batch.cpp;src/batch/along.cpp" $<$<CONFIG:Release>:-O3>
               $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=80>)
bristle_kernel(models "baseline;avx2;avx512" around batch/around_kernel src/batch/along.cpp $<$<CONFIG:Release>:-O3>)
# The vectoriser of GCC slows down code with few numbers; the loops that benefit use vectors explicitly. The sanitizers take
# minutes on these files.
set(steps -fno-tree-vectorize -fno-sanitize=all $<$<CXX_COMPILER_ID:GNU>:-fno-var-tracking>)
foreach(body slider disk given)
  bristle_kernel(simulate "baseline;avx2" ${body} simulate/kernels/${body} src/simulate/kernel_stepper.cpp ${steps})
endforeach()
if(BRISTLE_IDENTIFY)
  bristle_kernel(identify "baseline;avx2;avx512" sensitivities identify/kernels/sensitivities src/identify/fused.cpp
                 $<$<CONFIG:Release>:-O3>)
endif()
bristle_kernel(simulate "avx2;avx512" lanes simulate/kernels/lanes src/simulate/kernel_stepper.cpp ${steps})
bristle_kernel(simulate "baseline;avx2" tones simulate/kernels/tones src/simulate/piece.cpp)
bristle_kernel(simulate "baseline;avx2" blocks simulate/kernels/blocks src/simulate/chain_lanes.cpp ${steps})
bristle_kernel(models "baseline;avx2;avx512" asperity asperity/kernel src/asperity/gfm.cpp)
bristle_kernel(models "baseline;avx2;avx512" asperity2010 asperity/generic2010_kernel src/asperity/generic2010.cpp)
bristle_kernel(models "baseline;avx2;avx512" ledger asperity/ledger_kernel src/asperity/ledger.cpp)
