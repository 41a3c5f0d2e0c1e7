// Statistics of the pixels of pictures, from the picture on the device to numbers on the host.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/bench.h"
#include "app/bench/copy.h"
#include "core/reduce.h"
#include "filters/statistics.h"

namespace scanlens::bench {
namespace {

constexpr int kRgb = 3;
constexpr std::array<double, 3> kPercents = {5, 50, 95};

/// Counts the luma of the chosen pixels by a loop, and says what is wrong with what was found.
std::string check(const std::vector<ChannelStatistics>& found, std::int64_t pixels, float above) {
  std::vector<std::uint64_t> counts(256);
  for (std::int64_t i = 0; i < pixels; ++i) {
    const auto sample = [&](int c) {
      return unsigned{Input::random().at<std::uint8_t>(static_cast<std::uint64_t>(kRgb * i + c))};
    };
    const unsigned luma = (2126 * sample(0) + 7152 * sample(1) + 722 * sample(2) + 5000) / 10000;
    if (static_cast<float>(luma) / 255 > above) ++counts[luma];
  }
  const auto& codes = std::get<CodeCounts>(found.back().values).counts();
  return std::equal(counts.begin(), counts.end(), codes.begin(), codes.end()) ? "" : "the counts of luma";
}

/// Times work that waits for its results, which no graph can record.
Timing timed(const Bench& bench, const Work& work) {
  const int rounds = bench.settings().quick ? 3 : 30;
  work();
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) times.push_back(bench.context().time(work));
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

/// The pixels whose luma is above a bound; all where it is negative.
void statistics(Bench& bench, const Shape& shape, const std::string& name, float above) {
  const std::int64_t pixels = shape.width * shape.height, samples = pixels * kRgb;
  Result line;
  line.primitive = "stats";
  line.variant = name;
  line.type = "u8";
  line.size = shape_name(shape);
  line.device = bench.context().device().id;
  line.elements = samples;
  line.bytes = samples;
  line.in_cache = line.bytes <= cache_bytes(bench.context());
  bench.attempt("stats " + name + " " + line.size, [&] {
    bench.reserve(samples, pixel_statistics_workspace(shape.width, shape.height, kRgb, 1, false, above >= 0));
    Context& context = bench.context();
    const auto in = bench.filled<std::uint8_t>(samples, Input::random());
    const auto sum = bench.target<std::uint64_t>(1);
    PixelSources<std::uint8_t> sources;
    sources.image = {in.data(), shape.width, shape.height, kRgb};
    const Selection selection =
        above < 0 ? Selection() : compare(Quantity::luma, Compare<float>::greater, above);
    std::vector<ChannelStatistics> found;
    const Work work = [&] { found = pixel_statistics(context, sources, selection, kPercents); };
    work();
    line.wrong = check(found, pixels, above);
    if (line.verified()) {
      line.ours = timed(bench, work);
      // What bounds it is to read the picture once, as a sum does.
      line.bound_ms = timed(bench, [&] { reduce<std::uint8_t>(context, in, sum.data(), Sum()); }).ms;
    }
    bench.collect(std::move(line));
  });
}

}  // namespace

void bench_stats(Bench& bench) {
  for (const Shape& shape : bench.settings().sizes.shapes_or({{3840, 2160}, {12288, 8192}})) {
    statistics(bench, shape, "all pixels", -1);
    statistics(bench, shape, "half, luma > 0.5", 0.5f);
    statistics(bench, shape, "few, luma > 0.9", 0.9f);
  }
}

}  // namespace scanlens::bench
