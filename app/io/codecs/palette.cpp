#include "app/io/codecs/palette.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <unordered_map>

namespace scanlens {
namespace {

using Colour = std::array<std::uint8_t, 3>;

constexpr std::size_t kMostColours = 256;

bool covers(const std::uint8_t* pixel, int channels) {
  return channels < 4 || pixel[3] >= 128;
}

Colour colour_of(const std::uint8_t* pixel, int channels) {
  return channels == 1 ? Colour{pixel[0], pixel[0], pixel[0]} : Colour{pixel[0], pixel[1], pixel[2]};
}

std::uint32_t number_of(const Colour& colour) {
  return colour[0] | std::uint32_t{colour[1]} << 8 | std::uint32_t{colour[2]} << 16;
}

/// Returns the indices of the picture's own colours; nothing where they are more than `most`.
bool take_own_colours(View<const std::uint8_t> image, std::size_t most, Paletted& made) {
  std::unordered_map<std::uint32_t, std::uint8_t> known;
  std::uint32_t last = UINT32_MAX;
  std::uint8_t last_index = 0;
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      const std::uint8_t* const pixel = &image(x, y);
      if (!covers(pixel, image.channels)) continue;
      const Colour colour = colour_of(pixel, image.channels);
      if (const std::uint32_t number = number_of(colour); number != last) {
        const auto [at, is_new] = known.try_emplace(number, static_cast<std::uint8_t>(made.colours.size()));
        if (is_new && made.colours.size() == most) {
          made.colours.clear();
          return false;
        }
        if (is_new) made.colours.push_back(colour);
        last = number;
        last_index = at->second;
      }
      made.indices.view()(x, y) = last_index;
    }
  return true;
}

/// Colours that share their first bits: their sum and their number.
struct Bin {
  double sum[3] = {};
  double count = 0;
  double mean(std::size_t c) const { return sum[c] / count; }
};

/// A part of the colours, and the squared error that one colour for all of it leaves.
struct Part {
  explicit Part(std::span<Bin> all) : bins(all) {
    double squares[3] = {};
    for (const Bin& bin : bins) {
      count += bin.count;
      for (std::size_t c = 0; c < 3; ++c) {
        sum[c] += bin.sum[c];
        squares[c] += bin.sum[c] * bin.mean(c);
      }
    }
    for (std::size_t c = 0; c < 3; ++c) {
      const double own = squares[c] - sum[c] * sum[c] / count;
      error += own;
      if (own > worst) worst = own, axis = c;
    }
  }

  std::span<Bin> bins;
  double sum[3] = {}, count = 0, error = 0, worst = 0;
  std::size_t axis = 0;
};

std::vector<Colour> chosen_colours(View<const std::uint8_t> image, std::size_t most) {
  std::vector<Bin> bins(32 * 64 * 32);
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      const std::uint8_t* const pixel = &image(x, y);
      if (!covers(pixel, image.channels)) continue;
      const Colour colour = colour_of(pixel, image.channels);
      Bin& bin = bins[static_cast<std::size_t>(colour[0] >> 3 << 11 | colour[1] >> 2 << 5 | colour[2] >> 3)];
      for (std::size_t c = 0; c < 3; ++c) bin.sum[c] += colour[c];
      ++bin.count;
    }
  std::erase_if(bins, [](const Bin& bin) { return bin.count == 0; });
  std::vector<Part> parts = {Part(bins)};
  while (parts.size() < most) {
    const auto worst = std::max_element(parts.begin(), parts.end(),
                                        [](const Part& a, const Part& b) { return a.error < b.error; });
    if (worst->bins.size() < 2 || !(worst->worst > 0)) break;
    const Part part = *worst;
    const double middle = part.sum[part.axis] / part.count;
    const auto end = std::partition(part.bins.begin(), part.bins.end(),
                                    [&](const Bin& bin) { return bin.mean(part.axis) < middle; });
    const auto first = static_cast<std::size_t>(end - part.bins.begin());
    if (first == 0 || first == part.bins.size()) break;
    *worst = Part(part.bins.first(first));
    parts.emplace_back(part.bins.subspan(first));
  }
  std::vector<Colour> colours;
  for (const Part& part : parts) {
    Colour& colour = colours.emplace_back();
    for (std::size_t c = 0; c < 3; ++c) colour[c] = static_cast<std::uint8_t>(part.sum[c] / part.count + 0.5);
  }
  return colours;
}

/// Finds the nearest colour of a palette; colours that share their first bits have the same.
class Nearest {
 public:
  explicit Nearest(const std::vector<Colour>& colours) : colours_(colours) {}

  std::uint8_t operator()(const int (&at)[3]) {
    std::int16_t& known = known_[static_cast<std::size_t>(at[0] >> 2 << 12 | at[1] >> 2 << 6 | at[2] >> 2)];
    if (known < 0) known = find(at);
    return static_cast<std::uint8_t>(known);
  }

 private:
  std::int16_t find(const int (&at)[3]) const {
    int least = INT32_MAX;
    std::size_t best = 0;
    for (std::size_t i = 0; i < colours_.size(); ++i) {
      int distance = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const int off = (at[c] & ~3) + 2 - colours_[i][c];
        distance += off * off;
      }
      if (distance < least) least = distance, best = i;
    }
    return static_cast<std::int16_t>(best);
  }

  const std::vector<Colour>& colours_;
  std::vector<std::int16_t> known_ = std::vector<std::int16_t>(std::size_t{1} << 18, std::int16_t{-1});
};

/// Draws the picture in the palette's colours. A pixel's error goes to those that follow, in 16ths.
void draw_in_dots(View<const std::uint8_t> image, Paletted& made) {
  Nearest nearest(made.colours);
  const auto width = static_cast<std::size_t>(image.width);
  std::vector<std::array<int, 3>> here(width + 2), next(width + 2);
  for (std::int64_t y = 0; y < image.height; ++y) {
    std::fill(next.begin(), next.end(), std::array<int, 3>{});
    for (std::size_t x = 0; x < width; ++x) {
      const std::uint8_t* const pixel = &image(static_cast<std::int64_t>(x), y);
      if (!covers(pixel, image.channels)) continue;
      const Colour colour = colour_of(pixel, image.channels);
      int wanted[3];
      for (std::size_t c = 0; c < 3; ++c) wanted[c] = std::clamp(colour[c] + here[x + 1][c] / 16, 0, 255);
      const std::uint8_t index = nearest(wanted);
      made.indices.view()(static_cast<std::int64_t>(x), y) = index;
      for (std::size_t c = 0; c < 3; ++c) {
        const int error = wanted[c] - made.colours[index][c];
        here[x + 2][c] += 7 * error;
        next[x][c] += 3 * error;
        next[x + 1][c] += 5 * error;
        next[x + 2][c] += error;
      }
    }
    std::swap(here, next);
  }
}

}  // namespace

Paletted paletted(View<const std::uint8_t> image) {
  Paletted made;
  made.indices = Image<std::uint8_t>(image.width, image.height);
  bool has_holes = false;
  for (std::int64_t y = 0; y < image.height && image.channels == 4; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) has_holes |= !covers(&image(x, y), 4);
  const std::size_t most = kMostColours - (has_holes ? 1 : 0);
  made.is_exact = take_own_colours(image, most, made);
  if (!made.is_exact) {
    made.colours = chosen_colours(image, most);
    draw_in_dots(image, made);
  }
  if (!has_holes) return made;
  made.transparent = static_cast<int>(made.colours.size());
  made.colours.push_back({0, 0, 0});
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x)
      if (!covers(&image(x, y), 4)) made.indices.view()(x, y) = static_cast<std::uint8_t>(made.transparent);
  return made;
}

}  // namespace scanlens
