// Exchanges between ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/context.h"
#include "core/ranks.h"

namespace scanlens {

/// Exchanges are queued on the contexts' streams. Those of all ranks of this process are one call.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Everyone's `bytes` to everyone: all[i], of the i-th rank of this process, holds those of rank r at
  /// r * bytes, its own before and all afterwards.
  virtual void all_gather(std::span<std::byte* const> all, std::size_t bytes) = 0;

  struct Message {
    int local;  ///< which rank of this process
    int peer;   ///< to or from which rank of all
    std::byte* data;
    std::size_t bytes;
  };
  /// Every send has its receive, with as many bytes; of empty ones there is neither.
  virtual void exchange(std::span<const Message> sends, std::span<const Message> receives) = 0;

  /// Waits for what one rank of this process was given. Throws Error where that or another rank fails.
  virtual void wait(int local) = 0;

  /// True if the ranks have one memory, so that all[i] are the same.
  virtual bool shares_memory() const { return false; }
};

std::unique_ptr<Transport> simulated_transport(Context& context, int count);

/// NCCL's communicators, one for each context, as void*. Throw Error where NCCL is missing or fails.
namespace nccl {
struct Membership {
  int rank;
  int count;
};
Ranks::Id make_id();
std::unique_ptr<Transport> join(Context& context, const Ranks::Id& id, Membership membership,
                                double time_limit);
std::unique_ptr<Transport> borrow(Context& context, void* communicator, double time_limit);
std::unique_ptr<Transport> connect(std::span<Context* const> contexts, double time_limit);
Membership membership_of(void* communicator);
}  // namespace nccl

namespace gpu {
/// Returns true if a context's stream has done all that it was given. Throws Error where that failed.
bool has_finished(const Context& context);
/// Returns true if a context's stream is being captured.
bool is_captured(const Context& context);
}  // namespace gpu

}  // namespace scanlens
