#include "app/depth/meaning/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "app/depth/files/raw.h"

namespace scanlens {
namespace {

constexpr std::int64_t kEnds =
    64;  ///< this part of the values, so near 0 or the largest, belongs to that end
constexpr std::int64_t kNearest =
    256;  ///< millimetres that no sensor sees below; a stretched map has values here
constexpr std::int64_t kFarForASensor = 20000;  ///< millimetres
constexpr double kFew = 0.05, kMany = 0.25;
constexpr double kPlateau = 0.01;  ///< a share of pixels at one value that a smooth map does not have

/// Counts the pixels of a map by value, and sums counts.
class Histogram {
 public:
  Histogram(View<const float> values, std::int64_t last) : counts_(static_cast<std::size_t>(last) + 1) {
    for (std::int64_t y = 0; y < values.height; ++y)
      for (const float* value = values.row(y); value != values.row(y) + values.width; ++value)
        ++counts_[static_cast<std::size_t>(std::clamp(*value, 0.f, static_cast<float>(last)))];
    pixels_ = values.width * values.height;
  }
  std::int64_t within(std::int64_t first, std::int64_t last) const {
    std::int64_t sum = 0;
    for (std::int64_t code = first; code <= last; ++code) sum += counts_[static_cast<std::size_t>(code)];
    return sum;
  }
  double share(std::int64_t first, std::int64_t last, std::int64_t of) const {
    return of > 0 ? static_cast<double>(within(first, last)) / static_cast<double>(of) : 0;
  }
  std::int64_t pixels() const { return pixels_; }

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t pixels_ = 0;
};

}  // namespace

Evidence weigh_16_bits(View<const float> values, double full) {
  const auto last = static_cast<std::int64_t>(full);
  const Histogram histogram(values, last);
  const double zeros = histogram.share(0, 0, histogram.pixels());
  const double saturated = histogram.share(last, last, histogram.pixels());
  const std::int64_t end_values = (last + 1) / kEnds;
  const bool from_zero = histogram.within(1, kNearest - 1) > 0;  // no gap between 0 and the rest
  const bool near_zero = histogram.within(1, end_values - 1) > 0;
  const bool near_full = histogram.within(last - end_values + 1, last - 1) > 0;
  const double beyond = histogram.share(kFarForASensor + 1, last - 1, histogram.within(1, last - 1));
  const auto percent = [](double share) { return fmt::format("{:.2g} %", 100 * share); };
  const std::string end = fmt::format("{}", last);
  const std::string few_far = percent(beyond) + " of its values lie beyond 20 m";

  if (zeros > 0 && saturated > 0) {
    if (from_zero && near_full && (zeros < kPlateau || saturated < kPlateau))
      return {
          true, true,
          fmt::format(
              "it reaches from 0 to {} without a gap at either end, as networks stretch inverse depth", end)};
    if (!from_zero && beyond < kFew)
      return {false, true,
              fmt::format("zeros ({}) and {} ({}) stand apart from the rest like a sensor's holes, and {}",
                          percent(zeros), end, percent(saturated), few_far)};
    return {beyond > kMany, false, fmt::format("it holds both 0 and {}, and {}", end, few_far)};
  }
  if (near_full && (near_zero || zeros > 0) && saturated < kPlateau)
    return {
        true, false,
        fmt::format("it reaches nearly from 0 to {}, as inverse depth that was stretched and then resampled",
                    end)};
  if (near_full && beyond > kMany && zeros == 0 && near_zero)
    return {false, false, fmt::format("it reaches up to {}, but not down to 0", end)};
  if (zeros > 0 && from_zero && zeros < kPlateau && beyond > kMany)
    return {false, false,
            fmt::format("it reaches down to 0 without a gap, but not up to {}, and {}", end, few_far)};
  return {
      false, true,
      fmt::format("unlike stretched inverse depth, it does not reach {}", zeros > 0       ? end
                                                                          : saturated > 0 ? "0"
                                                                                          : "0 or " + end)};
}

Evidence weigh_integers(View<const float> values) {
  constexpr float kSigned = 32767, kUnsigned = 65535, kKilometre = 1e6;
  const float most = values.extent() > 0 ? *std::max_element(values.data, values.data + values.extent()) : 0;
  if (most <= 255) return {true, false, "its integers stay within 0 .. 255, as maps of 8 bits do"};
  // A map of 15 bits that was stretched ends at 32767.
  if (most <= kUnsigned)
    return weigh_16_bits(values, most > kSigned - kSigned / kEnds && most <= kSigned ? kSigned : kUnsigned);
  const auto far = std::count_if(values.data, values.data + values.extent(),
                                 [](float value) { return value > kKilometre && value < kSentinel; });
  const double share = static_cast<double>(far) / static_cast<double>(values.extent());
  if (share > kFew)
    return {true, false, fmt::format("{:.2g} % of its values lie beyond a million", 100 * share)};
  return {false, true, "it reaches beyond 65535, as stretched inverse depth does not"};
}

std::optional<double> growth_towards_top(View<const float> values) {
  constexpr std::int64_t kLeastRows = 16;
  constexpr std::size_t kLeastValues = 64;
  if (values.height < kLeastRows) return std::nullopt;
  const std::int64_t quarter = values.height / 4;
  const auto known = [&](std::int64_t first, std::int64_t last) {
    std::vector<float> found;
    for (std::int64_t y = first; y < last; ++y)
      std::copy_if(values.row(y), values.row(y) + values.width, std::back_inserter(found),
                   [](float value) { return value > 0 && value < kSentinel; });
    return found;
  };
  const auto percentile = [](std::vector<float>& of, double share) {
    const auto at = of.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(of.size() - 1));
    std::nth_element(of.begin(), at, of.end());
    return double{*at};
  };
  std::vector<float> top = known(0, quarter), bottom = known(values.height - quarter, values.height);
  if (std::min(top.size(), bottom.size()) < kLeastValues) return std::nullopt;
  std::vector<float> all = known(0, values.height);
  const double span = percentile(all, 1 - kFew) - percentile(all, kFew);
  if (!(span > 0)) return std::nullopt;
  return (percentile(top, 0.5) - percentile(bottom, 0.5)) / span;
}

}  // namespace scanlens
