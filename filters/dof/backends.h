// The per-pixel pass of depth of field, per backend. Called by depth_of_field only.
#pragma once

#include "core/context.h"
#include "filters/dof/pixel.h"

namespace scanlens::cpu {
template <class T, class Sum>
void dof_gather(Context& context, const DofTask<T, Sum>& task);
}
namespace scanlens::gpu {
template <class T, class Sum>
void dof_gather(Context& context, const DofTask<T, Sum>& task);
}

/// All combinations of sample and sum that the gather is built for.
#define SCANLENS_INSTANTIATE_DOF_GATHER                                             \
  template void dof_gather(Context&, const DofTask<std::uint8_t, std::uint32_t>&);  \
  template void dof_gather(Context&, const DofTask<std::uint8_t, std::uint64_t>&);  \
  template void dof_gather(Context&, const DofTask<std::uint16_t, std::uint64_t>&); \
  template void dof_gather(Context&, const DofTask<float, std::uint64_t>&);
