// Marks of threads that wait for a device; core/devices.h reads them.
#pragma once

namespace scanlens {

/// Tells that this thread waits for a CUDA device, as long as it lives. It takes a few atomic operations.
/// Waits beyond 256 at once are not seen.
class WaitMark {
 public:
  explicit WaitMark(int cuda_ordinal) noexcept;
  ~WaitMark();
  WaitMark(const WaitMark&) = delete;
  WaitMark& operator=(const WaitMark&) = delete;

 private:
  int place_ = -1;
};

}  // namespace scanlens
