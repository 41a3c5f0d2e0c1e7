// One picture of a batch: the resources that it takes, and its outcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/batch/budget.h"
#include "app/batch/lanes.h"
#include "app/batch/plan/outcome.h"
#include "app/session/session.h"
#include "core/error.h"

namespace scanlens {

/// The state that the pictures at work share.
struct Shared {
  const Session session;  ///< a copy that nobody writes to; each picture takes one of its own
  bool may_fall_back;     ///< to the CPU, where a GPU has no memory left
  bool waits_for_others;  ///< true: waits for pictures that another run makes; false: postpones them
  Budget memory;
  Lanes lanes, on_cpu;
};

/// Its stages are called in the order open, work, commit, by any thread, one at a time. None throws: what
/// goes wrong becomes the outcome, and the stages after it do nothing.
class OnePicture {
 public:
  OnePicture(Shared& shared, const Item& item);
  virtual ~OnePicture() = default;
  OnePicture(const OnePicture&) = delete;
  OnePicture& operator=(const OnePicture&) = delete;

  virtual void open() = 0;
  virtual void work() = 0;
  virtual void commit() {}

  /// Returns true if the outcome is known.
  bool ended() const { return ended_; }

  /// Returns true if another run makes the picture. Then all stages do nothing, and it is tried again later.
  bool postponed() const { return postponed_; }

  /// Returns true if the work was dropped because of a signal.
  bool dropped() const { return dropped_; }
  const Outcome& outcome() const { return outcome_; }
  const Item& item() const { return item_; }

 protected:
  /// Does what a stage does. Once the outcome is known, what the picture used is given back.
  void attempt(const std::function<void()>& stage);

  /// Drops the picture once a signal was noted.
  static void heed_signals();

  /// Waits for this much of the memory that pictures share.
  void require_memory(std::int64_t bytes);

  void take_lane(Lanes& lanes);
  Context& context() const { return lane_->context(); }

  /// Returns true if work that failed so on a GPU is to be done anew on the CPU.
  bool falls_back(const Error& error) const;

  /// Takes the CPU's lane in place of the GPU's, and says so.
  void move_to_cpu(const Error& error);

  void end(Status status);
  void postpone() { postponed_ = true; }

  /// Makes of a failure something better, where that can be.
  virtual bool is_saved() { return false; }

  /// Frees what the picture holds beside its lane, which that may use, and notes the milliseconds.
  virtual void drop() = 0;

  Shared& shared_;
  const Item& item_;
  Session session_;  ///< collects
  Outcome outcome_;

 private:
  /// Is thrown once a signal was noted.
  struct Interrupted {};

  void fail(Status status, const std::string& cause);
  void conclude();

  bool ended_ = false, dropped_ = false, postponed_ = false;
  Budget::Share memory_;
  std::optional<Lanes::Lane> lane_;
};

/// Returns the size of a file in bytes, 0 if it does not exist.
std::size_t size_of(const std::filesystem::path& path);

}  // namespace scanlens
