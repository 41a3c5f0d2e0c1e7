// Statistics of the pixels that a selection chooses.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/context.h"
#include "core/moments.h"
#include "core/view.h"
#include "filters/dof_formula.h"
#include "filters/selection.h"

namespace scanlens {

/// The picture and what lies beside it, all of one size and in memory of the context's backend.
template <class T>
struct PixelSources {
  View<const T> image;  ///< 1, 3 or 4 channels
  View<const float>
      disparity;           ///< 1/metre where `metric`, else 0 (farthest) .. 1 (nearest); empty where unknown
  View<const float> mask;  ///< 0 .. 1; empty without alpha
  bool metric = false;
  Blur blur = {};  ///< what Quantity::coc takes
};

/// The weights of luma (Rec. 709), of kLumaUnit.
inline constexpr unsigned kLumaRed = 2126, kLumaGreen = 7152, kLumaBlue = 722, kLumaUnit = 10000;

/// Luma of red, green and blue, of integers rounded to the nearest code.
template <class T>
SCANLENS_HOST_DEVICE T luma_of(T red, T green, T blue) {
  if constexpr (std::is_floating_point_v<T>)
    return 0.2126f * red + 0.7152f * green + 0.0722f * blue;
  else
    return static_cast<T>((kLumaRed * red + kLumaGreen * green + kLumaBlue * blue + kLumaUnit / 2) /
                          kLumaUnit);
}

template <class T>
SCANLENS_HOST_DEVICE T luma_of(const View<const T>& image, std::int64_t x, std::int64_t y) {
  return image.channels == 1 ? image(x, y) : luma_of(image(x, y, 0), image(x, y, 1), image(x, y, 2));
}

/// The number of samples with each code of 8 or 16 bits. All statistics follow from that exactly, and those
/// of many pictures from the sums of their counts.
class CodeCounts {
 public:
  /// Holds 256 or 65536 counts, or none: then nothing was counted, and it merges with either.
  CodeCounts() = default;
  explicit CodeCounts(std::vector<std::uint64_t> counts);

  /// Adds what another has counted. Throws Error (usage) when its codes have another depth.
  void merge(const CodeCounts& other);

  /// Returns codes of 8 bits as those of 16 bits that are the same share of white, 257 times themselves;
  /// codes of 16 bits as they are.
  CodeCounts widened() const;

  std::span<const std::uint64_t> counts() const { return counts_; }
  std::uint64_t total() const { return total_; }
  /// The mean, and the population's standard deviation, each rounded from the exact sums a few times. These,
  /// and what is below, take a total above 0.
  double mean() const;
  double deviation() const;
  int least() const;
  int greatest() const;
  /// As percentile_of() of the sorted codes.
  double percentile(double percent) const;

 private:
  int code_at(std::uint64_t rank) const;

  std::vector<std::uint64_t> counts_;
  std::uint64_t total_ = 0;
};

/// Statistics of floats. Those that are no numbers or infinite are counted apart, and nothing else is said of
/// them.
struct FloatStatistics {
  std::uint64_t nan = 0, infinite = 0, negative_infinite = 0;
  Moments moments = {0, 0, 0, std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()};  ///< of the finite ones
  std::vector<double>
      percentiles;  ///< of the finite ones, as many as were asked for; empty if no sample is finite
  std::vector<std::uint64_t>
      bins;  ///< of the finite ones, equally wide from moments.least to moments.greatest

  std::uint64_t total() const { return moments.count + nan + infinite + negative_infinite; }

  /// Adds the statistics of other samples. Counts, least and greatest are exact. Mean and deviation are those
  /// of all samples as near as doubles come, and their last bits depend on the order of the calls.
  /// Percentiles and bins do not follow from those of the parts, so none are left.
  void merge(const FloatStatistics& other);
};

struct ChannelStatistics {
  Quantity channel;  ///< red, green, blue, alpha, luma or depth
  std::variant<CodeCounts, FloatStatistics> values;
};

/// Bins of FloatStatistics.
inline constexpr int kFloatBins = 256;

/// Interpolates between the two of n sorted values that stand nearest to (n - 1) percent / 100, counted from
/// 0, as numpy.percentile does by default (Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996,
/// definition 7), and with its arithmetic. `at(rank)` is the value there; n is at least 1 and 0 <= percent <=
/// 100.
template <class At>
double percentile_of(std::uint64_t n, double percent, const At& at) {
  const double place = static_cast<double>(n - 1) * (percent / 100);
  const auto rank = static_cast<std::uint64_t>(place);
  const double low = at(rank), high = at(rank + 1 < n ? rank + 1 : rank),
               share = place - static_cast<double>(rank);
  const double step = high - low;
  return share < 0.5 ? low + step * share : high - step * (1 - share);
}

/// Statistics of each channel of the chosen pixels: of grey pictures their luma; of others red, green, blue,
/// alpha where they have it, and luma; and of depth where there is a disparity, in metres where that is
/// metric.
///
/// Types: uint8_t, uint16_t, float. Integers, and depth's luma, come as CodeCounts in their own codes, the
/// luma of integers being the nearest code; floats and depth as FloatStatistics. Any pitch.
///
/// Passes: integers are counted where they are read: one pass over the picture evaluates the selection and
/// counts the codes of the chosen pixels, on CUDA in shared memory (of 16 bits by blocks that share the codes
/// and read the same pixels out of the L2 cache). Floats and depth are compacted and sorted: the pass writes
/// a flag for each pixel and each channel as a plane; each plane is compacted (compact_flagged), and the
/// stream that comes of it sorted and reduced (sort_keys, moments). Without a selection planes are sorted as
/// they are.
///
/// Determinism: integers are exact, the same on both backends, and so is which pixels are chosen. For floats
/// the mean and the deviation are those of core/moments.h. Waits for the device. Throws Error (usage) when a
/// selection asks for what there is not, or views differ in size. Memory: pixel_statistics_workspace bytes,
/// and copies of views that are not packed.
template <class T>
std::vector<ChannelStatistics> pixel_statistics(Context& context, const PixelSources<T>& sources,
                                                const Selection& selection, std::span<const double> percents);

/// Bytes of workspace that pixel_statistics takes, at most.
std::int64_t pixel_statistics_workspace(std::int64_t width, std::int64_t height, int channels,
                                        int sample_bytes, bool depth, bool selects);

/// The share of a picture's pixels that count as the sharpest.
inline constexpr double kSharpShare = 0.01;

/// The disparity that the sharpest part of a picture has: the median (the upper of two) over the kSharpShare
/// of its pixels around which luma varies the most, by box_variance over 7 x 7 pixels; over more where others
/// vary as much, over fewer where fewer vary. Nothing where the picture is of one tone. Types and pitch as
/// above. Both backends give the same. Waits for the device.
template <class T>
std::optional<float> sharpest_disparity(Context& context, View<const T> image, View<const float> disparity);

std::int64_t sharpest_disparity_workspace(std::int64_t width, std::int64_t height);

}  // namespace scanlens
