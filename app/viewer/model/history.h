// Undo and redo: the treatment of a picture, step by step.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/depth/strokes/strokes.h"
#include "app/photo/photo_options.h"
#include "app/viewer/model/effects.h"
#include "app/viewer/model/lens_keys.h"
#include "app/viewer/model/state.h"

namespace scanlens {

/// Returns true if a value is part of a picture's treatment, false if it only changes the view of it.
bool is_of_treatment(const ViewParam& param);

/// Lens and look, filters, the files that a photo is read from, and the strokes drawn on it.
struct Treatment {
  std::vector<double> values;  ///< those of view_params() that are of the treatment, in their order
  std::vector<StackedFilter> filters;
  PhotoOptions options;
  std::shared_ptr<const Strokes> strokes = {};  ///< null: no strokes
  std::shared_ptr<const Strokes> sharp = {};    ///< those that keep it sharp
  LensKeys keys = {};  ///< of a clip; the values of the lens are then those of the first

  friend bool operator==(const Treatment& a, const Treatment& b);
};

/// The steps of one picture's treatment. One of them is shown.
class History {
 public:
  explicit History(Treatment first);

  /// Takes what is shown now. It is a step of its own unless the change goes on: a key or a button is held,
  /// or the frame before changed something too.
  void note(const Treatment& now, bool held);

  /// Lets what changes next be a step of its own, however soon it comes: another key or button is pressed.
  void end_step() { goes_on_ = false; }

  // Return the step to be shown next; null at the end.
  const Treatment* undo();
  const Treatment* redo();

  const Treatment& shown() const { return steps_[at_]; }
  void mark_saved(const Treatment& treatment) { saved_ = treatment; }
  /// Returns true if a file holds the shown step, or if nothing has changed since the picture was opened.
  bool is_saved() const { return shown() == saved_; }

 private:
  std::vector<Treatment> steps_;
  std::size_t at_ = 0;
  bool goes_on_ = false;
  Treatment saved_;
};

}  // namespace scanlens
