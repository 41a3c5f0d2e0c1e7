// Planes and RGB against H.273's formulas in double, one pixel at a time; and the promise of equal bits.
#include "filters/yuv.h"

#include <cmath>
#include <vector>

#include "core/error.h"
#include "tests/unit/support/instruction_sets.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

using namespace test;

template <class T>
struct Frame {
  Image<T> luma, blue, red;

  Frame(std::int64_t width, std::int64_t height, const YuvFormat& format)
      : luma(width, height),
        blue(format.chroma_width(width), format.chroma_height(height)),
        red(blue.width(), blue.height()) {}
  Frame(Context& context, const Frame& host)
      : luma(context, host.luma.width(), host.luma.height()),
        blue(context, host.blue.width(), host.blue.height()),
        red(context, host.blue.width(), host.blue.height()) {
    copy(context, host.luma.view(), luma.view());
    copy(context, host.blue.view(), blue.view());
    copy(context, host.red.view(), red.view());
  }

  YuvPlanes<T> planes() { return {luma.view(), blue.view(), red.view()}; }
  YuvPlanes<const T> planes() const { return {luma.view(), blue.view(), red.view()}; }
};

template <class T>
Frame<T> random_frame(std::int64_t width, std::int64_t height, const YuvFormat& format) {
  Frame<T> frame(width, height, format);
  for (const View<T>& plane : {frame.luma.view(), frame.blue.view(), frame.red.view()})
    for (std::int64_t i = 0; i < plane.extent(); ++i)
      plane.data[i] = static_cast<T>(generator()() % (1u << format.bits));
  return frame;
}

double cubic(double distance) {
  const double d = std::abs(distance);
  if (d < 1) return 1.4 * d * d * d - 2.4 * d * d + 1;
  return d < 2 ? -0.6 * (d * d * d - 5 * d * d + 8 * d - 4) : 0;
}

/// The mean of value(i), weighed by the cubic around `place`, `width` wide; beyond the ends they go on.
template <class Value>
double mean(double place, double width, std::int64_t count, const Value& value) {
  double sum = 0, weights = 0;
  for (auto i = std::llround(place - 2 * width) - 1; i <= std::llround(place + 2 * width) + 1; ++i) {
    const double weight = cubic((static_cast<double>(i) - place) / width);
    if (weight != 0) sum += weight * value(std::clamp<std::int64_t>(i, 0, count - 1));
    weights += weight;
  }
  return sum / weights;
}

/// The numbers of H.273 for a format.
struct Law {
  double zero, luma, middle, chroma, red, green, blue, most;

  explicit Law(const YuvFormat& format) {
    const double scale = std::pow(2, format.bits - 8);
    most = std::pow(2, format.bits) - 1;
    zero = format.full ? 0 : 16 * scale;
    luma = format.full ? most : 219 * scale;
    middle = 128 * scale;
    chroma = format.full ? most : 224 * scale;
    red = format.red, blue = format.blue, green = 1 - red - blue;
  }
};

template <class T>
double white() {
  return std::pow(2, 8 * sizeof(T)) - 1;
}

/// A code may be the one beside where the exact value lies between both.
template <class T>
void expect_nearest(T code, double value, double most, const std::string& what) {
  const double clipped = std::clamp(value, 0.0, most);
  ASSERT_LE(std::abs(static_cast<double>(code) - clipped), 0.52) << what;
}

template <class T>
void expect_rgb(const Frame<T>& frame, const YuvFormat& format, View<const T> rgb, const std::string& what) {
  const Law law(format);
  for (std::int64_t y = 0; y < rgb.height; ++y)
    for (std::int64_t x = 0; x < rgb.width; ++x) {
      const double across =
          format.across == 1 ? static_cast<double>(x) : (static_cast<double>(x) - format.left / 2.0) / 2;
      const double down =
          format.down == 1 ? static_cast<double>(y) : (static_cast<double>(y) - format.top / 2.0) / 2;
      const auto chroma = [&](View<const T> plane) {
        const double code = mean(across, 1, plane.width, [&](std::int64_t i) {
          return mean(down, 1, plane.height,
                      [&](std::int64_t j) { return static_cast<double>(plane(i, j)); });
        });
        return (code - law.middle) / law.chroma;
      };
      const double luma = (frame.luma.view()(x, y) - law.zero) / law.luma;
      const double blue = luma + 2 * (1 - law.blue) * chroma(frame.blue.view());
      const double red = luma + 2 * (1 - law.red) * chroma(frame.red.view());
      const double green = (luma - law.red * red - law.blue * blue) / law.green;
      const double colours[] = {red, green, blue};
      for (int c = 0; c < 3; ++c)
        expect_nearest(rgb(x, y, c), colours[c] * white<T>(), white<T>(),
                       what + " at " + std::to_string(x) + "," + std::to_string(y));
    }
}

template <class T>
void expect_planes(View<const T> rgb, const YuvFormat& format, const Frame<T>& frame,
                   const std::string& what) {
  const Law law(format);
  const auto luma = [&](std::int64_t x, std::int64_t y) {
    return (law.red * rgb(x, y, 0) + law.green * rgb(x, y, 1) + law.blue * rgb(x, y, 2)) / white<T>();
  };
  for (std::int64_t y = 0; y < rgb.height; ++y)
    for (std::int64_t x = 0; x < rgb.width; ++x)
      expect_nearest(frame.luma.view()(x, y), luma(x, y) * law.luma + law.zero, law.most, what);
  const auto check = [&](View<const T> plane, int colour, double share) {
    for (std::int64_t y = 0; y < plane.height; ++y)
      for (std::int64_t x = 0; x < plane.width; ++x) {
        const double across =
            format.across == 1 ? static_cast<double>(x) : 2. * static_cast<double>(x) + format.left / 2.0;
        const double down =
            format.down == 1 ? static_cast<double>(y) : 2. * static_cast<double>(y) + format.top / 2.0;
        const double value = mean(across, format.across, rgb.width, [&](std::int64_t i) {
          return mean(down, format.down, rgb.height, [&](std::int64_t j) {
            return (rgb(i, j, colour) / white<T>() - luma(i, j)) / (2 * (1 - share));
          });
        });
        expect_nearest(plane(x, y), value * law.chroma + law.middle, law.most,
                       what + " chroma at " + std::to_string(x) + "," + std::to_string(y));
      }
  };
  check(frame.blue.view(), 2, law.blue);
  check(frame.red.view(), 0, law.red);
}

struct Case {
  std::string name;
  YuvFormat format;
};

std::vector<Case> cases(int bits) {
  std::vector<Case> all;
  const auto add = [&](std::string name, YuvFormat format) {
    format.bits = bits;
    all.push_back({std::move(name), format});
  };
  for (int left = 0; left <= 2; ++left)
    for (int top = 0; top <= 2; ++top)
      add("4:2:0 at " + std::to_string(left) + "," + std::to_string(top),
          {.full = (left + top) % 2 == 1, .left = left, .top = top});
  add("4:2:2", {.down = 1});
  add("4:4:0", {.across = 1});
  add("4:4:4 of BT.2020", {.across = 1, .down = 1, .red = 0.2627, .blue = 0.0593});
  add("4:4:4 of BT.601, full", {.full = true, .across = 1, .down = 1, .red = 0.299, .blue = 0.114});
  return all;
}

class YuvTest : public OnDevice {
 protected:
  template <class T>
  Image<T> rgb_of(const Frame<T>& frame, const YuvFormat& format) {
    const Frame<T> device(*context, frame);
    Image<T> rgb(*context, frame.luma.width(), frame.luma.height(), 3);
    rgb_from_yuv(*context, device.planes(), format, rgb.view());
    return download(*context, std::move(rgb));
  }

  template <class T>
  Frame<T> planes_of(const Image<T>& rgb, const YuvFormat& format) {
    Image<T> on_device(*context, rgb.width(), rgb.height(), 3);
    copy(*context, rgb.view(), on_device.view());
    Frame<T> made(rgb.width(), rgb.height(), format);
    const Frame<T> host(*context, made);
    Frame<T> device(*context, host);
    yuv_from_rgb(*context, std::as_const(on_device).view(), format, device.planes());
    made.luma = download(*context, std::move(device.luma));
    made.blue = download(*context, std::move(device.blue));
    made.red = download(*context, std::move(device.red));
    return made;
  }

  template <class T>
  void expect_law(int bits) {
    for (const auto& [width, height] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 1}, {2, 1}, {1, 5}, {3, 2}, {33, 6}, {64, 70}, {1031, 9}})
      for (const Case& one : cases(bits)) {
        const std::string what = one.name + ", " + std::to_string(width) + " x " + std::to_string(height);
        const Frame<T> frame = random_frame<T>(width, height, one.format);
        const Image<T> rgb = rgb_of(frame, one.format);
        expect_rgb<T>(frame, one.format, rgb.view(), what);
        const Image<T> colours = random_image<T>(width, height, 3);
        expect_planes<T>(colours.view(), one.format, planes_of(colours, one.format), what);
        if (HasFatalFailure()) return;
      }
  }
};

TEST_P(YuvTest, EightBitsFollowTheLaw) {
  expect_law<std::uint8_t>(8);
}
TEST_P(YuvTest, TenBitsFollowTheLaw) {
  expect_law<std::uint16_t>(10);
}

TEST_P(YuvTest, EveryDeviceGivesTheSameBits) {
  Context cpu = Context::open("cpu");
  const auto expect_same = [&]<class T>(T, int bits) {
    const YuvFormat format{.bits = bits};
    const Frame<T> frame = random_frame<T>(1031, 77, format);
    const Image<T> colours = random_image<T>(1031, 77, 3);
    const Image<T> rgb = rgb_of(frame, format);
    const Frame<T> planes = planes_of(colours, format);
    for_every_instruction_set([&] {
      Image<T> here(1031, 77, 3);
      rgb_from_yuv(cpu, frame.planes(), format, here.view());
      expect_equal<T>(rgb.view(), here.view(), "rgb");
      Frame<T> made(1031, 77, format);
      yuv_from_rgb(cpu, colours.view(), format, made.planes());
      expect_equal<T>(planes.luma.view(), made.luma.view(), "luma");
      expect_equal<T>(planes.blue.view(), made.blue.view(), "blue");
      expect_equal<T>(planes.red.view(), made.red.view(), "red");
    });
  };
  expect_same(std::uint8_t{}, 8);
  expect_same(std::uint16_t{}, 10);
}

/// 16 bits of RGB keep all that 10 bits of YUV say, where no chroma is interpolated.
TEST_P(YuvTest, TenBitsComeBackFromRgb) {
  const YuvFormat format{.bits = 10, .across = 1, .down = 1};
  Frame<std::uint16_t> frame(64, 64, format);
  for (std::int64_t y = 0; y < 64; ++y)
    for (std::int64_t x = 0; x < 64; ++x) {
      frame.luma.view()(x, y) = static_cast<std::uint16_t>(300 + 6 * x);
      frame.blue.view()(x, y) = static_cast<std::uint16_t>(480 + y);
      frame.red.view()(x, y) = static_cast<std::uint16_t>(540 - y);
    }
  const Frame<std::uint16_t> back = planes_of(rgb_of(frame, format), format);
  expect_equal(back.luma.view(), std::as_const(frame.luma).view(), "luma");
  expect_equal(back.blue.view(), std::as_const(frame.blue).view(), "blue");
  expect_equal(back.red.view(), std::as_const(frame.red).view(), "red");
}

TEST(Yuv, RefusesPlanesThatDoNotFit) {
  Context cpu = Context::open("cpu");
  const YuvFormat format;
  Frame<std::uint8_t> frame(8, 8, format);
  Image<std::uint8_t> rgb(8, 8, 3), grey(8, 8, 1);
  EXPECT_THROW(rgb_from_yuv(cpu, std::as_const(frame).planes(), format, grey.view()), Error);
  EXPECT_THROW(rgb_from_yuv(cpu, std::as_const(frame).planes(), {.across = 1}, rgb.view()), Error);
  EXPECT_THROW(rgb_from_yuv(cpu, std::as_const(frame).planes(), {.bits = 10}, rgb.view()), Error);
  EXPECT_THROW(rgb_from_yuv(cpu, std::as_const(frame).planes(), {.left = 3}, rgb.view()), Error);
  EXPECT_THROW(rgb_from_yuv(cpu, std::as_const(frame).planes(), {.red = 1}, rgb.view()), Error);
  const YuvPlanes<std::uint8_t> onto{rgb.view().region(0, 0, 8, 8), frame.blue.view(), frame.red.view()};
  EXPECT_THROW(yuv_from_rgb(cpu, std::as_const(rgb).view(), format, onto), Error);
}

SCANLENS_ON_EVERY_DEVICE(YuvTest);

}  // namespace
}  // namespace scanlens
