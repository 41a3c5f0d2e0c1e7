#include "app/depth/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace scanlens {
namespace {

constexpr std::int64_t kCodes = 65536;
constexpr std::int64_t kEnd = 1024;         ///< values so near 0 or 65535 belong to that end
constexpr std::int64_t kNearest = 256;      ///< millimetres that no sensor sees below; a stretched map has values here
constexpr std::int64_t kFarForASensor = 20000;  ///< millimetres
constexpr double kFew = 0.05, kMany = 0.25;
constexpr double kPlateau = 0.01;  ///< a share of pixels at one value that a smooth map does not have

/// Counts the pixels of a map by value, and sums counts.
class Histogram {
 public:
  explicit Histogram(View<const float> values) : counts_(kCodes) {
    for (std::int64_t y = 0; y < values.height; ++y)
      for (const float* value = values.row(y); value != values.row(y) + values.width; ++value)
        ++counts_[static_cast<std::size_t>(std::clamp(*value, 0.f, 65535.f))];
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

Evidence weigh_16_bits(View<const float> values) {
  const Histogram histogram(values);
  const std::int64_t last = kCodes - 1;
  const double zeros = histogram.share(0, 0, histogram.pixels());
  const double saturated = histogram.share(last, last, histogram.pixels());
  const bool from_zero = histogram.within(1, kNearest - 1) > 0;  // no gap between 0 and the rest
  const bool near_zero = histogram.within(1, kEnd - 1) > 0;
  const bool near_full = histogram.within(last - kEnd + 1, last - 1) > 0;
  const double beyond = histogram.share(kFarForASensor + 1, last - 1, histogram.within(1, last - 1));
  const auto percent = [](double share) { return fmt::format("{:.2g} %", 100 * share); };
  const std::string few_far = percent(beyond) + " of its values lie beyond 20 m";

  if (zeros > 0 && saturated > 0) {
    if (from_zero && near_full && (zeros < kPlateau || saturated < kPlateau))
      return {true, true, "it reaches from 0 to 65535 without a gap at either end, as networks stretch inverse depth"};
    if (!from_zero && beyond < kFew)
      return {false, true,
              fmt::format("zeros ({}) and 65535 ({}) stand apart from the rest like a sensor's holes, and {}",
                          percent(zeros), percent(saturated), few_far)};
    return {beyond > kMany, false, fmt::format("it holds both 0 and 65535, and {}", few_far)};
  }
  if (near_full && (near_zero || zeros > 0) && saturated < kPlateau)
    return {true, false, "it reaches nearly from 0 to 65535, as inverse depth that was stretched and then resampled"};
  if (near_full && beyond > kMany && zeros == 0 && near_zero)
    return {false, false, "it reaches up to 65535, but not down to 0"};
  if (zeros > 0 && from_zero && zeros < kPlateau && beyond > kMany)
    return {false, false, fmt::format("it reaches down to 0 without a gap, but not up to 65535, and {}", few_far)};
  return {false, true,
          fmt::format("unlike stretched inverse depth, it does not reach {}", zeros > 0        ? "65535"
                                                                              : saturated > 0 ? "0"
                                                                                              : "0 or 65535")};
}

}  // namespace scanlens
