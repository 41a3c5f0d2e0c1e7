#include "app/depth/edges.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/photo_tones.h"

namespace scanlens {
namespace {

constexpr int kSide = 4;  // of the pixels around a place

/// Standard deviation of the weights of distance, in pixels of the map.
constexpr double kNear = 0.6;
/// The distance of colours that count a quarter, of 1 from black to white in each of red, green and blue.
constexpr float kAlike = 0.1f;
/// The shares of the map's range below which a bend is no jump, and from which it is fully one.
constexpr float kNoJump = 0.01f, kFullJump = 0.03f;

/// The first of `side` pixels whose middle lies in pixel i of a map of `map_side`, or beyond it.
std::int64_t first_inside(std::int64_t i, std::int64_t side, std::int64_t map_side) {
  return (2 * side * i + map_side - 1) / (2 * map_side);
}

/// The pixel of the map that the middle of pixel i lies in.
std::int64_t pixel_around(std::int64_t i, std::int64_t side, std::int64_t map_side) {
  return (2 * i + 1) * map_side / (2 * side);
}

}  // namespace

EdgeUpsampling::Plane::Plane(std::int64_t width, std::int64_t height)
    : samples(width + 2 * kReach, height + 2 * kReach) {
  std::fill_n(samples.view().data, samples.view().extent(), 0.f);
}

void EdgeUpsampling::Plane::repeat_edges() {
  const std::int64_t width = samples.width() - 2 * kReach, height = samples.height() - 2 * kReach;
  for (std::int64_t y = 0; y < height; ++y) {
    std::fill_n(at(-kReach, y), kReach, *at(0, y));
    std::fill_n(at(width, y), kReach, *at(width - 1, y));
  }
  for (int beyond = 1; beyond <= kReach; ++beyond) {
    std::copy_n(at(-kReach, 0), samples.width(), at(-kReach, -beyond));
    std::copy_n(at(-kReach, height - 1), samples.width(), at(-kReach, height - 1 + beyond));
  }
}

EdgeUpsampling::EdgeUpsampling(Image<float> map, Image<float> smooth, const RowFormat& photo)
    : photo_(photo),
      width_(map.width()),
      height_(map.height()),
      range_(range_of(std::as_const(map).view())),
      columns_(places(photo.width, width_)),
      rows_(places(photo.height, height_)),
      result_(std::move(smooth)) {
  depth_ = Plane(width_, height_);
  for (std::int64_t y = 0; y < height_; ++y) std::copy_n(map.view().row(y), width_, depth_.at(0, y));
  depth_.repeat_edges();
  map = {};
  bends_ = Plane(width_, height_);
  find_bends();
  for (Plane& plane : colors_) plane = Plane(width_, height_);
  for (std::int64_t u = 0; u < width_; ++u) ends_.push_back(first_inside(u + 1, photo.width, width_));
}

std::vector<EdgeUpsampling::Place> EdgeUpsampling::places(std::int64_t side, std::int64_t map_side) {
  std::vector<Place> all(static_cast<std::size_t>(side));
  const double step = static_cast<double>(map_side) / static_cast<double>(side);
  for (std::int64_t i = 0; i < side; ++i) {
    const double at = (static_cast<double>(i) + 0.5) * step - 0.5, before = std::floor(at);
    Place& place = all[static_cast<std::size_t>(i)];
    place.before = static_cast<std::int32_t>(before);
    for (int k = 0; k < kSide; ++k) {
      const double away = before + k - 1 - at;
      place.weights[k] = static_cast<float>(std::exp(-away * away / (2 * kNear * kNear)));
    }
  }
  return all;
}

/// Distance of each pixel of the map from the middle between its neighbours, along its row or its column: 0
/// on a slope, however steep.
void EdgeUpsampling::find_bends() {
  const auto bend = [](float before, float here, float after) {
    return std::abs((before - here) + (after - here));
  };
  for_rows(0, height_, [&](std::int64_t y) {
    const float* const row = std::as_const(depth_).at(0, y);
    for (std::int64_t x = 0; x < width_; ++x) {
      const float along = x > 0 && x + 1 < width_ ? bend(row[x - 1], row[x], row[x + 1]) : 0.f;
      const float down =
          y > 0 && y + 1 < height_ ? bend(*depth_.at(x, y - 1), row[x], *depth_.at(x, y + 1)) : 0.f;
      *bends_.at(x, y) = std::max(along, down);
    }
  });
  bends_.repeat_edges();
}

void EdgeUpsampling::learn(Bytes rows) {
  with_samples(rows, photo_, [&](const auto& samples) { learn_rows(samples); });
  if (learned_ == photo_.height) finish_learning();
}

/// Adds each pixel to the pixel of the map that its middle lies in, in the order of the photo's rows.
template <class T>
void EdgeUpsampling::learn_rows(View<const T> rows) {
  const std::int64_t learned = learned_ + rows.height;
  const auto map_row = [&](std::int64_t y) { return pixel_around(y, photo_.height, height_); };
  for_rows(map_row(learned_), map_row(learned - 1) + 1, [&](std::int64_t v) {
    const std::int64_t first = std::max(learned_, first_inside(v, photo_.height, height_));
    const std::int64_t last = std::min(learned, first_inside(v + 1, photo_.height, height_));
    for (std::int64_t y = first; y < last; ++y) {
      const T* pixel = rows.row(y - learned_);
      for (std::int64_t u = 0, x = 0; u < width_; ++u) {
        Color sum = {*colors_[0].at(u, v), *colors_[1].at(u, v), *colors_[2].at(u, v)};
        for (const std::int64_t end = ends_[static_cast<std::size_t>(u)]; x < end; ++x) {
          const Color color = color_of(pixel, photo_.channels);
          for (std::size_t c = 0; c < 3; ++c) sum[c] += color[c];
          pixel += photo_.channels;
        }
        for (std::size_t c = 0; c < 3; ++c) *colors_[c].at(u, v) = sum[c];
      }
    }
  });
  learned_ = learned;
}

/// Makes means of the sums.
void EdgeUpsampling::finish_learning() {
  const auto count = [](std::int64_t i, std::int64_t side, std::int64_t map_side) {
    return first_inside(i + 1, side, map_side) - first_inside(i, side, map_side);
  };
  for (Plane& plane : colors_) {
    for_rows(0, height_, [&](std::int64_t v) {
      const std::int64_t high = count(v, photo_.height, height_);
      for (std::int64_t u = 0; u < width_; ++u)
        *plane.at(u, v) /= static_cast<float>(high * count(u, photo_.width, width_));
    });
    plane.repeat_edges();
  }
}

void EdgeUpsampling::make(Bytes rows) {
  with_samples(rows, photo_, [&]<class T>(View<const T> samples) {
    for_rows(0, samples.height, [&](std::int64_t y) { make_row(samples.row(y), made_ + y); });
    made_ += samples.height;
  });
}

template <class T>
void EdgeUpsampling::make_row(const T* photo, std::int64_t y) {
  const Place& row = rows_[static_cast<std::size_t>(y)];
  float* const result = result_.view().row(y);
  Cell cell;
  std::int32_t last = columns_[0].before - 1;
  for (std::size_t x = 0; x < columns_.size(); ++x) {
    const Place& column = columns_[x];
    if (column.before != last) cell = cell_at(last = column.before, row.before);
    if (cell.jumps <= 0) continue;
    const Color color = color_of(photo + static_cast<std::int64_t>(x) * photo_.channels, photo_.channels);
    result[x] += cell.jumps * (layered_depth(cell, column, row, color) - result[x]);
  }
}

/// Looks at the 4 x 4 pixels whose second is (x, y). Both the bends and the values have to differ, since a
/// bend may come from beyond the 4 x 4.
EdgeUpsampling::Cell EdgeUpsampling::cell_at(std::int64_t x, std::int64_t y) const {
  Four least = four_at(depth_.at(x - 1, y - 1)), most = least, bend = four_at(bends_.at(x - 1, y - 1));
  for (int j = 0; j < kSide; ++j) {
    const Four values = four_at(depth_.at(x - 1, y - 1 + j)), bends = four_at(bends_.at(x - 1, y - 1 + j));
    least = values < least ? values : least;
    most = values > most ? values : most;
    bend = bends > bend ? bends : bend;
  }
  const float low = std::min({least[0], least[1], least[2], least[3]});
  const float high = std::max({most[0], most[1], most[2], most[3]});
  const float jump = std::min(high - low, std::max({bend[0], bend[1], bend[2], bend[3]}));
  constexpr float kLeastRange = 1e-30f;  // whose reciprocals are no infinities
  if (range_ < kLeastRange || jump <= kNoJump * range_) return {};
  const float share = (jump / range_ - kNoJump) / (kFullJump - kNoJump);
  return {std::min(share, 1.f), low + (high - low) / 2, 2 / (high - low)};
}

float EdgeUpsampling::layered_depth(const Cell& cell, const Place& column, const Place& row,
                                    const Color& color) const {
  // Sums of weights, and of distances from the middle by weight, of the nearer and the farther layer.
  // Distances go from -1 to 1.
  Four near_weight = {}, near_sum = {}, far_weight = {}, far_sum = {};
  const Four across = four_at(column.weights), none = {};
  for (int j = 0; j < kSide; ++j) {
    const std::int64_t x = column.before - 1, y = row.before - 1 + j;
    Four unlike = none;
    for (std::size_t c = 0; c < 3; ++c) {
      const Four apart = four_at(colors_[c].at(x, y)) - color[c];
      unlike += apart * apart;
    }
    unlike = 1 + unlike * (1 / (kAlike * kAlike));
    const Four over = (four_at(depth_.at(x, y)) - cell.middle) * cell.scale;
    const Four weight = across * row.weights[j] / (unlike * unlike) * over;
    const Four nearer = over > 0 ? weight : none, farther = nearer - weight;
    near_weight += nearer;
    near_sum += nearer * over;
    far_weight += farther;
    far_sum += farther * over;
  }
  const float near = sum_of(near_weight), far = sum_of(far_weight);
  const float share = near * near / (near * near + far * far);
  const float place = share * (sum_of(near_sum) / near) + (1 - share) * (sum_of(far_sum) / far);
  return cell.middle + place / cell.scale;
}

}  // namespace scanlens
