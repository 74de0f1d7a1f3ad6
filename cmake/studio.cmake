# The core of the page as one WebAssembly module, bristle.wasm: the rooms of src/ up to the reports of fits, compiled with
# wasm-ld and clang by the preset wasm. Not part of any other preset.

# Feature sets of all browsers since 2023. -I, not -isystem: zig puts its C headers before any -isystem, which libc++ refuses.
# The definitions are those of zig with exceptions, threads (of which only the calling one exists) and paths.
set(cxx ${BRISTLE_ZIG}/lib/libcxx)
set(abi ${BRISTLE_ZIG}/lib/libcxxabi)
set(unwind ${BRISTLE_ZIG}/lib/libunwind)
set(features generic+exception_handling+simd128+bulk_memory+multivalue+reference_types+nontrapping_fptoint+sign_ext)
set(target -target wasm32-wasi -mcpu=${features} -fwasm-exceptions)
add_library(studio_base INTERFACE)
target_compile_options(studio_base INTERFACE ${target} -fno-sanitize=all -g0 -nostdinc++ -I${cxx}/include -I${abi}/include)
target_compile_definitions(
  studio_base
  INTERFACE NDEBUG _LIBCPP_ABI_VERSION=1 _LIBCPP_ABI_NAMESPACE=__1 _LIBCPP_HAS_THREADS=1 _LIBCPP_HAS_THREAD_API_PTHREAD=1
            _LIBCPP_HAS_FILESYSTEM=1 _LIBCPP_HAS_MONOTONIC_CLOCK=1 _LIBCPP_HAS_TERMINAL=0 _LIBCPP_HAS_MUSL_LIBC=1
            _LIBCPP_HAS_RANDOM_DEVICE=1 _LIBCPP_HAS_LOCALIZATION=1 _LIBCPP_HAS_UNICODE=1 _LIBCPP_HAS_WIDE_CHARACTERS=1
            _LIBCPP_HAS_TIME_ZONE_DATABASE=0 _LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0
            _LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS _LIBCPP_PSTL_BACKEND_SERIAL _LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS
            _LIBUNWIND_HIDE_SYMBOLS _WASI_EMULATED_PROCESS_CLOCKS _LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE
            _LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE)

# libc++, libc++abi and the unwinder, from the sources of the wheel.
set(of_cxx
    algorithm any atomic barrier bind call_once charconv chrono condition_variable condition_variable_destructor error_category
    exception expected functional future fstream hash ios ios.instantiations iostream locale memory memory_resource mutex
    mutex_destructor new new_handler new_helpers optional ostream print random regex shared_mutex stdexcept string strstream
    system_error thread typeinfo valarray variant vector verbose_abort filesystem/path filesystem/filesystem_error
    filesystem/directory_entry filesystem/directory_iterator filesystem/filesystem_clock filesystem/int128_builtins ryu/d2fixed
    ryu/d2s ryu/f2s) # filesystem/operations requires copy_file_range
set(of_abi
    abort_message cxa_aux_runtime cxa_default_handlers cxa_exception cxa_exception_storage cxa_guard cxa_handlers cxa_personality
    cxa_vector cxa_virtual fallback_malloc private_typeinfo stdlib_exception stdlib_new_delete stdlib_stdexcept stdlib_typeinfo)
list(TRANSFORM of_cxx REPLACE "(.+)" "${cxx}/src/\\1.cpp")
list(TRANSFORM of_abi REPLACE "(.+)" "${abi}/src/\\1.cpp")
add_library(studio_cxx STATIC ${of_cxx} ${of_abi} ${unwind}/src/Unwind-wasm.c studio/core/runtime.cpp)
set_source_files_properties(${unwind}/src/Unwind-wasm.c PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c;-std=c23")
target_link_libraries(studio_cxx PRIVATE studio_base)
target_compile_definitions(studio_cxx PRIVATE _LIBCPP_BUILDING_LIBRARY _LIBCXXABI_BUILDING_LIBRARY LIBCXX_BUILDING_LIBCXXABI
                                              LIBCXXABI_NON_DEMANGLING_TERMINATE)
target_compile_options(studio_cxx PRIVATE -O2 -std=c++23 -Wno-everything -I${cxx}/src -I${abi}/src -I${cxx}/src/include
                                          -I${unwind}/include -I${unwind}/src -I${cxx}/libc -I${cxx})

# Headers of packages, without the other headers of their folder: /usr/include is that of another C library.
set(third ${PROJECT_BINARY_DIR}/third)
file(MAKE_DIRECTORY ${third})
set(places PATHS /usr/local/include /usr/include PATH_SUFFIXES eigen3 REQUIRED NO_DEFAULT_PATH)
foreach(header fmt/format.h toml++/toml.h nlohmann/json.hpp Eigen/Dense)
  cmake_path(GET header PARENT_PATH package)
  find_path(BRISTLE_HEADERS_${package} ${header} ${places})
  mark_as_advanced(BRISTLE_HEADERS_${package})
  file(CREATE_LINK ${BRISTLE_HEADERS_${package}}/${package} ${third}/${package} SYMBOLIC)
endforeach()

set(sources)
foreach(room base asperity registry trace surface simulate tribometer mechanism data identify scenario)
  file(GLOB in_room CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
  list(APPEND sources ${in_room})
endforeach()
file(GLOB own CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/studio/core/*.cpp)
list(APPEND sources ${own})
# Of the reports and the command: texts and JSON of fits, the schema.
foreach(file report/labels report/html report/fit/files report/fit/tables report/fit/experiments cli/json cli/schema
             cli/model_json cli/run_json cli/battery_json cli/fit/ranking cli/fit/experiments)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/${file}.cpp)
endforeach()
# Not here: processes, shared libraries and files (studio/core/files.cpp keeps named texts instead).
list(FILTER sources EXCLUDE REGEX "/src/(simulate/cvode|trace/mat|base/file|asperity/.*kernel)\\.cpp$|/no_identify\\.cpp$|runtime\\.cpp$")
set(kernels simulate/kernels/slider simulate/kernels/disk simulate/kernels/given simulate/kernels/tones simulate/kernels/blocks
            identify/kernels/sensitivities asperity/kernel asperity/generic2010_kernel asperity/ledger_kernel)
list(TRANSFORM kernels REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1.cpp")
set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS "-fno-trapping-math;-DBRISTLE_ISA=baseline;-DBRISTLE_BYTES=16")

add_library(studio_core OBJECT ${sources} ${kernels})
target_link_libraries(studio_core PRIVATE studio_base)
target_include_directories(studio_core PRIVATE include src studio ${third})
target_compile_definitions(studio_core PRIVATE BRISTLE_BASELINE CLOCK_THREAD_CPUTIME_ID=CLOCK_MONOTONIC)
target_compile_options(studio_core PRIVATE -O2 -std=c++20 ${bristle_flags} -Wno-everything)

# Headers that nearly every file includes, parsed once: with fmt compiled once (studio/core/format.cpp), half of the time of a file.
# Not for the kernels, which have flags of their own.
set(common ${PROJECT_BINARY_DIR}/common.pch)
add_custom_command(
  OUTPUT ${common} VERBATIM COMMAND_EXPAND_LISTS
  COMMAND ${CMAKE_CXX_COMPILER} "-D$<JOIN:$<TARGET_PROPERTY:studio_core,COMPILE_DEFINITIONS>,;-D>"
          $<TARGET_PROPERTY:studio_core,COMPILE_OPTIONS> -I${third} -x c++-header ${PROJECT_SOURCE_DIR}/studio/core/common.hpp -o ${common}
  DEPENDS ${PROJECT_SOURCE_DIR}/studio/core/common.hpp)
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "-Xclang;-include-pch;-Xclang;${common}" OBJECT_DEPENDS ${common})

set(wasm ${PROJECT_BINARY_DIR}/bristle.wasm)
add_custom_command(
  OUTPUT ${wasm} VERBATIM COMMAND_EXPAND_LISTS
  COMMAND ${CMAKE_CXX_COMPILER} ${target} -O2 -mexec-model=reactor $<TARGET_OBJECTS:studio_core> $<TARGET_FILE:studio_cxx>
          -Wl,--strip-all -Wl,-z,stack-size=8388608 -o ${wasm}
  DEPENDS studio_cxx $<TARGET_OBJECTS:studio_core>)
add_custom_target(studio_wasm ALL DEPENDS ${wasm})
