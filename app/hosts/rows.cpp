#include "app/hosts/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/cpu/pieces.h"
#include "core/half.h"
#include "filters/color.h"

namespace scanlens::hosts {
namespace {

constexpr int kAlpha = 3;

/// Calls `work` with a value of the samples' type.
template <class Work>
void with_sample(Sample sample, const Work& work) {
  switch (sample) {
    case Sample::u8:
      return work(std::uint8_t{});
    case Sample::u16:
      return work(std::uint16_t{});
    case Sample::f16:
      return work(Half{});
    case Sample::f32:
      return work(float{});
  }
}

template <class T>
constexpr float kFull = 1;
template <std::integral T>
constexpr float kFull<T> = std::numeric_limits<T>::max();

/// Converts between samples: codes of the same type stay what they are, others go through 0 .. 1.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_same_v<To, From>) return value;
  const float share = static_cast<float>(value) / kFull<From>;
  if constexpr (std::is_integral_v<To>)
    return static_cast<To>(std::lround(std::clamp(share, 0.0f, 1.0f) * kFull<To>));
  else
    return static_cast<To>(share);
}

/// The code of light, which sRGB's curve goes on for beyond white, and in a line below black.
float code_of(float light) {
  constexpr float kDark = 0.001f, kMiddle = 0.5f, kPower = 2.4f;
  if (light < 0) return light * (linear_to_srgb(kDark) / kDark);
  if (light <= 1) return linear_to_srgb(light);
  // The root of light is linear in codes; white and a middle grey give the line.
  static const float kSlope = (1 - std::pow(srgb_to_linear(kMiddle), 1 / kPower)) / (1 - kMiddle);
  return 1 + (std::pow(light, 1 / kPower) - 1) / kSlope;
}

/// A pixel as it is blurred.
template <class T>
using Pixel = std::array<T, 4>;

template <class T>
void unmultiply(Pixel<T>& pixel) {
  const auto alpha = static_cast<float>(pixel[kAlpha]);
  for (int c = 0; c < kAlpha; ++c) {
    const float whole = alpha > 0 ? static_cast<float>(pixel[c]) * kFull<T> / alpha : 0;
    pixel[c] = std::is_integral_v<T> ? static_cast<T>(std::lround(std::min(whole, kFull<T>)))
                                     : static_cast<T>(whole);
  }
}

template <class T>
void multiply(Pixel<T>& pixel) {
  const float alpha = static_cast<float>(pixel[kAlpha]) / kFull<T>;
  for (int c = 0; c < kAlpha; ++c) {
    const float part = static_cast<float>(pixel[c]) * alpha;
    pixel[c] = std::is_integral_v<T> ? static_cast<T>(std::lround(part)) : static_cast<T>(part);
  }
}

template <class S>
S* row_of(const Rows& rows, std::int64_t y) {
  return reinterpret_cast<S*>(rows.top + y * rows.step);
}

/// Reads sample `index` of a row, which may lie at any address.
template <class S>
S sample_at(const S* row, std::int64_t index) {
  S value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(row) + index * std::int64_t{sizeof(S)}, sizeof(S));
  return value;
}

template <class S>
void put_sample(S* row, std::int64_t index, S value) {
  std::memcpy(reinterpret_cast<std::byte*>(row) + index * std::int64_t{sizeof(S)}, &value, sizeof(S));
}

float value_of(const std::array<float, 4>& pixel, Channel channel) {
  if (channel != Channel::luminance) return pixel[static_cast<std::size_t>(channel)];
  return 0.2126f * pixel[0] + 0.7152f * pixel[1] + 0.0722f * pixel[2];
}

}  // namespace

template <class T>
Image<T> picture_from(const Rows& rows, Light light) {
  Image<T> picture(rows.width, rows.height, rows.channels);
  const View<T> to = picture.view();
  with_sample(rows.sample, [&]<class S>(S) {
    cpu::for_each_task(rows.height, [&](std::int64_t y) {
      const S* from = row_of<S>(rows, y);
      for (std::int64_t x = 0; x < rows.width; ++x) {
        Pixel<T> pixel{};
        for (int c = 0; c < rows.channels; ++c)
          pixel[c] = converted<T>(sample_at(from, x * rows.channels + c));
        if (rows.premultiplied && rows.channels > kAlpha) unmultiply(pixel);
        for (int c = 0; c < rows.channels; ++c) {
          if constexpr (std::is_same_v<T, float>)
            if (light == Light::codes && c < kAlpha) pixel[c] = srgb_to_linear(pixel[c]);
          to(x, y, c) = pixel[c];
        }
      }
    });
  });
  return picture;
}

Image<float> map_from(const Rows& rows, Channel channel, std::int64_t x, std::int64_t y, std::int64_t width,
                      std::int64_t height) {
  Image<float> map(width, height);
  const View<float> to = map.view();
  with_sample(rows.sample, [&]<class S>(S) {
    cpu::for_each_task(height, [&](std::int64_t row) {
      const S* from = row_of<S>(rows, std::clamp<std::int64_t>(y + row, 0, rows.height - 1));
      for (std::int64_t column = 0; column < width; ++column) {
        const std::int64_t at = std::clamp<std::int64_t>(x + column, 0, rows.width - 1) * rows.channels;
        std::array<float, 4> pixel{0, 0, 0, 1};
        for (int c = 0; c < rows.channels; ++c) pixel[c] = converted<float>(sample_at(from, at + c));
        to(column, row) = rows.channels == 1 ? pixel[0] : value_of(pixel, channel);
      }
    });
  });
  return map;
}

template <class T>
void picture_to(View<const T> picture, Light light, std::int64_t x, std::int64_t y, const Rows& rows) {
  with_sample(rows.sample, [&]<class S>(S) {
    cpu::for_each_task(rows.height, [&](std::int64_t row) {
      S* to = row_of<S>(rows, row);
      for (std::int64_t column = 0; column < rows.width; ++column) {
        const std::int64_t at_x = x + column, at_y = y + row;
        const bool is_inside = at_x >= 0 && at_y >= 0 && at_x < picture.width && at_y < picture.height;
        Pixel<T> pixel{};
        if (is_inside) {
          pixel[kAlpha] = static_cast<T>(kFull<T>);
          for (int c = 0; c < picture.channels; ++c) {
            pixel[c] = picture(at_x, at_y, c);
            if constexpr (std::is_same_v<T, float>)
              if (light == Light::codes && c < kAlpha) pixel[c] = code_of(pixel[c]);
          }
          if (rows.premultiplied && rows.channels > kAlpha) multiply(pixel);
        }
        for (int c = 0; c < rows.channels; ++c)
          put_sample(to, column * rows.channels + c, converted<S>(pixel[c]));
      }
    });
  });
}

template Image<std::uint8_t> picture_from(const Rows&, Light);
template Image<std::uint16_t> picture_from(const Rows&, Light);
template Image<float> picture_from(const Rows&, Light);
template void picture_to(View<const std::uint8_t>, Light, std::int64_t, std::int64_t, const Rows&);
template void picture_to(View<const std::uint16_t>, Light, std::int64_t, std::int64_t, const Rows&);
template void picture_to(View<const float>, Light, std::int64_t, std::int64_t, const Rows&);

}  // namespace scanlens::hosts
