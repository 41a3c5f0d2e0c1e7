// Contexts for pictures at work at once.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/context.h"

namespace scanlens {

/// Lends contexts, each to one picture at a time. One is opened when none is free, on the next of the
/// devices, so that all of them are at work. Safe for use by any threads.
class Lanes {
 public:
  /// `devices` is what Context::open takes.
  explicit Lanes(std::vector<std::string> devices) : devices_(std::move(devices)) {}

  /// A context until its end. Throws what Context::open throws.
  class Lane {
   public:
    explicit Lane(Lanes& lanes) : lanes_(lanes), context_(lanes.take()) {}
    ~Lane() { lanes_.give_back(std::move(context_)); }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;
    Context& context() const { return *context_; }

   private:
    Lanes& lanes_;
    std::unique_ptr<Context> context_;
  };

 private:
  std::unique_ptr<Context> take();
  void give_back(std::unique_ptr<Context> context) noexcept;

  const std::vector<std::string> devices_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<Context>> free_;
  std::size_t opened_ = 0;
};

/// Returns the devices that a batch uses for --device: every GPU for "auto" and "cuda", the CPU for "auto"
/// without a GPU, else the device that is named.
std::vector<std::string> batch_devices(const std::string& device);

}  // namespace scanlens
