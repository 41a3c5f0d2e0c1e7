// An object that owns a CUDA event.
#pragma once

#include <cuda_runtime.h>

#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "core/runtime/wait_mark.h"

namespace scanlens::gpu {

class Event {
 public:
  /// Creates an event with the flags of cudaEventCreateWithFlags, of the current device.
  explicit Event(unsigned flags = cudaEventDefault) { create(flags); }
  /// The same, of another CUcontext.
  Event(unsigned flags, void* cuda_context) {
    const DeviceGuard device(cuda_context);
    create(flags);
  }
  ~Event() { succeeded(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

  void record(cudaStream_t stream) { SCANLENS_CUDA_CHECK(cudaEventRecord(event_, stream)); }
  /// Makes what `stream` is given from now on wait for what has been recorded, if anything has.
  void hold(cudaStream_t stream) { SCANLENS_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0)); }
  /// Waits for what has been recorded, if anything has.
  void wait() {
    const WaitMark mark(ordinal_);
    SCANLENS_CUDA_CHECK(cudaEventSynchronize(event_));
  }

 private:
  void create(unsigned flags) {
    SCANLENS_CUDA_CHECK(cudaGetDevice(&ordinal_));
    SCANLENS_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags));
  }

  int ordinal_ = 0;
  cudaEvent_t event_ = nullptr;
};

}  // namespace scanlens::gpu
