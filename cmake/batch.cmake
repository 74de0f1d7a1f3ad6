# src/batch/kernels.cpp is compiled once per instruction set; batch.cpp chooses at run time.
# -fno-trapping-math: nobody reads the exception flags, and choices between values can become vector selects.
# Fused multiply-add only where the instruction set has it: results there differ from the baseline by rounding.
function(bristle_batch_kernel isa bytes)
  add_library(bristle_batch_${isa} OBJECT src/batch/kernels.cpp)
  target_link_libraries(bristle_batch_${isa} PRIVATE bristle::core)
  target_include_directories(bristle_batch_${isa} PRIVATE src)
  target_compile_definitions(bristle_batch_${isa} PRIVATE BRISTLE_ISA=${isa} BRISTLE_BYTES=${bytes})
  set_target_properties(bristle_batch_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  bristle_own(bristle_batch_${isa})
  target_compile_options(bristle_batch_${isa} PRIVATE -O3 -fno-trapping-math -Wno-psabi ${ARGN})
  set(bristle_batch_objects ${bristle_batch_objects} $<TARGET_OBJECTS:bristle_batch_${isa}> PARENT_SCOPE)
endfunction()

bristle_batch_kernel(baseline 16)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  bristle_batch_kernel(avx2 32 -march=x86-64-v3 -ffp-contract=fast)
  bristle_batch_kernel(avx512 64 -march=x86-64-v4 -ffp-contract=fast)
endif()
