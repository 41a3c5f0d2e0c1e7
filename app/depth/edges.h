// Brings a small depth map to the size of its photo along the photo's edges. Inside scanlens_files.
//
// The way is joint bilateral upsampling: Kopf, Cohen, Lischinski and Uyttendaele, "Joint Bilateral
// Upsampling", SIGGRAPH 2007. A pixel of the photo takes the mean of the 4 x 4 pixels of the map around it.
// Their weights are their nearness, and the likeness of their mean colour to its colour. Two things are
// added, since that mean, as every filter's, smears jumps and copies texture into slopes:
// - where the map does not jump, no colour is looked at; it is bilinear there;
// - where it does, the 4 x 4 pixels are two layers, one nearer and one farther than the middle of their
// range. Each has a mean of its own. Pixels count by their distance from the middle, so that those across the
// jump, which mix both sides, hardly count. The layers' squared weights decide between them. He, Sun and
// Tang's guided filter as an upsampler was measured beside it, and was worse than bilinear.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "app/depth/depth.h"

namespace scanlens {

/// Takes the photo's rows twice from the top to the bottom, in parts of whole rows, as they come. The result
/// does not depend on the parts, nor on the number of threads.
class EdgeUpsampling {
 public:
  /// `smooth` is the map at the photo's size by interpolation. The map must not be empty, nor larger than the
  /// photo in any direction.
  EdgeUpsampling(Image<float> map, Image<float> smooth, const RowFormat& photo);

  /// The first time: learns the mean colour of the photo at every pixel of the map.
  void learn(Bytes rows);

  /// The second time: makes the same rows of the result.
  void make(Bytes rows);

  /// Returns what has been made.
  Image<float> result() && { return std::move(result_); }

 private:
  /// One sample of every pixel of the map, repeated beyond its edges as far as 4 x 4 pixels reach.
  struct Plane {
    Plane() = default;
    Plane(std::int64_t width, std::int64_t height);
    const float* at(std::int64_t x, std::int64_t y) const {
      return samples.view().row(y + kReach) + x + kReach;
    }
    float* at(std::int64_t x, std::int64_t y) { return samples.view().row(y + kReach) + x + kReach; }
    void repeat_edges();

    Image<float> samples;
  };
  /// Position of a column or row of the photo in the map.
  struct Place {
    std::int32_t before;  ///< the last pixel of the map whose middle is not beyond it
    float weights[4];     ///< of the pixels before - 1 … before + 2, by their distance
  };
  /// Facts about the 4 x 4 pixels around a place.
  struct Cell {
    float jumps = 0;  ///< 0: bilinear, 1: along edges
    float middle = 0, scale = 0;
  };
  static constexpr int kReach = 2;
  using Color = std::array<float, 3>;

  static std::vector<Place> places(std::int64_t side, std::int64_t map_side);
  void find_bends();
  void finish_learning();
  Cell cell_at(std::int64_t x, std::int64_t y) const;
  float layered_depth(const Cell& cell, const Place& column, const Place& row, const Color& color) const;
  template <class T>
  void learn_rows(View<const T> rows);
  template <class T>
  void make_row(const T* photo, std::int64_t y);

  RowFormat photo_;
  std::int64_t width_, height_;  ///< of the map
  Plane depth_, bends_;
  std::array<Plane, 3> colors_;
  float range_ = 0;  ///< of the map, but for odd pixels
  std::vector<Place> columns_, rows_;
  std::vector<std::int64_t> ends_;  ///< of each column of the map in the photo
  Image<float> result_;
  std::int64_t learned_ = 0, made_ = 0;  ///< rows of the photo
};

}  // namespace scanlens
