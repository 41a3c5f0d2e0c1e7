// Owners of littleCMS's objects, and how its transforms are asked for. Inside scanlens_color.
#pragma once

#include <lcms2.h>

#include <cstddef>
#include <memory>
#include <span>

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

/// A transform with a cache is for one thread.
inline constexpr cmsUInt32Number kFlags = cmsFLAGS_NOCACHE;

/// Returns littleCMS's number for samples of 1 or 3 colours, those of four channels with alpha.
inline cmsUInt32Number layout(int channels, int sample_bytes, bool floats) {
  const int colours = channels == 1 ? 1 : 3;
  return static_cast<cmsUInt32Number>(FLOAT_SH(floats ? 1 : 0) |
                                      COLORSPACE_SH(colours == 1 ? PT_GRAY : PT_RGB) |
                                      EXTRA_SH(channels - colours) | CHANNELS_SH(colours) |
                                      BYTES_SH(sample_bytes));
}

/// Opens a profile in memory; null where it is none.
inline ProfilePtr opened(std::span<const std::byte> bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  if (bytes.size() >= kMost) return nullptr;
  return ProfilePtr(cmsOpenProfileFromMem(bytes.data(), static_cast<cmsUInt32Number>(bytes.size())));
}

}  // namespace scanlens
