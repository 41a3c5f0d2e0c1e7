// Statistics of the pixels of pictures, from the picture on the device to numbers on the host.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/devices.h"
#include "core/reduce.h"
#include "filters/statistics.h"
#include "tests/bench/bench.h"
#include "tests/bench/copy.h"
#include "tests/bench/waits.h"

namespace scanlens::bench {
namespace {

constexpr int kRgb = 3;
constexpr std::array<double, 3> kPercents = {5, 50, 95};

/// The pictures, and the pixels chosen of them.
struct Chosen {
  const char* name;
  Input picture;
  float above;  ///< pixels of more luma than that; all where it is negative
};

/// Counts the luma of the chosen pixels by a loop, and says what is wrong with what was found.
template <class T>
std::string check(const std::vector<ChannelStatistics>& found, std::int64_t pixels, const Chosen& chosen) {
  constexpr unsigned kWhite = std::numeric_limits<T>::max();
  std::vector<std::uint64_t> counts(kWhite + 1);
  for (std::int64_t i = 0; i < pixels; ++i) {
    const auto sample = [&](int c) {
      return unsigned{chosen.picture.at<T>(static_cast<std::uint64_t>(kRgb * i + c))};
    };
    const unsigned luma = (2126 * sample(0) + 7152 * sample(1) + 722 * sample(2) + 5000) / 10000;
    if (static_cast<float>(luma) / static_cast<float>(kWhite) > chosen.above) ++counts[luma];
  }
  const auto& codes = std::get<CodeCounts>(found.back().values).counts();
  return std::equal(counts.begin(), counts.end(), codes.begin(), codes.end()) ? "" : "the counts of luma";
}

template <class T>
void statistics(Bench& bench, const Shape& shape, const Chosen& chosen) {
  const std::int64_t pixels = shape.width * shape.height, samples = pixels * kRgb;
  constexpr int kBytes = sizeof(T);
  Result line;
  line.primitive = "stats";
  line.variant = chosen.name;
  line.type = kBytes == 1 ? "u8" : "u16";
  line.size = shape_name(shape);
  line.device = bench.context().device().id;
  line.elements = samples;
  line.bytes = samples * kBytes;
  line.in_cache = line.bytes <= cache_bytes(bench.context());
  bench.attempt("stats " + line.variant + " " + line.type + " " + line.size, [&] {
    bench.reserve(line.bytes, pixel_statistics_workspace(shape.width, shape.height, kRgb, kBytes, false,
                                                         chosen.above >= 0));
    Context& context = bench.context();
    const auto in = bench.filled<T>(samples, chosen.picture);
    const auto sum = bench.target<std::uint64_t>(1);
    PixelSources<T> sources;
    sources.image = {in.data(), shape.width, shape.height, kRgb};
    const Selection selection =
        chosen.above < 0 ? Selection() : compare(Quantity::luma, Compare<float>::greater, chosen.above);
    std::vector<ChannelStatistics> found;
    const Work work = [&] { found = pixel_statistics(context, sources, selection, kPercents); };
    work();
    line.wrong = check<T>(found, pixels, chosen);
    if (line.verified()) {
      line.ours = time_waiting(bench, work);
      // The bound is to read the picture once, as a sum does.
      line.bound_ms = time_waiting(bench, [&] { reduce(context, in, sum.data(), Sum()); }).ms;
    }
    bench.collect(std::move(line));
  });
}

}  // namespace

void bench_stats(Bench& bench) {
  constexpr float kAll = -1;
  const Chosen all = {"all pixels", Input::random(), kAll},
               half = {"half, luma > 0.5", Input::random(), 0.5f},
               few = {"few, luma > 0.9", Input::random(), 0.9f};
  for (const Shape& shape : bench.settings().sizes.shapes_or({{3840, 2160}, {12288, 8192}})) {
    for (const Chosen& chosen : {all, half, few}) statistics<std::uint8_t>(bench, shape, chosen);
    // Values at which blocks and lanes could wait for each other: one code everywhere, and neighbours that
    // follow one another.
    statistics<std::uint8_t>(bench, shape, {"all pixels, of one tone", Input::flags(0), kAll});
    statistics<std::uint8_t>(bench, shape, {"all pixels, of a ramp", Input::positions(), kAll});
    for (const Chosen& chosen : {all, half}) statistics<std::uint16_t>(bench, shape, chosen);
  }
}

}  // namespace scanlens::bench
