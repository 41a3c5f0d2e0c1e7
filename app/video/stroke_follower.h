// Strokes that were drawn on a clip's first frame, carried along with what they lie on.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "app/depth/strokes/strokes.h"
#include "app/video/clip_run.h"
#include "app/video/follow/patch.h"

namespace scanlens {

/// A stroke moves as a whole, as most of the patches along it do. One on a plain surface stays where it is.
/// One that is covered, or has left the picture, is left out.
class StrokeFollower {
 public:
  explicit StrokeFollower(Strokes strokes) : strokes_(std::move(strokes)) {}

  /// Returns the strokes of the next frame; those of the first are as they were drawn. Says which of them
  /// stay where they are, and warns of a cut, behind which all do.
  Strokes follow(FrameAtWork& at);

  /// Takes the next frame for the first.
  void begin_anew() { followed_.clear(); }

 private:
  using Points = std::vector<std::array<double, 2>>;

  /// A part of a stroke, with a patch in its middle.
  struct Piece {
    PatchFollower patch;
    Spot begin;  ///< of the patch
    Points points;
  };
  struct Followed {
    std::vector<Piece> pieces;
    Spot moved;  ///< in pixels of the small picture
  };

  static bool has_detail(const Piece& piece) { return piece.patch.has_detail(); }
  std::vector<Piece> pieces_of(const Stroke& stroke, Grey grey) const;
  void begin(FrameAtWork& at, Grey grey);
  bool move(Followed& one, Grey grey);

  const Strokes strokes_;
  std::vector<Followed> followed_;  ///< each stroke's; empty before the first frame
  Image<float> before_;             ///< brightness of the last frame, made small
  bool is_cut_ = false;
};

}  // namespace scanlens
