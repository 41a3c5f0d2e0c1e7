// Contexts for pieces of work, each while it computes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/work/budget.h"
#include "core/context.h"

namespace scanlens {

/// Lends contexts, each to one piece of work at a time. One is opened when none is free, on the device with
/// the fewest, so that all of them are at work. Memory of the host that a context keeps for the next piece
/// counts in the budget. Safe for use by any threads.
class Lanes {
 public:
  /// A GPU computes for this many pieces at once: one comes, one is worked on, one leaves.
  static constexpr std::size_t kOnGpu = 3;

  /// `devices` is what Context::open takes, and so is the allocator.
  Lanes(Budget& budget, const std::vector<std::string>& devices,
        std::shared_ptr<DeviceAllocator> allocator = nullptr);

  /// Returns true if contexts are of GPUs.
  bool on_cuda() const { return on_cuda_; }

  /// Frees what contexts keep that nobody uses. Returns true if there was any.
  bool free_kept();

  struct Device {
    std::string name;
    std::size_t opened = 0, lent = 0;
  };
  struct Kept {
    Device* device = nullptr;
    std::unique_ptr<Context> context;
    std::int64_t bytes = 0;    ///< of the host, that it keeps at most
    std::int64_t counted = 0;  ///< of them, those that the budget counts as kept
  };

  /// The use that a piece makes of a context.
  struct Use {
    std::int64_t keeps = 0;  ///< the host's bytes that the context will keep of its work
    bool is_short = true;    ///< no codec works meanwhile: where a GPU has lanes enough, the piece waits
  };

  /// A context until its end. The work's share of the budget counts what it takes.
  class Lane {
   public:
    /// Throws what Context::open throws.
    Lane(Lanes& lanes, const Use& use) : lanes_(lanes), kept_(lanes.take(use)) {}
    ~Lane() { lanes_.give_back(std::move(kept_)); }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;
    Context& context() const { return *kept_.context; }

   private:
    Lanes& lanes_;
    Kept kept_;
  };

 private:
  Kept take(const Use& use);
  Kept found(const Use& use);
  void give_back(Kept kept) noexcept;
  void free(Kept& kept);

  Budget& budget_;
  const bool on_cuda_;
  const std::shared_ptr<DeviceAllocator> allocator_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Device> devices_;
  std::vector<Kept> free_;  ///< the last one was used last
};

/// Returns the devices that pieces of work are dealt out to for --device: every GPU for "auto" and "cuda",
/// the CPU for "auto" without a GPU, else the device that is named.
std::vector<std::string> devices_for(const std::string& device);

}  // namespace scanlens
