// One picture of a batch, from its header to its outcome.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "app/batch/budget.h"
#include "app/batch/lanes.h"
#include "app/batch/pipeline.h"
#include "app/batch/plan/outcome.h"
#include "app/filtering/filtered_file.h"
#include "app/session/session.h"

namespace scanlens {

/// What the pictures at work share.
struct Shared {
  const Work& work;
  const Session& session;
  Budget memory;
  Lanes lanes, on_cpu;
};

/// Its stages are called in the order judge, open, filter, commit, by any thread, one at a time. None throws:
/// what goes wrong becomes the outcome, and the stages after it do nothing. A decoder of its own, such as
/// nvJPEG, would be another way through `open`.
class OnePicture {
 public:
  OnePicture(Shared& shared, const Item& item);

  /// Finds out whether there is anything to do.
  void judge();
  void open();
  void filter();
  void commit();

  /// Returns whether the outcome is known.
  bool ended() const { return ended_; }

  /// Returns whether the work was dropped because of a signal.
  bool dropped() const { return dropped_; }
  const Outcome& outcome() const { return outcome_; }

 private:
  template <class Stage>
  void attempt(const Stage& stage);
  void open_on(Lanes& lanes);
  void filter_bands();
  bool falls_back(const Error& error);
  bool is_current() const;
  bool may_replace() const;
  void decide();
  void fail(Status status, const std::string& cause);
  void conclude();

  Shared& shared_;
  const Item& item_;
  Session session_;
  Filtering filtering_;
  Outcome outcome_;
  bool ended_ = false, dropped_ = false;
  Budget::Share memory_;
  std::optional<Lanes::Lane> lane_;
  std::optional<FilteredFile> file_;  ///< uses the lane's context
};

}  // namespace scanlens
