// Measures depth maps that are brought to their photo, which lies on the device already.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/devices.h"
#include "core/image.h"
#include "filters/depth/fit.h"
#include "tests/bench/bench.h"
#include "tests/bench/copy.h"
#include "tests/bench/verify.h"
#include "tests/bench/waits.h"

namespace scanlens::bench {
namespace {

constexpr int kRgb = 3;
constexpr std::int64_t kReduction = 4;  ///< of the map's sides

/// True of pixels in near squares, which cover a quarter of a photo. Their sides are an eighth of its width.
bool is_near(std::int64_t x, std::int64_t y, const Shape& photo) {
  const std::int64_t side = std::max<std::int64_t>(photo.width / 8, 1);
  return (x + y / 8) / side % 2 == 1 && y / side % 2 == 1;
}

/// Near squares before a slope.
std::vector<float> map_for(const Shape& photo, const Shape& map) {
  std::vector<float> values(static_cast<std::size_t>(map.width * map.height));
  for (std::int64_t y = 0; y < map.height; ++y)
    for (std::int64_t x = 0; x < map.width; ++x)
      values[static_cast<std::size_t>(y * map.width + x)] =
          is_near(x * kReduction, y * kReduction, photo)
              ? 0.9f
              : 0.5f * static_cast<float>(y) / static_cast<float>(map.height);
  return values;
}

/// Bright squares a pixel beside those of the map, before something dark; both have some noise.
std::vector<std::uint8_t> codes_for(const Shape& photo) {
  constexpr int kBright = 190, kDark = 50, kNoise = 8;
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(photo.width * photo.height * kRgb));
  for (std::int64_t y = 0; y < photo.height; ++y)
    for (std::int64_t x = 0; x < photo.width * kRgb; ++x) {
      const auto at = static_cast<std::uint64_t>(y * photo.width * kRgb + x);
      codes[at] = static_cast<std::uint8_t>((is_near(x / kRgb + 1, y, photo) ? kBright : kDark) +
                                            Input::random().at<std::uint8_t>(at) % kNoise);
    }
  return codes;
}

void fit(Context& context, View<const float> map, View<const std::uint8_t> photo, View<float> out) {
  enlarge_along_edges<std::uint8_t>(context, map, photo, {0, 1}, out);
  move_jumps<std::uint8_t>(context, out, photo);
}

/// Says how the result differs from the CPU's, to the bit.
std::string check(const std::vector<float>& map, const Shape& of_map, const std::vector<std::uint8_t>& codes,
                  const Shape& photo, std::span<const float> found) {
  Context cpu = Context::open("cpu");
  Image<float> expected(photo.width, photo.height);
  fit(cpu, {map.data(), of_map.width, of_map.height}, {codes.data(), photo.width, photo.height, kRgb},
      expected.view());
  FirstWrong wrong;
  for (std::size_t i = 0; i < found.size() && !wrong.any(); ++i)
    if (found[i] != expected.view().data[i]) wrong.note(static_cast<std::int64_t>(i));
  return wrong.text("pixel");
}

void measure(Bench& bench, const Shape& photo) {
  const Shape of_map{(photo.width + kReduction - 1) / kReduction,
                     (photo.height + kReduction - 1) / kReduction};
  const std::int64_t pixels = photo.width * photo.height, values = of_map.width * of_map.height;
  Result line;
  line.primitive = "depth";
  line.variant = "map of a quarter, along edges";
  line.type = "u8";
  line.size = shape_name(photo);
  line.device = bench.context().device().id;
  line.elements = pixels;
  const std::int64_t written = pixels * static_cast<std::int64_t>(sizeof(float)),
                     read = pixels * kRgb + values * static_cast<std::int64_t>(sizeof(float));
  line.bytes = written + read;
  line.in_cache = line.bytes <= cache_bytes(bench.context());
  bench.attempt("depth " + line.size, [&] {
    bench.reserve(read, 2 * written);
    Context& context = bench.context();
    const std::vector<float> map = map_for(photo, of_map);
    const std::vector<std::uint8_t> codes = codes_for(photo);
    const auto from = bench.uploaded(map);
    const auto samples = bench.uploaded(codes);
    const auto out = bench.target<float>(pixels), copied = bench.target<float>(pixels);
    const View<float> result(out.data(), photo.width, photo.height);
    const Work work = [&] {
      fit(context, {from.data(), of_map.width, of_map.height},
          {samples.data(), photo.width, photo.height, kRgb}, result);
    };
    work();
    line.wrong = check(map, of_map, codes, photo, bench.host(out));
    if (line.verified()) {
      line.ours = time_waiting(bench, work);
      // The bound is to copy the result once.
      line.bound_ms = time_waiting(bench, [&] {
                        copy(context, result, View<float>(copied.data(), photo.width, photo.height));
                      }).ms;
    }
    bench.collect(std::move(line));
  });
}

}  // namespace

void bench_depth(Bench& bench) {
  for (const Shape& shape : bench.settings().sizes.shapes_or({{1920, 1080}, {3840, 2160}, {4000, 3000}}))
    measure(bench, shape);
}

}  // namespace scanlens::bench
