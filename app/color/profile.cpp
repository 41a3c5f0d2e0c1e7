#include "app/color/profile.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "app/color/lcms.h"
#include "app/color/nearest_code.h"
#include "core/error.h"
#include "filters/color.h"

namespace scanlens {
namespace {

constexpr int kCodes = 65536;
constexpr double kD50[] = {0.9642, 1.0, 0.8249};

using Matrix = std::array<std::array<double, 3>, 3>;
using Vector = std::array<double, 3>;

Vector times(const Matrix& m, const Vector& v) {
  Vector result = {};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) result[i] += m[i][j] * v[j];
  return result;
}

std::optional<Matrix> inverse(const Matrix& m) {
  Matrix result = {};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      result[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
  const double determinant = m[0][0] * result[0][0] + m[0][1] * result[1][0] + m[0][2] * result[2][0];
  if (!(std::abs(determinant) > 1e-6)) return std::nullopt;
  for (auto& row : result)
    for (double& value : row) value /= determinant;
  return result;
}

std::optional<Vector> xyz_tag(cmsHPROFILE profile, cmsTagSignature tag) {
  const auto* xyz = static_cast<const cmsCIEXYZ*>(cmsReadTag(profile, tag));
  if (!xyz) return std::nullopt;
  return Vector{xyz->X, xyz->Y, xyz->Z};
}

std::string description(cmsHPROFILE profile) {
  char text[128] = "";
  cmsGetProfileInfoASCII(profile, cmsInfoDescription, "en", "US", text, sizeof text);
  std::string name(text);
  std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return name;
}

/// Light of tables: primaries so wide that hardly any colour has a negative share.
ProfilePtr wide_light(int channels) {
  if (channels == 1) return grey_profile(curve_of(ToneCurve::linear));
  return opened(icc_from_chromaticities(
      {0.7347f, 0.2653f, 0.1596f, 0.8404f, 0.0366f, 0.0001f, 0.3457f, 0.3585f}, ToneCurve::linear));
}

}  // namespace

bool are_srgb_primaries(const Primaries& primaries) {
  constexpr float kTolerance = 0.003f;  // old profiles of sRGB are off by a thousandth
  return std::equal(primaries.begin(), primaries.end(), kSrgbPrimaries.begin(),
                    [](float a, float b) { return std::abs(a - b) < kTolerance; });
}

/// Holds the light of all 16-bit codes, by colour.
struct LightTables {
  std::vector<std::vector<float>> light_of;
  bool srgb = false;
};

struct Profile::Impl {
  ProfilePtr handle;
  std::string name;
  int colours = 0;
  float white = 1;
  std::vector<const cmsToneCurve*> curves;  ///< the handle's, by colour; empty without curves
  mutable std::once_flag once;
  mutable LightTables made_tables;
  TransformPtr to_wide8, to_wide16, from_wide8, from_wide16;  ///< without curves

  void sharpen(ToneCurve high_range);
  void read_curves();
  void open_transforms();
  const LightTables& tables() const;  ///< made when they are asked for

  template <class T>
  void row_to_light(const T* codes, int channels, std::int64_t width, float* light) const;
  template <class T>
  void row_from_light(const float* light, int channels, std::int64_t width,
                      const std::vector<NearestCode<T>>& nearest, T* codes) const;
};

namespace {

float light_at(const cmsToneCurve* curve, int code) {
  return std::clamp(cmsEvalToneCurveFloat(curve, static_cast<float>(code) / 65535.f), 0.f, 1.f);
}

bool is_same(cmsHPROFILE profile, cmsTagSignature a, cmsTagSignature b) {
  return cmsTagLinkedTo(profile, a) == b || cmsTagLinkedTo(profile, b) == a;
}

}  // namespace

/// Puts the curve itself in the place of its table of 16 bits, too coarse for the shadows of such a range.
void Profile::Impl::sharpen(ToneCurve high_range) {
  // ITU-R BT.2408: diffuse white is 203 of PQ's 10000 cd/m2, and three quarters of HLG's code.
  constexpr float kPqWhite = 203.f / 10000, kHlgWhiteCode = 0.75f;
  const CurvePtr curve = curve_of(high_range);
  white = high_range == ToneCurve::pq ? kPqWhite : cmsEvalToneCurveFloat(curve.get(), kHlgWhiteCode);
  if (colours == 1) {
    cmsWriteTag(handle.get(), cmsSigGrayTRCTag, curve.get());
    return;
  }
  for (const cmsTagSignature tag : {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag})
    cmsWriteTag(handle.get(), tag, curve.get());
}

void Profile::Impl::read_curves() {
  constexpr cmsTagSignature kTags[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
  for (int c = 0; c < colours; ++c) {
    if (c > 0 && is_same(handle.get(), kTags[0], kTags[c])) {
      curves.push_back(curves[0]);
      continue;
    }
    const auto* curve = static_cast<const cmsToneCurve*>(
        cmsReadTag(handle.get(), colours == 1 ? cmsSigGrayTRCTag : kTags[c]));
    if (!curve) throw Error("its tone curves cannot be read");
    for (int code = 0; code < kCodes - 1; code += 255)
      if (!(light_at(curve, code + 255) >= light_at(curve, code))) throw Error("its tone curves do not rise");
    if (light_at(curve, 0) == light_at(curve, kCodes - 1)) throw Error("its tone curves do not rise");
    curves.push_back(curve);
  }
}

/// Makes them without a loop of oneTBB. A thread that waits in one takes rows of a picture, too, and their
/// first question would be for these tables.
const LightTables& Profile::Impl::tables() const {
  std::call_once(once, [&] {
    for (std::size_t c = 0; c < curves.size(); ++c) {
      if (c > 0 && curves[c] == curves[0]) {
        made_tables.light_of.push_back(made_tables.light_of[0]);
        continue;
      }
      std::vector<float>& light = made_tables.light_of.emplace_back();
      light.reserve(kCodes);
      for (int code = 0; code < kCodes; ++code) light.push_back(light_at(curves[c], code));
    }
    constexpr float kStepOfLight = 1 / 65535.f;
    made_tables.srgb = std::all_of(
        made_tables.light_of.begin(), made_tables.light_of.end(), [](const std::vector<float>& light) {
          for (int i = 0; i < kCodes; ++i)
            if (std::abs(light[static_cast<std::size_t>(i)] -
                         srgb_to_linear(static_cast<float>(i) / 65535.f)) >= kStepOfLight)
              return false;
          return true;
        });
    if (made_tables.light_of.empty()) made_tables.srgb = false;
  });
  return made_tables;
}

void Profile::Impl::open_transforms() {
  const ProfilePtr wide = wide_light(colours);
  const auto open = [&](bool to, int sample_bytes) {
    const cmsUInt32Number codes = layout(colours, sample_bytes, false), light = layout(colours, 4, true);
    void* transform =
        to ? cmsCreateTransform(handle.get(), codes, wide.get(), light, INTENT_RELATIVE_COLORIMETRIC, kFlags)
           : cmsCreateTransform(wide.get(), light, handle.get(), codes, INTENT_RELATIVE_COLORIMETRIC, kFlags);
    if (!transform) throw Error("its tables cannot be used both ways");
    return TransformPtr(transform);
  };
  to_wide8 = open(true, 1);
  to_wide16 = open(true, 2);
  from_wide8 = open(false, 1);
  from_wide16 = open(false, 2);
}

Profile::Profile(std::span<const std::byte> icc, int channels) : impl_(std::make_unique<Impl>()) {
  impl_->handle = opened(icc);
  if (!impl_->handle) throw Error("it is not a colour profile");
  void* const handle = impl_->handle.get();
  const bool grey = channels == 1;
  // Numbers, because a damaged profile has signatures that are no values of lcms's enumerations.
  const auto space = static_cast<cmsUInt32Number>(cmsGetColorSpace(handle));
  if (space != static_cast<cmsUInt32Number>(grey ? cmsSigGrayData : cmsSigRgbData))
    throw Error(fmt::format("it is not for {} but for other pictures", grey ? "grey" : "RGB"));
  const auto kind = static_cast<cmsUInt32Number>(cmsGetDeviceClass(handle));
  if (kind != cmsSigInputClass && kind != cmsSigDisplayClass && kind != cmsSigOutputClass &&
      kind != cmsSigColorSpaceClass)
    throw Error("it is not a device's profile");
  impl_->name = description(handle);
  impl_->colours = grey ? 1 : 3;
  const bool tables = cmsIsTag(handle, cmsSigAToB0Tag) || cmsIsTag(handle, cmsSigAToB1Tag);
  const std::optional<ToneCurve> high = high_range_curve(handle);
  if (high && !tables) impl_->sharpen(*high);
  const bool curves = grey ? cmsIsTag(handle, cmsSigGrayTRCTag) : cmsIsMatrixShaper(handle);
  if (curves && !tables)
    impl_->read_curves();
  else
    impl_->open_transforms();
}

Profile::~Profile() = default;
Profile::Profile(Profile&&) noexcept = default;

void* Profile::handle() const {
  return impl_->handle.get();
}

const std::string& Profile::name() const {
  return impl_->name;
}

bool Profile::has_curves() const {
  return !impl_->curves.empty();
}

bool Profile::has_srgb_curves() const {
  return impl_->tables().srgb;
}

const std::vector<std::vector<float>>& Profile::light_of_codes() const {
  return impl_->tables().light_of;
}

bool Profile::is_srgb() const {
  return has_srgb_curves() && has_srgb_primaries();
}

bool Profile::has_srgb_primaries() const {
  if (impl_->colours == 1) return true;
  if (!has_curves()) return false;
  return are_srgb_primaries(primaries());
}

float Profile::white() const {
  return impl_->white;
}

Primaries Profile::primaries() const {
  void* const handle = impl_->handle.get();
  if (impl_->colours == 1 || !has_curves()) return kSrgbPrimaries;
  constexpr Vector kWhite = {kD50[0], kD50[1], kD50[2]};
  std::array<Vector, 4> points = {xyz_tag(handle, cmsSigRedColorantTag).value_or(kWhite),
                                  xyz_tag(handle, cmsSigGreenColorantTag).value_or(kWhite),
                                  xyz_tag(handle, cmsSigBlueColorantTag).value_or(kWhite), kWhite};
  // Stored colours were adapted from the device's white to D50. Version 4 states the matrix; else, as is
  // usual, it is Bradford's from the media's white.
  std::optional<Matrix> back;
  if (const auto* stored = static_cast<const double*>(cmsReadTag(handle, cmsSigChromaticAdaptationTag))) {
    Matrix adaptation = {};
    for (std::size_t i = 0; i < 9; ++i) adaptation[i / 3][i % 3] = stored[i];
    back = inverse(adaptation);
  }
  const std::optional<Vector> white = xyz_tag(handle, cmsSigMediaWhitePointTag);
  for (Vector& point : points) {
    if (back) {
      point = times(*back, point);
    } else if (white) {
      const cmsCIEXYZ from = {kD50[0], kD50[1], kD50[2]}, to = {(*white)[0], (*white)[1], (*white)[2]};
      const cmsCIEXYZ value = {point[0], point[1], point[2]};
      cmsCIEXYZ adapted;
      if (cmsAdaptToIlluminant(&adapted, &from, &to, &value)) point = {adapted.X, adapted.Y, adapted.Z};
    }
  }
  Primaries result = {};
  for (std::size_t i = 0; i < 4; ++i) {
    const double sum = points[i][0] + points[i][1] + points[i][2];
    if (!(std::abs(sum) > 1e-6)) return kSrgbPrimaries;
    result[2 * i] = static_cast<float>(points[i][0] / sum);
    result[2 * i + 1] = static_cast<float>(points[i][1] / sum);
  }
  return result;
}

ProfileBytes Profile::with_curve(ToneCurve curve) const {
  return impl_->colours == 1 ? icc_of_grey(curve) : icc_from_chromaticities(primaries(), curve);
}

/// Transforms the colours of a row, 1 or 3 of `channels`, and leaves other channels.
template <class From, class To>
static void transform_row(cmsHTRANSFORM transform, const From* from, To* to, int colours, int channels,
                          std::int64_t width) {
  constexpr std::int64_t kPart = 1024;
  From packed_from[kPart * 3];
  To packed_to[kPart * 3];
  for (std::int64_t first = 0; first < width; first += kPart) {
    const std::int64_t count = std::min(kPart, width - first);
    for (std::int64_t x = 0; x < count; ++x)
      std::copy_n(from + (first + x) * channels, colours, packed_from + x * colours);
    cmsDoTransform(transform, packed_from, packed_to, static_cast<cmsUInt32Number>(count));
    for (std::int64_t x = 0; x < count; ++x)
      std::copy_n(packed_to + x * colours, colours, to + (first + x) * channels);
  }
}

/// Alpha, if any, is the caller's.
template <class T>
void Profile::Impl::row_to_light(const T* codes, int channels, std::int64_t width, float* light) const {
  if (!curves.empty()) {
    const auto& light_of = tables().light_of;
    for (std::int64_t x = 0; x < width; ++x)
      for (int c = 0; c < colours; ++c)
        light[x * channels + c] =
            light_of[static_cast<std::size_t>(c)]
                    [static_cast<std::size_t>(codes[x * channels + c] * NearestCode<T>::kStep)];
    return;
  }
  transform_row((sizeof(T) == 1 ? to_wide8 : to_wide16).get(), codes, light, colours, channels, width);
  for (std::int64_t x = 0; x < width; ++x)
    for (int c = 0; c < colours; ++c) light[x * channels + c] = std::max(light[x * channels + c], 0.f);
}

/// `nearest` has an element for each colour where there are curves.
template <class T>
void Profile::Impl::row_from_light(const float* light, int channels, std::int64_t width,
                                   const std::vector<NearestCode<T>>& nearest, T* codes) const {
  if (!curves.empty()) {
    for (std::int64_t x = 0; x < width; ++x)
      for (int c = 0; c < colours; ++c)
        codes[x * channels + c] = nearest[static_cast<std::size_t>(c)](light[x * channels + c]);
    return;
  }
  transform_row((sizeof(T) == 1 ? from_wide8 : from_wide16).get(), light, codes, colours, channels, width);
}

template <class T>
Image<float> Profile::to_light(View<const T> codes) const {
  Image<float> light(codes.width, codes.height, codes.channels);
  const View<float> out = light.view();
  constexpr auto kFull = static_cast<float>(std::numeric_limits<T>::max());
  tbb::parallel_for(std::int64_t{0}, codes.height, [&](std::int64_t y) {
    impl_->row_to_light(codes.row(y), codes.channels, codes.width, out.row(y));
    if (codes.channels == 4)
      for (std::int64_t x = 0; x < codes.width; ++x)
        out(x, y, 3) = static_cast<float>(codes(x, y, 3)) / kFull;
  });
  return light;
}

template <class T>
void Profile::from_light(View<const float> light, View<T> codes) const {
  constexpr auto kFull = static_cast<float>(std::numeric_limits<T>::max());
  const int channels = codes.channels, colours = impl_->colours;
  const std::vector<std::vector<float>>& tables = impl_->tables().light_of;
  const std::vector<NearestCode<T>> nearest(tables.begin(), tables.end());
  tbb::parallel_for(std::int64_t{0}, codes.height, [&](std::int64_t y) {
    const auto samples = static_cast<std::size_t>(codes.row_samples());
    std::vector<float> before(samples);
    std::vector<T> after(samples);
    impl_->row_to_light(static_cast<const T*>(codes.row(y)), channels, codes.width, before.data());
    impl_->row_from_light(light.row(y), channels, codes.width, nearest, after.data());
    const float* now = light.row(y);
    for (std::int64_t x = 0; x < codes.width; ++x) {
      const std::int64_t at = x * channels;
      if (!std::equal(now + at, now + at + colours, before.data() + at))
        std::copy_n(after.data() + at, colours, &codes(x, y));
      if (channels == 4) codes(x, y, 3) = static_cast<T>(std::clamp(light(x, y, 3), 0.f, 1.f) * kFull + 0.5f);
    }
  });
}

template Image<float> Profile::to_light(View<const std::uint8_t>) const;
template Image<float> Profile::to_light(View<const std::uint16_t>) const;
template void Profile::from_light(View<const float>, View<std::uint8_t>) const;
template void Profile::from_light(View<const float>, View<std::uint16_t>) const;

}  // namespace scanlens
