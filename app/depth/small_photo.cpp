#include "app/depth/small_photo.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "filters/color.h"

namespace scanlens {
namespace {

template <class T>
std::uint32_t code_of(T sample) {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return sample;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return (sample * 255u + 32767u) / 65535u;
  else
    return sample > 0 ? static_cast<std::uint32_t>(std::lround(255 * linear_to_srgb(sample))) : 0;
}

/// Makes a smaller picture from rows as they come: every sample is the mean of what its area covers, in exact
/// whole numbers.
class Shrunk {
 public:
  Shrunk(const RowFormat& from, std::int64_t width, std::int64_t height)
      : from_(from), out_(width, height, 3), sums_(static_cast<std::size_t>(3 * width)) {}

  void take(Bytes rows) {
    switch (from_.sample_bytes) {
      case 1:
        return take_rows<std::uint8_t>(rows);
      case 2:
        return take_rows<std::uint16_t>(rows);
      default:
        return take_rows<float>(rows);
    }
  }

  Image<std::uint8_t> result() && { return std::move(out_); }

 private:
  static constexpr std::int64_t kRows = 64;  // made narrower at once, by all threads

  template <class T>
  void take_rows(Bytes bytes) {
    const T* const rows = reinterpret_cast<const T*>(bytes.data());
    const std::int64_t samples = from_.width * from_.channels;
    const std::int64_t count = static_cast<std::int64_t>(bytes.size() / from_.row_bytes());
    const std::int64_t row_sums = 3 * out_.width();
    std::vector<std::uint32_t> narrow(static_cast<std::size_t>(std::min(count, kRows) * row_sums));
    for (std::int64_t first = 0; first < count; first += kRows) {
      const std::int64_t end = std::min(count, first + kRows);
      tbb::parallel_for(first, end, [&](std::int64_t y) {
        narrow_row(rows + y * samples, narrow.data() + (y - first) * row_sums);
      });
      for (std::int64_t y = first; y < end; ++y) add_row(narrow.data() + (y - first) * row_sums);
    }
  }

  /// Sums over columns, weighed by their part in 1 / width of a pixel: from_.width in all.
  template <class T>
  void narrow_row(const T* row, std::uint32_t* sums) const {
    const std::int64_t width = out_.width();
    const int colours = from_.channels < 3 ? 1 : 3;
    std::int64_t x = 0, left = width;  // of pixel x, in parts
    for (std::int64_t i = 0; i < width; ++i) {
      std::uint32_t own[3] = {};
      for (std::int64_t need = from_.width; need > 0;) {
        const std::int64_t part = std::min(need, left);
        for (int c = 0; c < colours; ++c)
          own[c] += static_cast<std::uint32_t>(part) * code_of(row[x * from_.channels + c]);
        need -= part;
        left -= part;
        if (left == 0) {
          ++x;
          left = width;
        }
      }
      for (int c = 0; c < 3; ++c) sums[3 * i + c] = own[colours == 1 ? 0 : c];
    }
  }

  /// The next row of the photo, whose parts go to one row of the result or to two or more.
  void add_row(const std::uint32_t* narrow) {
    const std::int64_t height = out_.height();
    for (std::int64_t left = height; left > 0 && row_ < height;) {
      const std::int64_t part = std::min(left, from_.height - filled_);
      for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += static_cast<std::uint64_t>(part) * narrow[i];
      left -= part;
      filled_ += part;
      if (filled_ == from_.height) finish_row();
    }
  }

  void finish_row() {
    const auto area = static_cast<std::uint64_t>(from_.width * from_.height);
    std::uint8_t* const out = out_.view().row(row_++);
    for (std::size_t i = 0; i < sums_.size(); ++i)
      out[i] = static_cast<std::uint8_t>((sums_[i] + area / 2) / area);
    std::fill(sums_.begin(), sums_.end(), 0);
    filled_ = 0;
  }

  RowFormat from_;
  Image<std::uint8_t> out_;
  std::vector<std::uint64_t> sums_;  ///< of the row in work
  std::int64_t row_ = 0, filled_ = 0;
};

}  // namespace

Image<std::uint8_t> small_photo(const PhotoRows& photo, std::int64_t width, std::int64_t height) {
  Shrunk shrunk(photo.format, width, height);
  photo.read([&shrunk](Bytes rows) { shrunk.take(rows); });
  return std::move(shrunk).result();
}

}  // namespace scanlens
