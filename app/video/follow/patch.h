// A patch of a picture, and where it lies in others: by normalised cross-correlation, which neither exposure
// nor contrast changes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/view.h"

namespace scanlens {

/// A place on a picture, in pixels; 0 is the middle of the first one.
struct Spot {
  double x = 0, y = 0;
};

/// Brightness of small pictures, a few hundred pixels wide, is what patches are cut out of and found in.
using Grey = View<const float>;

/// A square of pixels around a spot. Where that lies near the picture's border, the square lies inside.
class Patch {
 public:
  /// Takes `reach` pixels to each side; more where those are of one tone.
  Patch(Grey picture, Spot at, int reach);

  /// Returns true if there is something in it that can be found again.
  bool has_detail() const { return has_detail_; }

  struct Match {
    Spot at;
    double likeness = -1;  ///< 1 for the same pixels, 0 for any others
  };

  /// Returns the place of the square that is most like this one, at most `range` pixels from `near`; the
  /// nearest of several that are alike. Squares lie inside the picture.
  Match find(Grey picture, Spot near, int range) const;

 private:
  void take(Grey picture, Spot at, int reach);

  std::int64_t side_ = 0;
  Spot middle_;                ///< the spot's own place in the square
  std::vector<float> pixels_;  ///< row by row, of mean 0 and length 1
  bool has_detail_ = false;
};

/// Follows a patch from picture to picture. It is taken anew when its looks change, and the first one holds
/// again where it is found.
class PatchFollower {
 public:
  PatchFollower(Grey first, Spot at) : first_(first, at), recent_(first_), at_(at) {}

  bool has_detail() const { return first_.patch.has_detail(); }

  /// Looks for it in the next picture.
  void follow(Grey next);

  /// Returns its place; where it is not seen, the last one.
  Spot at() const { return at_; }
  bool is_seen() const { return seen_; }

 private:
  /// A patch with its surroundings. Among many places one may be like the patch by chance, but not like both.
  struct Look {
    Look(Grey picture, Spot at);
    // Both return a likeness of -1 where it is not found.
    Patch::Match find(Grey picture, Spot near) const;
    Patch::Match find_far(Grey picture, Spot near) const;
    Patch patch, around;
  };

  Look first_, recent_;
  Spot at_, step_;  ///< its place, and how far it went with the last picture
  bool seen_ = true;
};

/// Returns true if a picture shows something else than the one before: most of its parts are not found again.
bool is_cut(Grey before, Grey after);

}  // namespace scanlens
