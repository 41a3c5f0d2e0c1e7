// Contexts for pictures at work at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/batch/budget.h"
#include "core/context.h"

namespace scanlens {

/// Lends contexts, each to one picture at a time. One is opened when none is free, on the next of the
/// devices, so that all of them are at work. Memory of the host that a context keeps for the next picture
/// counts in the budget. Safe for use by any threads.
class Lanes {
 public:
  /// `devices` is what Context::open takes.
  Lanes(Budget& budget, std::vector<std::string> devices) : budget_(budget), devices_(std::move(devices)) {}

  /// Returns true if contexts are of GPUs.
  bool on_cuda() const { return devices_.front().starts_with("cuda"); }

  /// Frees what contexts keep that nobody uses. Returns true if there was any.
  bool free_kept();

  struct Kept {
    std::unique_ptr<Context> context;
    std::int64_t bytes = 0;    ///< of the host, that it keeps at most
    std::int64_t counted = 0;  ///< of them, those that the budget counts as kept
  };

  /// A context until its end.
  class Lane {
   public:
    /// `keeps`: the host's bytes that the context will keep of this picture's work. Throws what Context::open
    /// throws.
    Lane(Lanes& lanes, std::int64_t keeps) : lanes_(lanes), kept_(lanes.take(keeps)) {}
    ~Lane() { lanes_.give_back(std::move(kept_)); }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;
    Context& context() const { return *kept_.context; }

    /// Returns how much the budget counts as kept of what the picture's share will count.
    std::int64_t counted() const { return context().on_cuda() ? 0 : kept_.counted; }
    /// Is told once the share counts it.
    void count_no_more() { kept_.counted -= counted(); }

   private:
    Lanes& lanes_;
    Kept kept_;
  };

 private:
  Kept take(std::int64_t keeps);
  void give_back(Kept kept) noexcept;
  void free(Kept& kept);

  Budget& budget_;
  const std::vector<std::string> devices_;
  std::mutex mutex_;
  std::deque<Kept> free_;
  std::size_t opened_ = 0;
};

/// Returns the devices that a batch uses for --device: every GPU for "auto" and "cuda", the CPU for "auto"
/// without a GPU, else the device that is named.
std::vector<std::string> batch_devices(const std::string& device);

}  // namespace scanlens
