#pragma once
/// The version: CMake, the command and the documents read it from this file.
#define BRISTLE_VERSION "0.1.0"
