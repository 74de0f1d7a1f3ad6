#pragma once

/// For files compiled once per instruction set BRISTLE_ISA: kernel_avx2 is BRISTLE_FOR_ISA(kernel_),
/// and "avx2" is BRISTLE_ISA_NAME.
#define BRISTLE_JOINED(a, b) a##b
#define BRISTLE_JOIN(a, b) BRISTLE_JOINED(a, b)
#define BRISTLE_QUOTED(a) #a
#define BRISTLE_QUOTE(a) BRISTLE_QUOTED(a)
#define BRISTLE_FOR_ISA(name) BRISTLE_JOIN(name, BRISTLE_ISA)
#define BRISTLE_ISA_NAME BRISTLE_QUOTE(BRISTLE_ISA)
