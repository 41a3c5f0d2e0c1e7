#include "filters/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/compact.h"
#include "core/histogram.h"
#include "core/image.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/sort.h"
#include "filters/statistics/backends.h"
#include "filters/statistics/codes.h"

namespace scanlens {

void FloatStatistics::merge(const FloatStatistics& other) {
  nan += other.nan;
  infinite += other.infinite;
  negative_infinite += other.negative_infinite;
  percentiles.clear();
  bins.clear();
  const Moments &a = moments, &b = other.moments;
  if (b.count == 0) return;
  // Chan, Golub and LeVeque, as in core/moments.h.
  const std::uint64_t count = a.count + b.count;
  const double share = static_cast<double>(b.count) / static_cast<double>(count), apart = b.mean - a.mean;
  moments = {
      count, a.mean + apart * share,
      a.squared_deviations + b.squared_deviations + apart * apart * static_cast<double>(a.count) * share,
      std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

namespace {

constexpr const char* kCall = "pixel_statistics";

/// Waits for `count` elements of the context's memory, and returns them.
template <class T>
std::vector<T> fetched(Context& context, const T* from, std::int64_t count) {
  std::vector<T> host(static_cast<std::size_t>(count));
  const auto bytes = count * static_cast<std::int64_t>(sizeof(T));
  if (count > 0) copy_bytes(context, from, bytes, host.data(), bytes, bytes, 1);
  context.synchronize();
  return host;
}

/// An array of the context's memory, sorted as sort_keys does.
struct SortedFloats {
  Context& context;
  std::span<const float> values;

  float at(std::uint64_t rank) const { return fetched(context, values.data() + rank, 1)[0]; }

  /// The first rank, from `rank` on, whose value does not come before: `is_before` holds up to some rank, and
  /// from there on does not. Looks at as many values as their number has digits.
  template <class IsBefore>
  std::uint64_t first_not(std::uint64_t rank, const IsBefore& is_before) const {
    std::uint64_t end = values.size();
    while (rank < end) {
      const std::uint64_t middle = rank + (end - rank) / 2;
      if (is_before(at(middle)))
        rank = middle + 1;
      else
        end = middle;
    }
    return rank;
  }
};

/// True if bins of equal width between two floats can be told apart.
bool has_width(float least, float greatest) {
  return greatest > least && std::isfinite(static_cast<float>(
                                 kFloatBins / (static_cast<double>(greatest) - static_cast<double>(least))));
}

std::vector<std::uint64_t> bins_of(Context& context, std::span<const float> values, float least,
                                   float greatest) {
  Workspace workspace(context);
  if (values.empty() || !has_width(least, greatest)) {
    std::vector<std::uint64_t> bins(kFloatBins);
    bins[0] = values.size();
    return bins;
  }
  const std::span bins(workspace.take<std::uint64_t>(kFloatBins), kFloatBins);
  // The upper bound of a histogram is not counted, the greatest value is.
  const double upper = std::nextafter(static_cast<double>(greatest), std::numeric_limits<double>::infinity());
  histogram(context, values, least, upper, bins);
  return fetched<std::uint64_t>(context, bins.data(), kFloatBins);
}

/// Statistics of a stream, which is sorted in place.
FloatStatistics float_statistics(Context& context, std::span<float> stream,
                                 std::span<const double> percents) {
  sort_keys(context, stream, stream);
  const SortedFloats sorted{context, stream};
  // NaN stands at both ends, by its sign.
  const std::uint64_t numbers = sorted.first_not(0, [](float x) { return std::isnan(x) && std::signbit(x); });
  const std::uint64_t first =
      sorted.first_not(numbers, [](float x) { return std::isinf(x) && std::signbit(x); });
  const std::uint64_t end = sorted.first_not(first, [](float x) { return std::isfinite(x); });
  const std::uint64_t numbers_end = sorted.first_not(end, [](float x) { return !std::isnan(x); });

  FloatStatistics result;
  result.nan = numbers + (stream.size() - numbers_end);
  result.negative_infinite = first - numbers;
  result.infinite = numbers_end - end;
  const std::span<const float> finite = sorted.values.subspan(first, end - first);
  Workspace workspace(context);
  auto* moments_there = workspace.take<Moments>(1);
  moments(context, finite, moments_there);
  result.moments = fetched(context, moments_there, 1)[0];
  if (!finite.empty())
    for (const double percent : percents)
      result.percentiles.push_back(percentile_of(finite.size(), percent, [&](std::uint64_t rank) {
        return static_cast<double>(sorted.at(first + rank));
      }));
  result.bins = bins_of(context, finite, static_cast<float>(result.moments.least),
                        static_cast<float>(result.moments.greatest));
  return result;
}

std::vector<Quantity> channels_of(int channels) {
  if (channels == 1) return {Quantity::luma};
  std::vector<Quantity> result = {Quantity::red, Quantity::green, Quantity::blue};
  if (channels == 4) result.push_back(Quantity::alpha);
  result.push_back(Quantity::luma);
  return result;
}

/// Counts the chosen pixels' channels where they are read, and writes the notes.
template <class T>
std::vector<ChannelStatistics> counted_channels(Context& context, const PixelSources<T>& sources,
                                                const Selection& selection, const PixelNotes& notes) {
  Workspace workspace(context);
  const std::int64_t size = count_planes(sources.image.channels) * kCodes<T>;
  auto* const there = workspace.take<std::uint64_t>(size);
  SCANLENS_DISPATCH(context, count_pixels, sources, in_codes<T>(selection), notes, there);
  const std::vector<Quantity> channels = channels_of(sources.image.channels);
  std::vector<ChannelStatistics> result;
  if constexpr (sizeof(T) == 1) {  // few counts: to wait takes longer than to copy them
    const std::vector<std::uint64_t> counts = fetched<std::uint64_t>(context, there, size);
    auto first = counts.begin();
    for (const Quantity channel : channels) {
      result.push_back({channel, CodeCounts({first, first + kCodes<T>})});
      first += kCodes<T>;
    }
  } else {  // each channel's are fetched where they stay
    for (const Quantity channel : channels)
      result.push_back({channel, CodeCounts(fetched<std::uint64_t>(
                                     context, there + std::ssize(result) * kCodes<T>, kCodes<T>))});
  }
  return result;
}

/// Compacts planes of floats by the same flags into the same place, one after the other.
class Streams {
 public:
  /// Takes a flag for each of the pixels, or null where all are chosen.
  Streams(Context& context, Workspace& workspace, const std::uint8_t* flags, std::int64_t pixels)
      : context_(context), flags_(flags), pixels_(static_cast<std::size_t>(pixels)) {
    if (!flags) return;
    count_ = workspace.take<std::uint64_t>(1);
    stream_ = workspace.take<float>(pixels);
  }

  /// The chosen samples of a plane, or the plane itself if nothing is chosen. It may be overwritten.
  std::span<float> chosen(float* plane) {
    if (!flags_) return {plane, pixels_};
    compact_flagged(context_, std::span(plane, pixels_), std::span(flags_, pixels_),
                    std::span(stream_, pixels_), count_);
    if (chosen_ < 0) chosen_ = static_cast<std::int64_t>(fetched<std::uint64_t>(context_, count_, 1)[0]);
    return {stream_, static_cast<std::size_t>(chosen_)};
  }

 private:
  Context& context_;
  const std::uint8_t* flags_;
  std::size_t pixels_;
  std::uint64_t* count_ = nullptr;
  float* stream_ = nullptr;
  std::int64_t chosen_ = -1;  ///< how many, the same of every plane; below 0 while that is unknown
};

/// Writes each channel of floats as a plane and the notes, then takes what is chosen of each plane.
std::vector<ChannelStatistics> sorted_channels(Context& context, const PixelSources<float>& sources,
                                               const Selection& selection, const PixelNotes& notes,
                                               Streams& streams, std::span<const double> percents) {
  const View<const float>& image = sources.image;
  const std::int64_t pixels = image.width * image.height;
  const std::int64_t plane = (pixels + kPlaneStep - 1) / kPlaneStep * kPlaneStep;
  Workspace workspace(context);
  auto* const planes = workspace.take<float>(plane * count_planes(image.channels));
  evaluate_pixels(context, sources, selection, planes, plane, notes);
  std::vector<ChannelStatistics> result;
  for (const Quantity channel : channels_of(image.channels))
    result.push_back(
        {channel, float_statistics(context, streams.chosen(planes + plane * std::ssize(result)), percents)});
  return result;
}

template <class T>
void check(const PixelSources<T>& sources, const Selection& selection, std::span<const double> percents) {
  const View<const T>& image = sources.image;
  require_valid(image, kCall, "image");
  SCANLENS_REQUIRE(image.channels == 1 || image.channels == 3 || image.channels == 4,
                   fmt::format("{}: {} channels are not supported", kCall, image.channels));
  SCANLENS_REQUIRE(image.width <= INT32_MAX - 8 && image.height <= INT32_MAX,
                   fmt::format("{}: {} is more than {} pixels a side", kCall, shape(image), INT32_MAX - 8));
  const auto beside = [&](const View<const float>& view, const char* name, bool asked_for) {
    require_valid(view, kCall, name);
    SCANLENS_REQUIRE(view.data != nullptr || !asked_for || image.empty(),
                     fmt::format("{}: the selection needs `{}`, which is missing", kCall, name));
    SCANLENS_REQUIRE(view.data == nullptr || (same_size(view, image) && view.channels == 1),
                     fmt::format("{}: `image` is {} but `{}` is {}", kCall, shape(image), name, shape(view)));
  };
  beside(sources.disparity, "disparity",
         selection.asks_for(Quantity::depth) || selection.asks_for(Quantity::coc));
  beside(sources.mask, "mask", selection.asks_for(Quantity::mask));
  for (const Quantity color : {Quantity::red, Quantity::green, Quantity::blue, Quantity::alpha})
    SCANLENS_REQUIRE(!selection.asks_for(color) || image.channels == 4 ||
                         (image.channels == 3 && color != Quantity::alpha),
                     fmt::format("{}: the selection needs a channel that `image` does not have", kCall));
  for (const double percent : percents)
    SCANLENS_REQUIRE(percent >= 0 && percent <= 100,
                     fmt::format("{}: a percentile lies between 0 and 100, not at {}", kCall, percent));
}

/// The view, or a packed copy of it.
template <class T>
View<const T> packed(Context& context, Workspace& workspace, View<const T> view) {
  if (view.pitch == view.row_samples() || view.empty()) return view;
  const View<T> copied(workspace.take<T>(view.row_samples() * view.height), view.width, view.height,
                       view.channels);
  copy(context, view, copied);
  return copied;
}

}  // namespace

template <class T>
std::vector<ChannelStatistics> pixel_statistics(Context& context, const PixelSources<T>& sources,
                                                const Selection& selection,
                                                std::span<const double> percents) {
  check(sources, selection, percents);
  refuse_capture(context, kCall);
  const std::int64_t pixels = sources.image.width * sources.image.height;
  const bool selects = !selection.chooses_all(), has_depth = sources.disparity.data != nullptr;
  constexpr bool kCounts = std::is_integral_v<T>;

  Workspace workspace(context);
  PixelSources<T> from = sources;
  from.image = packed(context, workspace, sources.image);
  from.disparity = packed(context, workspace, sources.disparity);
  from.mask = packed(context, workspace, sources.mask);
  PixelNotes notes;
  if (selects && (has_depth || !kCounts)) notes.flags = workspace.take<std::uint8_t>(pixels);
  if (has_depth) notes.depth = workspace.take<float>(pixels);
  Streams streams(context, workspace, notes.flags, pixels);
  std::vector<ChannelStatistics> result;
  if constexpr (kCounts)
    result = counted_channels(context, from, selection, notes);
  else
    result = sorted_channels(context, from, selection, notes, streams, percents);
  if (has_depth)
    result.push_back({Quantity::depth, float_statistics(context, streams.chosen(notes.depth), percents)});
  return result;
}

std::int64_t pixel_statistics_workspace(std::int64_t width, std::int64_t height, int channels,
                                        int sample_bytes, bool depth, bool selects) {
  constexpr std::int64_t kFloatBytes = sizeof(float);
  const bool of_floats = sample_bytes == kFloatBytes, sorts = depth || of_floats;
  // Planes of floats; depth; flags and a stream. A sort takes another array of keys, and counters that grow
  // with it.
  const std::int64_t planes = (of_floats ? count_planes(channels) : 0) + (depth ? 1 : 0);
  const std::int64_t a_pixel =
      planes * kFloatBytes + (sorts && selects ? 1 + kFloatBytes : 0) + (sorts ? kFloatBytes : 0);
  // Each of the CPU's threads has counters of its own, which are few for 8 bits.
  const std::int64_t of_threads =
      sample_bytes == 2
          ? width * height / kPixelsPerCode * count_planes(channels) * std::int64_t{sizeof(std::uint64_t)}
          : 0;
  constexpr std::int64_t kCounters = std::int64_t{16} << 20;
  return width * height * a_pixel + (sorts ? width * height / 4 : 0) + of_threads + kCounters;
}

#define SCANLENS_INSTANTIATE(T)                                                              \
  template std::vector<ChannelStatistics> pixel_statistics(Context&, const PixelSources<T>&, \
                                                           const Selection&, std::span<const double>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
