// One picture of a batch: the resources that it takes, and its outcome.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/batch/plan/outcome.h"
#include "app/session/session.h"
#include "app/work/budget.h"
#include "app/work/lanes.h"
#include "core/error.h"

namespace scanlens {

/// The state that the pictures at work share.
struct Shared {
  Shared(const Settings& settings, const std::vector<std::string>& devices, bool may_fall_back,
         std::int64_t memory);

  const Settings& settings;
  const bool may_fall_back;       ///< to the CPU, where a GPU has no memory left
  bool waits_for_others = false;  ///< true: waits for pictures that another run makes; false: postpones them
  Budget memory;
  Lanes lanes, on_cpu;
  std::atomic<std::int64_t> learned = 0;  ///< bytes that a picture took beyond what its header tells
};

/// Its stages are called in the order wait_for_memory, open, work, commit, by any thread, one at a time. None
/// throws: what goes wrong becomes the outcome, and the stages after it do nothing.
class OnePicture : public std::enable_shared_from_this<OnePicture> {
 public:
  OnePicture(Shared& shared, const Item& item);
  virtual ~OnePicture() = default;
  OnePicture(const OnePicture&) = delete;
  OnePicture& operator=(const OnePicture&) = delete;

  /// Waits for the memory that the picture needs as far as is known, which at first is that of its file.
  void wait_for_memory();

  virtual void open() = 0;
  virtual void work() = 0;
  virtual void commit() {}

  /// Returns true if the outcome is known.
  bool ended() const { return ended_; }

  /// Returns true if the next stage has something to do.
  bool goes_on() const { return !ended_ && !postponed_ && !begins_again_; }

  /// Returns true if the picture needs more memory than was free. It holds none, and all stages are to be
  /// called anew.
  bool begins_again() const { return begins_again_; }

  /// Returns true if another run makes the picture. Then all stages do nothing, and it is tried again later.
  bool postponed() const { return postponed_; }

  /// Returns true if the work was dropped because of a signal.
  bool dropped() const { return dropped_; }
  const Outcome& outcome() const { return outcome_; }
  const Item& item() const { return item_; }

 protected:
  /// Does what a stage does. Once the outcome is known, what the picture used is given back.
  void attempt(const std::function<void()>& stage);

  /// Does the same with a context, which is lent to it meanwhile. Where a GPU has too little memory, the
  /// picture may begin again on the CPU.
  void attempt_on(const Lanes::Use& use, const std::function<void(Context& context)>& stage);

  /// Drops the picture once a signal was noted.
  static void heed_signals();

  /// Makes the picture's share of the memory this large, before any of it is taken. Where that is not free,
  /// everything is given up and begins again. Throws Error (retry) for more than the limit.
  void require_memory(std::int64_t bytes);

  bool on_cpu() const { return !moved_because_.empty() || !shared_.lanes.on_cuda(); }

  void end(Status status);
  void postpone() { postponed_ = true; }

  /// Makes of a failure something better, where that can be.
  virtual bool is_saved() { return false; }

  /// Frees what the picture holds, and notes the milliseconds.
  virtual void drop() = 0;

  Shared& shared_;
  const Item& item_;
  Talk talk_;  ///< collects
  Outcome outcome_;

 private:
  /// Is thrown once a signal was noted.
  struct Interrupted {};
  /// Is thrown where the picture begins again.
  struct Again {};

  void fail(Status status, const std::string& cause);
  void give_up();

  bool ended_ = false, dropped_ = false, postponed_ = false, begins_again_ = false;
  bool begun_again_ = false;   ///< what is needed is known from then on
  std::int64_t needed_ = 0;    ///< bytes, as far as is known before the file is read
  std::string moved_because_;  ///< why the CPU does the work; empty if it does not stand in
  Budget::Share memory_;
};

/// Returns the size of a file in bytes, 0 if it does not exist.
std::size_t size_of(const std::filesystem::path& path);

}  // namespace scanlens
