// The contexts that calls from Python run on, one for each thread on the CPU and one for each stream on CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "app/python/arrays.h"
#include "core/context.h"
#include "core/cpu/interruption.h"

namespace scanlens::python {

/// The device and stream of a call. The stream is a cudaStream_t.
struct Place {
  int ordinal = -1;  ///< of a CUDA device; -1 on the CPU
  void* stream = nullptr;
};

/// The place of the arrays of a call. Throws BufferError for other devices, ValueError where they differ.
class Placed {
 public:
  explicit Placed(std::uintptr_t stream) { place_.stream = reinterpret_cast<void*>(stream); }
  template <class... Arrays>
  Placed(std::uintptr_t stream, const Arrays&... arrays) : Placed(stream) {
    (add(arrays), ...);
  }
  void add(const In& array);
  const Place& place() const { return place_; }
  /// True if the arrays lie on the host and are so small that to let other threads go on takes longer than
  /// the call.
  bool is_brief() const { return place_.ordinal < 0 && bytes_ <= kBrief; }

 private:
  static constexpr std::size_t kBrief = 16 << 10;

  Place place_;
  std::size_t bytes_ = 0;
  bool known_ = false;
};

struct Stream;

/// A context, and the right to use it.
class Lease {
 public:
  /// Takes no lock of Python's: a thread that waits here must not hold the GIL.
  explicit Lease(const Place& place);
  Context& context() { return *context_; }

 private:
  std::shared_ptr<Stream> stream_;
  std::unique_lock<std::mutex> lock_;
  Context* context_;
};

/// Throws what a signal handler of Python's raised: KeyboardInterrupt.
void ask_python();

/// Runs work(context) there, without the GIL. Ctrl-C ends it.
template <class Work>
void run_at(const Placed& placed, const Work& work) {
  const nb::gil_scoped_release release;
  const Interruption interruption(&ask_python);
  Lease lease(placed.place());
  work(lease.context());
}

/// Does the same for work that takes little longer than to read the arrays: where they are small, other
/// threads wait meanwhile.
template <class Work>
void run_brief_at(const Placed& placed, const Work& work) {
  placed.is_brief() ? work(Lease(placed.place()).context()) : run_at(placed, work);
}

void bind_contexts(nb::module_& module);

}  // namespace scanlens::python
