/// Parts of the C++ runtime that the sources of libc++abi leave to the compiler or cannot build here.
#include <filesystem>

// The tag of C++ exceptions, once per program: clang 22 no longer defines it in every object.
asm(R"(
	.tagtype	__cpp_exception i32
	.globl	__cpp_exception
__cpp_exception:
)");

// There is one thread: objects of threads are objects of the program.
extern "C" int __cxa_atexit(void (*destroy)(void*), void* object, void* library);
extern "C" int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  return __cxa_atexit(destroy, object, library);
}

// There are no folders: a path is absolute as it is. libc++ defines this in filesystem/operations, which cannot be built here.
_LIBCPP_BEGIN_NAMESPACE_FILESYSTEM
path __absolute(const path& p, error_code* ec) {
  if (ec) ec->clear();
  return p;
}
_LIBCPP_END_NAMESPACE_FILESYSTEM
