// Questions about an address that only CUDA can answer.
#pragma once

namespace scanlens::python {

/// The number of the CUDA device that the memory is on; -1 for host memory, or without CUDA.
int device_of_address(const void* address);

}  // namespace scanlens::python
