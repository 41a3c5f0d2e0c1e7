// Depth of field on the CPU, row by row. Called by the CPU's dof_gather only.
#pragma once

#include "filters/dof/pixel.h"

namespace scanlens::cpu {

/// dof_pixel of the pixels x0 <= x < x1 of row y, bit for bit.
template <class T, class Sum>
void dof_row(const DofTask<T, Sum>& task, int x0, int x1, int y);

/// The samples and sums for which there is one: those of SCANLENS_INSTANTIATE_DOF_GATHER.
#define SCANLENS_FOR_EACH_DOF_ROW(X)          \
  X(BlurU8U32, std::uint8_t, std::uint32_t)   \
  X(BlurU8U64, std::uint8_t, std::uint64_t)   \
  X(BlurU16U64, std::uint16_t, std::uint64_t) \
  X(BlurF32U64, float, std::uint64_t)

}  // namespace scanlens::cpu
