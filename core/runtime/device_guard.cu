// The driver says which device is current and makes one so: the runtime's cudaSetDevice could not restore
// that none was, and would initialise the first device of a machine to make it current again.
#include <cudaTypedefs.h>

#include <map>
#include <mutex>

#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_backend.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/driver.cuh"

namespace scanlens::gpu {
namespace {

/// The driver's functions that are needed here. The runtime finds them, so that nothing links to libcuda.
struct Driver {
  PFN_cuCtxGetCurrent_v4000 get_current = nullptr;
  PFN_cuCtxSetCurrent_v4000 set_current = nullptr;
  PFN_cuDeviceGet_v2000 device = nullptr;
  PFN_cuDevicePrimaryCtxRetain_v7000 retain = nullptr;
  PFN_cuFuncSetAttribute_v9000 set_attribute = nullptr;
  PFN_cuThreadExchangeStreamCaptureMode_v10010 exchange_mode = nullptr;
};

template <class Function>
void find(Function& function, const char* name, unsigned version) {
  function = driver_function<Function>(name, version);
}

const Driver& driver() {
  static const Driver found = [] {
    int devices = 0;
    SCANLENS_CUDA_CHECK(cudaGetDeviceCount(&devices));  // starts the driver
    Driver driver;
    find(driver.get_current, "cuCtxGetCurrent", 4000);
    find(driver.set_current, "cuCtxSetCurrent", 4000);
    find(driver.device, "cuDeviceGet", 2000);
    find(driver.retain, "cuDevicePrimaryCtxRetain", 7000);
    find(driver.set_attribute, "cuFuncSetAttribute", 9000);
    find(driver.exchange_mode, "cuThreadExchangeStreamCaptureMode", 10010);
    return driver;
  }();
  return found;
}

/// Converts a driver's error to the runtime's, which has the same number. It never becomes the runtime's last
/// error.
cudaError_t status_of(CUresult result) {
  return static_cast<cudaError_t>(result);
}

}  // namespace

cudaError_t set_kernel_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  static_assert(int{cudaFuncAttributeMaxDynamicSharedMemorySize} ==
                    int{CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES} &&
                int{cudaFuncAttributePreferredSharedMemoryCarveout} ==
                    int{CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT});
  cudaFunction_t function = nullptr;
  const cudaError_t found = cudaGetFuncBySymbol(&function, kernel);
  if (found != cudaSuccess) return found;
  return status_of(driver().set_attribute(function, static_cast<CUfunction_attribute>(attribute), value));
}

void* primary_context(int ordinal) {
  static std::mutex mutex;
  // The contexts stay retained while the process lives: objects of static storage duration may use them.
  static auto& retained = *new std::map<int, CUcontext>;
  const std::lock_guard lock(mutex);
  CUcontext& context = retained[ordinal];
  if (!context) {
    CUdevice device = 0;
    SCANLENS_CUDA_CHECK(status_of(driver().device(&device, ordinal)));
    SCANLENS_CUDA_CHECK(status_of(driver().retain(&context, device)));
  }
  return context;
}

DeviceGuard::DeviceGuard(void* cuda_context) {
  CUcontext before = nullptr;
  SCANLENS_CUDA_CHECK(status_of(driver().get_current(&before)));
  before_ = before;
  if (before != cuda_context) {
    SCANLENS_CUDA_CHECK(status_of(driver().set_current(static_cast<CUcontext>(cuda_context))));
    switched_ = true;
  }
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  driver().exchange_mode(&mode);
  mode_before_ = mode;
}
DeviceGuard::DeviceGuard(const Context& context) : DeviceGuard(context.impl()) {}
DeviceGuard::DeviceGuard(const Context::Impl& context) : DeviceGuard(context.cuda_context) {}
DeviceGuard::DeviceGuard(int ordinal) : DeviceGuard(primary_context(ordinal)) {}
DeviceGuard::~DeviceGuard() {
  auto mode = static_cast<CUstreamCaptureMode>(mode_before_);
  driver().exchange_mode(&mode);
  if (switched_) driver().set_current(static_cast<CUcontext>(before_));
}

}  // namespace scanlens::gpu
