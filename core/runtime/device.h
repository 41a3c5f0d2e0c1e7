// A context's device as launches see it: no CUDA type appears here, and no heavy header, because every CUDA
// source includes this one.
#pragma once

#include <cstddef>

#include "core/context.h"

namespace scanlens {

/// A room's claim to memory of every context, where the blocks of its running kernels publish what others
/// wait for. A room declares one per kind of kernel, as an `inline constexpr` variable, whose address is the
/// key.
struct MeetingPlace {};

/// Returns at least `bytes` of device memory, the same at every call for this place until one asks for more
/// than it has. It is zero before the first kernel that gets it runs, and never cleared again. It may be
/// freed once a later call for the place has asked for more. The first call allocates, so that it cannot be
/// recorded; a Graph runs its work before it records it, and so makes that call.
std::byte* meeting_memory(Context& context, const MeetingPlace& place, std::size_t bytes);

/// Throws Error (usage) where the context's stream is being captured, for a call that waits for the device.
void refuse_capture(const Context& context, const char* call);

}  // namespace scanlens

namespace scanlens::gpu {

/// Makes a device current in this thread, and at its end restores what was current before: perhaps no device,
/// or a context of the driver API. It costs a few nanoseconds when the device is current already. Every
/// function of core/runtime/cuda_backend.h has a guard of its own; kernels are launched under that of
/// core/runtime/dispatch.h.
///
/// Meanwhile the thread's mode of capture is relaxed: what first calls have to do, such as to allocate, would
/// spoil a capture of the caller's, on whatever stream.
class DeviceGuard {
 public:
  explicit DeviceGuard(const Context& context);
  explicit DeviceGuard(const Context::Impl& context);
  explicit DeviceGuard(int ordinal);
  /// Makes a CUcontext current.
  explicit DeviceGuard(void* cuda_context);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  void* before_ = nullptr;  ///< CUcontext; null when no device was current
  bool switched_ = false;
  int mode_before_ = 0;  ///< CUstreamCaptureMode
};

/// The traits of a device on which the choice of kernels and grids depends.
struct Traits {
  int multiprocessors = 0;
  int shared_bytes = 0;  ///< the most shared memory that a block can have
  int l2_bytes = 0;
  /// The library's own code that runs on the device was compiled for compute capability 9.0 or newer. A
  /// user's own need not be: core/cuda/launch.cuh checks each kernel.
  bool hopper = false;
};
/// Returns the traits of a CUDA context's device.
const Traits& traits_of(const Context& context);

/// Throws Error (usage): elements of this size are too large for the GPU's shared memory.
[[noreturn]] void refuse_elements(int bytes);

}  // namespace scanlens::gpu
