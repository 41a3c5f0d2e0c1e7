// Memory and other things of a context that outlast one call: what is given back is kept for the next who
// asks. On CUDA to allocate and to free takes milliseconds, waits for the device, and makes the threads of a
// process wait for each other.
#pragma once

#include <cstddef>
#include <memory>

#include "core/context.h"

namespace scanlens {

/// Owns memory of the context's backend. Memory that is given back may go to the next owner while work on the
/// context's stream still uses it. So all use has to be in the stream's order. Contents are indeterminate.
/// The context must outlive it. Device memory that is given back counts as Context::kept_bytes; host memory
/// is freed.
class KeptMemory {
 public:
  KeptMemory() = default;
  /// Throws Error (retry) when there is not that much.
  KeptMemory(Context& context, std::size_t bytes);
  KeptMemory(KeptMemory&& other) noexcept;
  KeptMemory& operator=(KeptMemory&& other) noexcept;
  ~KeptMemory();

  std::byte* data() const { return memory_.data(); }

  /// Returns the memory as elements.
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(memory_.data());
  }

 private:
  std::shared_ptr<Arena> arena_;
  Memory memory_;
};

/// A room's claim to a thing of its own in every context, as MeetingPlace is to memory.
struct KeptPlace {};

/// Returns the thing that the context keeps for this place, null at first and after Context::trim() where
/// nobody else holds it. The room may put another in.
std::shared_ptr<void>& kept_thing(Context& context, const KeptPlace& place);

}  // namespace scanlens
