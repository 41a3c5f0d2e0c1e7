// Colour profiles (ICC.1): what codes mean as light, and how to make a profile. Inside, littleCMS.
//
// Light is blurred in the primaries of the picture's own profile, so that a matrix never comes into it: a
// profile of curves (RGB with a matrix, or grey) is its tone curves. Profiles of tables (LUT) go by
// littleCMS's transform to linear light in wide primaries, and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/image.h"

namespace scanlens {

using ProfileBytes = std::vector<std::byte>;

/// CIE 1931 x and y of red, green, blue and white.
using Primaries = std::array<float, 8>;
inline constexpr Primaries kSrgbPrimaries = {0.64f, 0.33f, 0.30f, 0.60f, 0.15f, 0.06f, 0.3127f, 0.3290f};

/// True if they are sRGB's but for what writers round.
bool are_srgb_primaries(const Primaries& primaries);

/// The light of codes. The full code of PQ is 10000 cd/m2, that of HLG the most light of its scene.
enum class ToneCurve { linear, srgb, bt709, gamma22, gamma28, pq, hlg };

/// Makes the profile of an RGB device with these primaries. Its light is the curve of its codes, or the codes
/// to the power of `gamma`. Empty where the primaries make no colours.
ProfileBytes icc_from_chromaticities(const Primaries& primaries, ToneCurve curve);
ProfileBytes icc_from_chromaticities(const Primaries& primaries, double gamma);
ProfileBytes icc_of_grey(ToneCurve curve);
ProfileBytes icc_of_grey(double gamma);

/// Makes the profile of codes as ITU-T H.273 numbers them (nclx, cICP), of grey where there is one channel.
/// Empty where they are sRGB's or unspecified, and where a number is unknown here, which `known` then tells.
ProfileBytes icc_from_cicp(int primaries, int transfer, int channels, bool& known);

/// Returns what the cicp tag of a profile says, in the order of PNG's chunk cICP: primaries, transfer,
/// matrix, full range. Profiles made here for PQ and HLG have it.
std::optional<std::array<std::byte, 4>> cicp_tag(std::span<const std::byte> icc);

/// Makes of a profile one for `channels` channels. A profile of grey serves a picture of equal R, G and B. A
/// profile of one curve for red, green and blue serves a grey picture. Otherwise empty.
ProfileBytes icc_for_channels(std::span<const std::byte> icc, int channels);

/// True if this is a profile of grey.
bool is_grey(std::span<const std::byte> icc);

class Profile {
 public:
  /// Throws Error (a cause alone, no name) for what is no profile, or not one of pictures with `channels`
  /// channels.
  Profile(std::span<const std::byte> icc, int channels);
  ~Profile();
  Profile(Profile&&) noexcept;

  const std::string& name() const;  ///< "Display P3"

  /// True if codes are light by tone curves alone.
  bool has_curves() const;
  /// True if the curves are sRGB's, to less than a 65535th of white.
  bool has_srgb_curves() const;
  /// True if its primaries are sRGB's; those of grey are.
  bool has_srgb_primaries() const;
  bool is_srgb() const;  ///< both

  /// Returns the light of each 16-bit code, by colour: of grey one. Empty where there are no curves.
  const std::vector<std::vector<float>>& light_of_codes() const;

  /// Returns the light of diffuse white: 1 but for PQ and HLG, whose highlights are brighter.
  float white() const;

  /// As they are under the profile's own white. Those of sRGB where there are no curves, and of grey.
  Primaries primaries() const;

  /// Returns a profile of the same primaries with another curve.
  ProfileBytes with_curve(ToneCurve curve) const;

  /// Decodes to linear light, 0..1 by curves; alpha to 0..1.
  template <class T>
  Image<float> to_light(View<const T> codes) const;

  /// Encodes light into `codes`, which come as what the light once was decoded from: where a pixel's light
  /// is still the same its codes stay, whatever the profile.
  template <class T>
  void from_light(View<const float> light, View<T> codes) const;

 private:
  friend class ToSrgb;
  void* handle() const;  ///< littleCMS's
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Converts samples to sRGB: codes to codes, or linear light in the profile's primaries to that in sRGB's.
/// Relative colorimetric with black point compensation, as viewers do it. Of PQ and HLG, light above diffuse
/// white is clipped. Alpha and grey light stay.
class ToSrgb {
 public:
  ToSrgb(const Profile& profile, int channels, int sample_bytes, bool floats);
  ~ToSrgb();

  /// `pixels` of them, packed; `to` may be `from`.
  void convert(const void* from, void* to, std::int64_t pixels) const;

 private:
  void* transform_ = nullptr;  ///< null where nothing is to be done
  std::size_t bytes_;          ///< of a pixel
};

/// Converts the samples of a picture to sRGB; `to` may be those of `from`.
template <class T>
void convert_to_srgb(const Profile& profile, const Image<T>& from, T* to) {
  const ToSrgb to_srgb(profile, from.channels(), sizeof(T), std::is_floating_point_v<T>);
  to_srgb.convert(from.view().data, to, from.width() * from.height());
}

/// Converts linear light of sRGB's primaries, or of grey, to a profile: to its codes, floats to linear light
/// in its primaries. Alpha stays. Throws Error (a cause alone). T: uint8_t, uint16_t, float.
template <class T>
Image<T> in_profile(View<const float> light, std::span<const std::byte> icc);

/// True if this is a profile of four inks.
bool is_cmyk(std::span<const std::byte> icc);

/// Converts codes of four inks, 0 meaning none, by their profile to sRGB. Throws Error (a cause alone) for a
/// profile of other than four inks. T: uint8_t, uint16_t.
template <class T>
Image<T> srgb_from_cmyk(View<const T> inks, std::span<const std::byte> icc);

/// Converts codes of CIE L*a*b*, a and b of 128 meaning 0, to sRGB, white to white.
Image<std::uint8_t> srgb_from_lab(View<const std::uint8_t> lab);

}  // namespace scanlens
