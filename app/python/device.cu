#include <cuda_runtime.h>

#include "app/python/device.h"

namespace scanlens::python {

int device_of_address(const void* address) {
  cudaPointerAttributes attributes = {};
  if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) return -1;
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged
             ? attributes.device
             : -1;
}

}  // namespace scanlens::python
