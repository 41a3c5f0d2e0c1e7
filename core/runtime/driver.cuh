// The driver's functions. The runtime finds them, so that nothing links to libcuda.
#pragma once

#include <cudaTypedefs.h>

#include "core/runtime/cuda_check.cuh"

namespace scanlens::gpu {

/// Returns a function of the driver as it was in CUDA `version`, 12050 for 12.5. Throws Error where the
/// driver is older.
template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  SCANLENS_CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess) check(cudaErrorInsufficientDriver, name, __FILE__, __LINE__);
  return reinterpret_cast<Function>(found);
}

}  // namespace scanlens::gpu
