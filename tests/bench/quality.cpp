#include "tests/bench/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace scanlens::bench {
namespace {

std::string decibels(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.2f}", value);
}
std::string share(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.4f}", value);
}
std::string signed_decibels(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:+.2f}", value);
}

/// Returns the mean and the least of one figure over those results that have it.
std::pair<double, double> mean_and_least(const std::vector<const QualityResult*>& results,
                                         double (*figure)(const QualityResult&)) {
  double sum = 0, least = std::numeric_limits<double>::infinity();
  int count = 0;
  for (const QualityResult* result : results) {
    const double value = figure(*result);
    if (std::isnan(value)) continue;
    sum += value;
    least = std::min(least, value);
    ++count;
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  return count == 0 ? std::pair{none, none} : std::pair{sum / count, least};
}

void print_means_of(const std::vector<const QualityResult*>& results) {
  const auto figure = [&](double (*of)(const QualityResult&)) { return mean_and_least(results, of); };
  const auto [gain, least_gain] = figure([](const QualityResult& r) { return r.gain.psnr; });
  const auto [band_gain, least_band_gain] = figure([](const QualityResult& r) { return r.gain.band_psnr; });
  fmt::print(
      "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", results[0]->scene, results[0]->size,
      results[0]->quality, decibels(figure([](const QualityResult& r) { return r.likeness.psnr; }).first),
      decibels(figure([](const QualityResult& r) { return r.likeness.band_psnr; }).first),
      share(figure([](const QualityResult& r) { return r.likeness.ssim; }).first),
      share(figure([](const QualityResult& r) { return r.likeness.band_ssim; }).first), signed_decibels(gain),
      signed_decibels(band_gain), signed_decibels(least_gain), signed_decibels(least_band_gain));
}

}  // namespace

void print_quality_header() {
  fmt::print(
      "| scene | size | views | focus | circle | quality | PSNR | in the band | SSIM | in the band | gain | "
      "in "
      "the band |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

void print(const QualityResult& result) {
  fmt::print("| {} | {} | {} | {:g} m | {} px | {} | {} | {} | {} | {} | {} | {} |\n", result.scene,
             result.size, result.views, result.focus_m, result.circle, result.quality,
             decibels(result.likeness.psnr), decibels(result.likeness.band_psnr), share(result.likeness.ssim),
             share(result.likeness.band_ssim), signed_decibels(result.gain.psnr),
             signed_decibels(result.gain.band_psnr));
  std::fflush(stdout);
}

void print_quality_means(const std::vector<QualityResult>& results) {
  fmt::print(
      "\n| mean of | size | quality | PSNR | in the band | SSIM | in the band | gain | in the band | least "
      "gain | "
      "in the band |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  const auto same = [](const QualityResult& a, const QualityResult& b) {
    return a.scene == b.scene && a.size == b.size && a.quality == b.quality;
  };
  std::vector<const QualityResult*> seen;
  for (const QualityResult& first : results) {
    if (std::any_of(seen.begin(), seen.end(), [&](const QualityResult* one) { return same(*one, first); }))
      continue;
    seen.push_back(&first);
    std::vector<const QualityResult*> group;
    for (const QualityResult& result : results)
      if (same(result, first)) group.push_back(&result);
    print_means_of(group);
  }
  fmt::print(
      "\nPSNR (dB) is of sRGB-encoded samples, SSIM of their luma, both against the mean of the "
      "views\nthrough the lens."
      " circle: the largest radius. The band: pixels no farther than that from a jump of\n"
      "more than 1.5 px between neighbours' circles. Gains are over {}.\n",
      results.empty() ? "the first" : results.front().quality);
}

}  // namespace scanlens::bench
