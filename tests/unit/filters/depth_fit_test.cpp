// Depth maps brought to their photo: the same bits on every device and on any number of threads.
#include <tbb/global_control.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "filters/color.h"
#include "filters/depth/fill.h"
#include "filters/depth/fit.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

class DepthFit : public test::OnDevice {};

TEST(DepthFill, TakesTheFartherNeighbourAndWholeRowsFromTheNearest) {
  const float u = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> map = {u, u, u, u,  //
                            u, 3, u, u,  //
                            u, u, u, u,  //
                            u, u, u, u,  //
                            1, u, 2, u,  //
                            u, u, u, u};
  const std::vector<float> expected = {3, 3, 3, 3,  //
                                       3, 3, 3, 3,  //
                                       3, 3, 3, 3,  // one row from the row above, two from the row below
                                       1, 1, 2, 2,  //
                                       1, 1, 2, 2,  //
                                       1, 1, 2, 2};
  EXPECT_EQ(fill_unknown({map.data(), 4, 6}), 21);
  EXPECT_EQ(map, expected);

  std::vector<float> tie = {5, u, 7};
  EXPECT_EQ(fill_unknown({tie.data(), 1, 3}), 1);
  EXPECT_EQ(tie, (std::vector<float>{5, 5, 7})) << "the upper of two rows as near";

  std::vector<float> none = {u, u};
  EXPECT_EQ(fill_unknown({none.data(), 2, 1}), 2);
  EXPECT_TRUE(std::isnan(none[0]) && std::isnan(none[1]));

  std::vector<float> gap = {u, 1, 99, 2, u, 99};  // what lies beyond the row is not touched
  EXPECT_EQ(fill_unknown({gap.data(), 2, 2, 1, 3}), 2);
  EXPECT_EQ(gap, (std::vector<float>{1, 1, 99, 2, 2, 99}));
}

/// Bits of floats, so that zeros of both signs differ.
View<const std::uint32_t> bits_of(const Image<float>& image) {
  return image.view().as<const std::uint32_t>();
}

std::string words_of(const View<const float>& map, std::int64_t width, std::int64_t height, int channels,
                     std::size_t bytes) {
  return std::to_string(map.width) + " x " + std::to_string(map.height) + " to " + std::to_string(width) +
         " x " + std::to_string(height) + " x " + std::to_string(channels) + " of " + std::to_string(bytes) +
         " bytes";
}

/// Near things before a slope, with some noise and a few odd values.
Image<float> scene(std::int64_t width, std::int64_t height, std::int64_t size) {
  Image<float> map = test::random_image<float>(width, height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      float& value = map.view()(x, y);
      const bool odd = value > 0.995f, near = ((x + y / 3) / size + y / size) % 2 == 1;
      value = odd ? 3.f : (near ? 0.8f : 0.2f + 0.001f * static_cast<float>(x)) + 0.01f * value;
    }
  return map;
}

/// A photo whose edges lie near those of the scene, as codes.
Image<std::uint8_t> codes(std::int64_t width, std::int64_t height, int channels, double size) {
  Image<std::uint8_t> photo = test::random_image<std::uint8_t>(width, height, channels);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        std::uint8_t& code = photo.view()(x, y, c);
        const double along = static_cast<double>(x) + 1.5, down = static_cast<double>(y) - 0.7;
        const bool near =
            (static_cast<int>((along + down / 3) / size) + static_cast<int>(down / size)) % 2 == 1;
        code = static_cast<std::uint8_t>((near ? 40 : 180) + 20 * c + code % 16);
      }
  return photo;
}

template <class T>
Image<T> photo_of(const Image<std::uint8_t>& codes) {
  Image<T> photo(codes.width(), codes.height(), codes.channels());
  for (std::int64_t i = 0; i < codes.view().extent(); ++i) {
    const std::uint8_t code = codes.view().data[i];
    if constexpr (std::is_floating_point_v<T>)
      photo.view().data[i] = srgb_to_linear(static_cast<float>(code) / 255);
    else
      photo.view().data[i] = static_cast<T>(code * (std::numeric_limits<T>::max() / 255));
  }
  return photo;
}

struct Fitted {
  Image<float> enlarged, moved;
  ValueRange range;
  MovedJumps jumps;
};

/// Brings a map to a photo on a context's device.
template <class T>
Fitted fit(Context& context, const Image<float>& map, const Image<T>& photo, const std::string& what) {
  const test::GuardedArray<float> from(context, map.view());
  const test::GuardedArray<T> samples(context, photo.view());
  const test::GuardedArray<float> out(context, photo.width(), photo.height(), 3, 5);
  Fitted found;
  found.range = enlarge_along_edges<T>(context, from.view(), samples.view(), {0.1f, 0.9f}, out.view());
  found.enlarged = out.image(what);
  found.jumps = move_jumps<T>(context, out.view(), samples.view());
  found.moved = out.image(what);
  return found;
}

template <class T>
void expect_bits(Context& context, const Image<float>& map, const Image<std::uint8_t>& codes) {
  const Image<T> photo = photo_of<T>(codes);
  const std::string what = words_of(map.view(), photo.width(), photo.height(), photo.channels(), sizeof(T));
  Context cpu = Context::open("cpu");
  const Fitted found = fit(context, map, photo, what);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const Fitted expected = fit(cpu, map, photo, what);
  test::expect_equal(bits_of(found.enlarged), bits_of(expected.enlarged), what + " enlarged");
  test::expect_equal(bits_of(found.moved), bits_of(expected.moved), what + " moved");
  EXPECT_EQ(found.range.least, expected.range.least) << what;
  EXPECT_EQ(found.range.most, expected.range.most) << what;
  EXPECT_EQ(found.jumps.pixels, expected.jumps.pixels) << what;
  EXPECT_EQ(found.jumps.values.least, expected.jumps.values.least) << what;
  EXPECT_EQ(found.jumps.values.most, expected.jumps.values.most) << what;
}

void expect_bits_of_all(Context& context, const Image<float>& map, const Image<std::uint8_t>& codes) {
  expect_bits<std::uint8_t>(context, map, codes);
  expect_bits<std::uint16_t>(context, map, codes);
  expect_bits<float>(context, map, codes);
}

TEST_P(DepthFit, HasTheSameBitsForAnyShape) {
  const std::int64_t sides[] = {1, 2, 7, 31, 32, 33, 64, 97};
  int channels = 0;
  for (const std::int64_t width : sides)
    for (const std::int64_t height : sides) {
      channels = channels % 4 + 1;
      const Image<std::uint8_t> photo = codes(width, height, channels, 9);
      for (const auto& [across, down] : {std::pair{1, 1}, {3, 2}, {width, height}, {width, (height + 4) / 5}})
        if (across <= width && down <= height)
          expect_bits<std::uint8_t>(*context, scene(across, down, 5), photo);
    }
}

TEST_P(DepthFit, HasTheSameBitsForAnySamples) {
  for (const int channels : {1, 2, 3, 4}) {
    expect_bits_of_all(*context, scene(67, 41, 7), codes(199, 131, channels, 20.8));
    expect_bits_of_all(*context, scene(149, 113, 16), codes(149, 113, channels, 16));
  }
}

TEST_P(DepthFit, HasTheSameBitsForAPhoto) {
  const Image<float> map = scene(127, 96, 23);
  const Image<std::uint8_t> photo = codes(509, 383, 3, 92.2);
  expect_bits<std::uint8_t>(*context, map, photo);
  const Fitted found = fit(*context, map, photo, "photo");
  EXPECT_GT(found.jumps.pixels, 100);
  EXPECT_GE(found.range.least, 0.2f);
  EXPECT_EQ(found.range.most, 0.9f);
}

TEST_P(DepthFit, ReturnsTheRangeOfTheResult) {
  const Fitted found = fit(*context, scene(67, 41, 7), codes(199, 131, 3, 20.8), "range");
  for (const auto& [image, range] :
       {std::pair(&found.enlarged, found.range), {&found.moved, found.jumps.values}}) {
    const View<const float> view = std::as_const(*image).view();
    const auto [least, most] = std::minmax_element(view.data, view.data + view.extent());
    EXPECT_EQ(range.least, *least);
    EXPECT_EQ(range.most, *most);
  }
}

/// Moves the jumps of a map of the photo's size.
template <class T>
Image<float> moved(Context& context, const Image<float>& map, const Image<T>& photo) {
  const test::GuardedArray<float> out(context, map.view());
  const test::GuardedArray<T> samples(context, photo.view());
  EXPECT_GT(move_jumps<T>(context, out.view(), samples.view()).pixels, 0);
  return out.image();
}

TEST_P(DepthFit, MovesJumpsInTheLightOfCodesAsInThese) {
  const Image<std::uint8_t> photo = codes(149, 113, 3, 16);
  const Image<float> map = scene(149, 113, 16), expected = moved(*context, map, photo);
  test::expect_equal(bits_of(moved(*context, map, photo_of<float>(photo))), bits_of(expected), "light");
  test::expect_equal(bits_of(moved(*context, map, photo_of<std::uint16_t>(photo))), bits_of(expected),
                     "16 bits");
}

TEST_P(DepthFit, SmoothMapsStay) {
  Image<float> map(131, 97);
  for (std::int64_t y = 0; y < 97; ++y)
    for (std::int64_t x = 0; x < 131; ++x) map.view()(x, y) = static_cast<float>(x + 2 * y) / 400;
  const Image<std::uint8_t> photo = codes(131, 97, 3, 10);
  const test::GuardedArray<float> slope(*context, map.view());
  const test::GuardedArray<std::uint8_t> samples(*context, photo.view());
  EXPECT_EQ(move_jumps<std::uint8_t>(*context, slope.view(), samples.view()).pixels, 0);
  slope.check("slope");
}

TEST_P(DepthFit, EnlargesWithoutAPhoto) {
  const Image<float> map = scene(31, 17, 5);
  const test::GuardedArray<float> from(*context, map.view()), out(*context, 97, 64, 3, 5);
  Context cpu = Context::open("cpu");
  Image<float> expected(97, 64);
  const ValueRange range = enlarge(*context, from.view(), {0, 1}, out.view());
  const ValueRange wanted = enlarge(cpu, map.view(), {0, 1}, expected.view());
  test::expect_equal(bits_of(out.image()), bits_of(expected), "smooth");
  EXPECT_EQ(range.least, wanted.least);
  EXPECT_EQ(range.most, wanted.most);
}

TEST_P(DepthFit, RefusesOtherShapes) {
  Image<float> map(*context, 9, 7), out(*context, 8, 8);
  Image<std::uint8_t> photo(*context, 8, 9, 3);
  EXPECT_THROW(enlarge(*context, std::as_const(map).view(), {0, 1}, out.view()), Error);
  EXPECT_THROW(move_jumps<std::uint8_t>(*context, map.view(), photo.view()), Error);
  EXPECT_THROW(enlarge_along_edges<std::uint8_t>(*context, std::as_const(out).view(), photo.view(), {0, 1},
                                                 map.view()),
               Error);
}

SCANLENS_ON_EVERY_DEVICE(DepthFit);

}  // namespace
}  // namespace scanlens
