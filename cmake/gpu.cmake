# The files *.cu of the room gpu, compiled by nvcc: that of BRISTLE_NVCC, of the PATH, or of `tools/install-deps gpu`.
# A function that cannot run on a device gives warning 20011 or 20014 and zeros at run time: all warnings are errors.
file(GLOB bristle_nvcc_wheels ${PROJECT_SOURCE_DIR}/build/cuda/lib/python3*/site-packages/nvidia/cu13/bin)
find_program(BRISTLE_NVCC nvcc HINTS ${bristle_nvcc_wheels} DOC "The CUDA compiler, version 13")
if(NOT BRISTLE_NVCC)
  message(FATAL_ERROR "BRISTLE_CUDA requires nvcc, the CUDA compiler: set BRISTLE_NVCC, or run tools/install-deps gpu")
endif()
set(BRISTLE_CUDA_ARCH sm_90 CACHE STRING "Architecture of the GPU: sm_80 (A100), sm_90 (H100, H200), ...")
get_filename_component(bristle_cuda ${BRISTLE_NVCC} REALPATH)
get_filename_component(bristle_cuda ${bristle_cuda} DIRECTORY)
get_filename_component(bristle_cuda ${bristle_cuda} DIRECTORY)
find_library(BRISTLE_CUDART cudart_static PATHS ${bristle_cuda}/lib ${bristle_cuda}/lib64 NO_DEFAULT_PATH REQUIRED)
mark_as_advanced(BRISTLE_NVCC BRISTLE_NVCC_FLAGS BRISTLE_CUDART)
set(BRISTLE_NVCC_FLAGS "" CACHE STRING "Further options of nvcc, such as --split-compile=0: all cores for one file")
set(bristle_nvcc ${BRISTLE_NVCC} ${BRISTLE_NVCC_FLAGS} -std=c++20 -arch=${BRISTLE_CUDA_ARCH} --expt-relaxed-constexpr -Werror all-warnings
    --diag-suppress 186 -O3 -Xcompiler -fPIC,-fno-math-errno,-ffp-contract=off -I${PROJECT_SOURCE_DIR}/include
    -I${PROJECT_SOURCE_DIR}/src) # 186: a comparison that is pointless for some arguments of a template

# Object files of *.cu, in the variable `objects`.
function(bristle_cuda_objects objects)
  set(all)
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM name)
    set(object ${PROJECT_BINARY_DIR}/gpu/${name}.o)
    set(own)
    if(name STREQUAL "fixed") # the bits of the processor, which does not fuse: snaps of bristles are jumps of the force
      set(own -fmad=false)
    elseif(name STREQUAL "generic2010") # in float: quotients and roots to 2 units of the last place, no denormal numbers
      set(own -ftz=true -prec-div=false -prec-sqrt=false)
    endif()
    add_custom_command(OUTPUT ${object} COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/gpu
                       COMMAND ${bristle_nvcc} ${own} -MD -MF ${object}.d -c ${file} -o ${object} DEPENDS ${file} DEPFILE ${object}.d
                       COMMENT "Building CUDA object gpu/${name}.o" VERBATIM)
    list(APPEND all ${object})
  endforeach()
  set_source_files_properties(${all} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${objects} ${all} PARENT_SCOPE)
endfunction()

file(GLOB bristle_cu CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/gpu/*.cu)
bristle_cuda_objects(bristle_cu_objects ${bristle_cu})
target_sources(bristle_simulate PRIVATE ${bristle_cu_objects})
target_link_libraries(bristle_simulate PRIVATE ${BRISTLE_CUDART} ${CMAKE_DL_LIBS} rt)

file(GLOB bristle_bench_cu CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/gpu/*.cu)
bristle_cuda_objects(bristle_bench_objects ${bristle_bench_cu})
add_executable(bristle_gpu_bench EXCLUDE_FROM_ALL ${bristle_bench_objects})
set_target_properties(bristle_gpu_bench PROPERTIES LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
target_link_libraries(bristle_gpu_bench PRIVATE bristle::simulate)
