// Elements computed into workspace on CUDA, for kernels that read memory.
#pragma once

#include <cstdint>

#include "core/computed.h"
#include "core/moves/steps.cuh"

namespace scanlens::gpu {

template <class At, class T>
struct ComputeStep {
  Computed<At> in;
  T* out;

  SCANLENS_HOST_DEVICE void operator()(std::int64_t i) const { out[i] = static_cast<T>(in[i]); }
};

template <class T, class At>
const T* compute_elements(Workspace& workspace, Context& context, const Computed<At>& in) {
  T* const elements = workspace.take<T>(in.count);
  if (in.count > 0) for_each_step(context, in.count, ComputeStep<At, T>{in, elements});
  return elements;
}
template <class At>
auto compute_elements(Workspace& workspace, Context& context, const Computed<At>& in) {
  return compute_elements<ValueOf<Computed<At>>>(workspace, context, in);
}

}  // namespace scanlens::gpu
