// Rows of chroma, handed from one part of cpu.cpp to the next by any instruction set.
#pragma once

#include "filters/yuv/task.h"

namespace scanlens::cpu {

/// Rows of pixels' chroma, from the first that counts in a sample on.
struct ChromaRows {
  const float* at[kDownTaps];
};

}  // namespace scanlens::cpu
