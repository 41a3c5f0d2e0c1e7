#include "filters/yuv.h"

#include <cmath>
#include <limits>

#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "filters/yuv/task.h"

namespace scanlens {
namespace {

/// The cubic between samples, 1 apart, at this distance from one.
double cubic(double distance) {
  constexpr double a = -0.6;
  const double d = std::abs(distance);
  if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? a * (((d - 5) * d + 8) * d - 4) : 0;
}

template <int kTaps, class Distance>
void weigh(float (&weights)[kTaps], const Distance& distance) {
  double sum = 0;
  for (int i = 0; i < kTaps; ++i) sum += cubic(distance(i));
  for (int i = 0; i < kTaps; ++i) weights[i] = static_cast<float>(cubic(distance(i)) / sum);
}

/// `begin`: halves of a pixel from the first pixel to the first sample.
YuvWay way_of(int step, int begin) {
  YuvWay way{step, {{1}, {1}}, {1}};
  if (step == 1) return way;
  const double first = begin / 2.0;
  for (int odd = 0; odd < 2; ++odd)
    weigh(way.up[odd], [&](int i) { return (odd - first) / 2 - (odd - 2 + i); });
  weigh(way.down, [&](int i) { return (i - kDownBefore - first) / 2; });
  return way;
}

YuvCodes codes_of(const YuvFormat& format, int rgb_bits) {
  const double per_step = std::ldexp(1, format.bits - 8), most = std::ldexp(1, format.bits) - 1;
  const double luma = format.full ? most : 219 * per_step, chroma = format.full ? most : 224 * per_step;
  const double rgb = std::ldexp(1, rgb_bits) - 1, green = 1 - format.red - format.blue;
  const double of_blue = 2 * (1 - format.blue), of_red = 2 * (1 - format.red);  // RGB of chroma's -0.5 .. 0.5
  YuvCodes codes = {};
  codes.zero = static_cast<float>(format.full ? 0 : 16 * per_step);
  codes.middle = static_cast<float>(128 * per_step);
  codes.most = static_cast<float>(most);
  codes.most_rgb = static_cast<float>(rgb);
  codes.per_luma = static_cast<float>(rgb / luma);
  codes.red_per_red = static_cast<float>(rgb / chroma * of_red);
  codes.green_per_blue = static_cast<float>(rgb / chroma * of_blue * format.blue / green);
  codes.green_per_red = static_cast<float>(rgb / chroma * of_red * format.red / green);
  codes.blue_per_blue = static_cast<float>(rgb / chroma * of_blue);
  const double shares[] = {format.red, green, format.blue};
  for (int c = 0; c < 3; ++c) {
    codes.luma_of[c] = static_cast<float>(shares[c] * luma / rgb);
    codes.blue_of[c] = static_cast<float>(((c == 2 ? 1 : 0) - shares[c]) / of_blue * chroma / rgb);
    codes.red_of[c] = static_cast<float>(((c == 0 ? 1 : 0) - shares[c]) / of_red * chroma / rgb);
  }
  return codes;
}

template <class T>
void require_plane(const View<T>& plane, std::int64_t width, std::int64_t height, const char* call,
                   const char* name) {
  require_valid(plane, call, name);
  SCANLENS_REQUIRE(
      plane.width == width && plane.height == height && plane.channels == 1,
      fmt::format("{}: the plane `{}` is {}, not {} x {} x 1", call, name, shape(plane), width, height));
}

void require_in_range(const YuvFormat& format, std::size_t sample_bytes, const char* call) {
  const auto halves = [](int pixels) { return pixels == 1 || pixels == 2; };
  const auto lies = [](int value, int most) { return value >= 0 && value <= most; };
  SCANLENS_REQUIRE(
      halves(format.across) && halves(format.down) && lies(format.left, 2) && lies(format.top, 2),
      fmt::format("{}: chroma of {} x {} pixels at {}, {} halves is not supported", call, format.across,
                  format.down, format.left, format.top));
  SCANLENS_REQUIRE(
      sample_bytes == 1 ? format.bits == 8 : format.bits > 8 && format.bits <= 16,
      fmt::format("{}: {} bits do not fit samples of {} bytes", call, format.bits, sample_bytes));
  SCANLENS_REQUIRE(
      format.red > 0 && format.blue > 0 && format.red + format.blue < 1,
      fmt::format("{}: luma cannot have {} of red and {} of blue", call, format.red, format.blue));
}

template <class Planes, class Pixels>
YuvTask<Planes, Pixels> checked(const YuvPlanes<Planes>& planes, const View<Pixels>& rgb,
                                const YuvFormat& format, const char* call) {
  require_valid(rgb, call, "rgb");
  SCANLENS_REQUIRE(rgb.channels == 3, fmt::format("{}: `rgb` has {} channels, not 3", call, rgb.channels));
  require_in_range(format, sizeof(Pixels), call);
  require_plane(planes.luma, rgb.width, rgb.height, call, "luma");
  const std::int64_t width = format.chroma_width(rgb.width), height = format.chroma_height(rgb.height);
  require_plane(planes.blue, width, height, call, "blue");
  require_plane(planes.red, width, height, call, "red");
  for (const View<Planes>* plane : {&planes.luma, &planes.blue, &planes.red})
    SCANLENS_REQUIRE(!overlap(*plane, rgb), fmt::format("{}: a plane and `rgb` overlap", call));
  return {planes, rgb, way_of(format.across, format.left), way_of(format.down, format.top),
          codes_of(format, 8 * static_cast<int>(sizeof(Pixels)))};
}

}  // namespace

template <class T>
void rgb_from_yuv(Context& context, const YuvPlanes<const T>& planes, const YuvFormat& format, View<T> rgb) {
  const RgbFromYuv<T> task = checked(planes, rgb, format, "rgb_from_yuv");
  if (!rgb.empty()) SCANLENS_DISPATCH(context, rgb_from_yuv, task);
}

template <class T>
void yuv_from_rgb(Context& context, View<const T> rgb, const YuvFormat& format, const YuvPlanes<T>& planes) {
  const YuvFromRgb<T> task = checked(planes, rgb, format, "yuv_from_rgb");
  if (!rgb.empty()) SCANLENS_DISPATCH(context, yuv_from_rgb, task);
}

#define SCANLENS_INSTANTIATE(T)                                                               \
  template void rgb_from_yuv(Context&, const YuvPlanes<const T>&, const YuvFormat&, View<T>); \
  template void yuv_from_rgb(Context&, View<const T>, const YuvFormat&, const YuvPlanes<T>&);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
