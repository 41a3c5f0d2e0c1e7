#include "app/io/metadata/png_colours.h"

#include <fmt/format.h>

#include <cmath>

#include "app/color/profile.h"

namespace scanlens {
namespace {

/// Takes the code points where they can be used.
bool takes_cicp(const PngColours& chunks, int channels, Metadata& metadata, std::vector<Remark>& remarks) {
  if (!chunks.cicp) return false;
  const auto [primaries, transfer, matrix, full_range] = *chunks.cicp;
  bool known = true;
  ProfileBytes icc = icc_from_cicp(primaries, transfer, channels, known);
  if (!known || matrix != 0) {
    remarks.push_back(
        {true, fmt::format("its chunk cICP (primaries {}, transfer {}, matrix {} of H.273) cannot be used",
                           primaries, transfer, matrix)});
    return false;
  }
  if (full_range == 0)
    remarks.push_back(
        {true, "its chunk cICP announces the narrow range of video, which is taken for the full one"});
  metadata.icc = std::move(icc);
  metadata.cicp = Cicp{primaries, transfer};
  return true;
}

/// True if an exponent is the one that stands for sRGB's curve.
bool is_srgb_gamma(double gamma) {
  constexpr double kSrgb = 0.45455, kTolerance = 0.0046;  // writers round it to 0.45
  return std::abs(gamma - kSrgb) < kTolerance;
}

bool takes_gamma(const PngColours& chunks, int channels, Metadata& metadata, std::vector<Remark>& remarks) {
  constexpr double kLeast = 0.05, kMost = 20;
  const bool grey = channels == 1;
  std::optional<double> gamma = chunks.gamma;
  if (gamma && !(*gamma >= kLeast && *gamma <= kMost)) {
    remarks.push_back(
        {true, fmt::format("its chunk gAMA ({}) makes no sense; taken for sRGB's curve", *gamma)});
    gamma.reset();
  }
  const bool points = chunks.chromaticities && !grey;
  if (!gamma && !points) return false;
  const Primaries primaries = points ? *chunks.chromaticities : kSrgbPrimaries;
  const bool srgb_curve = !gamma || is_srgb_gamma(*gamma);
  if (srgb_curve && (grey || are_srgb_primaries(primaries))) return true;
  if (grey)
    metadata.icc = icc_of_grey(1 / *gamma);
  else
    metadata.icc = gamma ? icc_from_chromaticities(primaries, 1 / *gamma)
                         : icc_from_chromaticities(primaries, ToneCurve::srgb);
  if (!metadata.icc.empty() || !points) return true;
  remarks.push_back({true, "its chunk cHRM makes no colours; taken for sRGB's"});
  PngColours rest = chunks;
  rest.chromaticities.reset();
  takes_gamma(rest, channels, metadata, remarks);
  return true;
}

}  // namespace

bool name_png_colours(const PngColours& chunks, int channels, Metadata& metadata,
                      std::vector<Remark>& remarks) {
  if (takes_cicp(chunks, channels, metadata, remarks)) return true;
  if (!metadata.icc.empty() || chunks.srgb) return true;
  return takes_gamma(chunks, channels, metadata, remarks);
}

}  // namespace scanlens
