// Undo and redo: the treatment of a picture, step by step.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/depth/strokes/strokes.h"
#include "app/session/photo_options.h"
#include "app/viewer/model/effects.h"
#include "app/viewer/model/state.h"

namespace scanlens {

/// Returns whether a value belongs to how a picture is treated, not to how it is looked at.
bool is_of_treatment(const ViewParam& param);

/// Lens and look, filters, the files that a photo is read from, and the strokes drawn on it.
struct Treatment {
  std::vector<double> values;  ///< those of view_params() that are of the treatment, in their order
  std::vector<StackedFilter> filters;
  PhotoOptions options;
  std::shared_ptr<const Strokes> strokes = {};  ///< null where there are none

  friend bool operator==(const Treatment& a, const Treatment& b);
};

/// The steps of one picture's treatment, of which one is shown.
class History {
 public:
  explicit History(Treatment first);

  /// Takes what is shown now. It is a step of its own unless the change goes on: a key or a button is held,
  /// or the frame before changed something too.
  void note(const Treatment& now, bool held);

  /// Lets what changes next be a step of its own, however soon it comes: another key or button is pressed.
  void end_step() { goes_on_ = false; }

  // Return the step to be shown next; null where there is none.
  const Treatment* undo();
  const Treatment* redo();

  const Treatment& shown() const { return steps_[at_]; }
  void mark_saved(const Treatment& treatment) { saved_ = treatment; }
  /// Returns whether a file holds what is shown, or it is as it was opened.
  bool is_saved() const { return shown() == saved_; }

 private:
  std::vector<Treatment> steps_;
  std::size_t at_ = 0;
  bool goes_on_ = false;
  Treatment saved_;
};

}  // namespace scanlens
