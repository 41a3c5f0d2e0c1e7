#include "tests/bench/quality/side_by_side.h"

#include <algorithm>
#include <type_traits>

#include "filters/color.h"

namespace scanlens::bench {
namespace {

/// A part of a picture.
struct Part {
  std::int64_t x, y, width, height;
};

/// Returns the part of this size, on a grid of a quarter of it, in which two pictures differ the most.
Part worst_part(View<const float> a, View<const float> b, std::int64_t width, std::int64_t height) {
  const auto difference = [&](const Part& part) {
    double sum = 0;
    for (std::int64_t y = part.y; y < part.y + part.height; ++y)
      for (std::int64_t x = part.x; x < part.x + part.width; ++x)
        for (int c = 0; c < a.channels; ++c) sum += (a(x, y, c) - b(x, y, c)) * (a(x, y, c) - b(x, y, c));
    return sum;
  };
  Part worst{0, 0, width, height};
  double most = -1;
  for (std::int64_t y = 0; y + height <= a.height; y += std::max<std::int64_t>(height / 4, 1))
    for (std::int64_t x = 0; x + width <= a.width; x += std::max<std::int64_t>(width / 4, 1))
      if (const double sum = difference({x, y, width, height}); sum > most) {
        most = sum;
        worst = {x, y, width, height};
      }
  return worst;
}

/// Returns the same part of all pictures from left to right, white between them.
Image<std::uint8_t> row_of(const std::vector<View<const float>>& pictures, const Part& part) {
  constexpr std::int64_t kGap = 8;
  const auto count = static_cast<std::int64_t>(pictures.size());
  Image<std::uint8_t> row(count * part.width + (count - 1) * kGap, part.height, pictures[0].channels);
  const View<std::uint8_t> out = row.view();
  std::fill_n(out.data, out.extent(), std::uint8_t{255});
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t y = 0; y < part.height; ++y)
      for (std::int64_t x = 0; x < part.width; ++x)
        for (int c = 0; c < out.channels; ++c)
          out(i * (part.width + kGap) + x, y, c) = static_cast<std::uint8_t>(
              255 * pictures[static_cast<std::size_t>(i)](part.x + x, part.y + y, c) + 0.5f);
  return row;
}

}  // namespace

Image<float> codes_of(const Picture& picture) {
  return std::visit(
      []<class T>(const Image<T>& image) {
        Image<float> codes(image.width(), image.height(), image.channels());
        for (std::int64_t y = 0; y < image.height(); ++y)
          std::transform(image.view().row(y), image.view().row(y) + image.width() * image.channels(),
                         codes.view().row(y), [](T sample) {
                           if constexpr (std::is_floating_point_v<T>) return linear_to_srgb(sample);
                           return static_cast<float>(sample) / static_cast<float>(static_cast<T>(-1));
                         });
        return codes;
      },
      picture.samples);
}

void write_side_by_side(const std::filesystem::path& folder, const std::string& name, View<const float> truth,
                        const std::vector<Image<float>>& pictures) {
  std::vector<View<const float>> views{truth};
  for (const Image<float>& picture : pictures) views.push_back(picture.view());
  const Part detail = worst_part(views[1], truth, std::max<std::int64_t>(truth.width / 3, 1),
                                 std::max<std::int64_t>(truth.height / 3, 1));
  write_picture(folder / (name + ".png"), {row_of(views, {0, 0, truth.width, truth.height})});
  write_picture(folder / (name + "_detail.png"), {row_of(views, detail)});
}

}  // namespace scanlens::bench
