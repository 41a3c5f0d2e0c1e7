// The same in a build without CUDA.
#include "app/python/device.h"

namespace scanlens::python {

int device_of_address(const void*) {
  return -1;
}

}  // namespace scanlens::python
