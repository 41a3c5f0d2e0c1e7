// Owners of littleCMS's objects, and how its transforms are asked for. Inside scanlens_color.
#pragma once

#include <lcms2.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/color/profile.h"

namespace scanlens {

struct CloseProfile {
  void operator()(void* profile) const { cmsCloseProfile(profile); }
};
using ProfilePtr = std::unique_ptr<void, CloseProfile>;

struct FreeCurve {
  void operator()(cmsToneCurve* curve) const { cmsFreeToneCurve(curve); }
};
using CurvePtr = std::unique_ptr<cmsToneCurve, FreeCurve>;

struct DeleteTransform {
  void operator()(void* transform) const { cmsDeleteTransform(transform); }
};
using TransformPtr = std::unique_ptr<void, DeleteTransform>;

CurvePtr curve_of(ToneCurve curve);

/// Makes profiles of one curve. Null where the primaries make no colours.
ProfilePtr rgb_profile(const Primaries& primaries, const CurvePtr& tone);
ProfilePtr grey_profile(const CurvePtr& tone);

/// Returns the file of a profile, the same whenever it is made; under a name of its own where one is given.
/// Empty for null.
ProfileBytes saved(const ProfilePtr& profile);
ProfileBytes saved(const ProfilePtr& profile, const std::string& name);

/// Returns the curve that ITU-T H.273, table 3, has under this number.
std::optional<ToneCurve> curve_named(int code);

/// Adds the tag cicp (ICC.1:2022, 9.2.17), full range.
void write_cicp_tag(cmsHPROFILE profile, int primaries, int transfer);

/// Returns the curve of a profile whose cicp tag names PQ or HLG.
std::optional<ToneCurve> high_range_curve(cmsHPROFILE profile);

/// A transform with a cache is for one thread.
inline constexpr cmsUInt32Number kFlags = cmsFLAGS_NOCACHE;

/// Returns littleCMS's number for samples of 1 or 3 colours, those of four channels with alpha.
inline cmsUInt32Number layout(int channels, int sample_bytes, bool floats) {
  const int colours = channels == 1 ? 1 : 3;
  return static_cast<cmsUInt32Number>(
      FLOAT_SH(floats ? 1 : 0) | COLORSPACE_SH(colours == 1 ? PT_GRAY : PT_RGB) |
      EXTRA_SH(channels - colours) | CHANNELS_SH(colours) | BYTES_SH(sample_bytes));
}

/// Opens a profile in memory; null if it is no profile.
inline ProfilePtr opened(std::span<const std::byte> bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  if (bytes.size() >= kMost) return nullptr;
  return ProfilePtr(cmsOpenProfileFromMem(bytes.data(), static_cast<cmsUInt32Number>(bytes.size())));
}

}  // namespace scanlens
