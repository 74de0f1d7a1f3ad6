#pragma once
/// The only place where the version stands: CMake, the command and the documents read it from here.
#define BRISTLE_VERSION "0.1.0"
