// Every filter of the registry, of several sizes where it has one, beside its peers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/image.h"
#include "filters/bands.h"
#include "filters/registry.h"
#include "tests/bench/bench.h"
#include "tests/bench/cases/filter_peers.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

constexpr int kRgb = 3;
constexpr std::int64_t kBand = 128;

/// Makes a mask, depth or an overlay that grows down the picture, in the context's memory.
Image<float> ramp(Context& context, const Shape& shape, MapKind kind) {
  const int channels = kind == MapKind::picture ? 4 : 1;
  Image<float> here(shape.width, shape.height, channels);
  for (std::int64_t y = 0; y < shape.height; ++y)
    std::fill_n(here.view().row(y), shape.width * channels,
                static_cast<float>(y + 1) / static_cast<float>(shape.height));
  return upload(context, std::move(here));
}

/// Says how `out` differs from what the CPU makes of the picture in bands: on CUDA another backend's work, on
/// the CPU another way through the filter. Tests say what the filter should make of a picture.
std::string check(FilterCall call, const Shape& shape, std::span<const std::uint8_t> out) {
  Context cpu = Context::open("cpu");
  const Image<float> map =
      call.filter->map == MapKind::none ? Image<float>() : ramp(cpu, shape, call.filter->map);
  call.map = map.view();
  const int tolerance = call.filter->same_everywhere ? 0 : 1;
  const RowFormat format{shape.width, shape.height, kRgb, 1};
  BandStream stream(cpu, call, format, kBand);
  FirstWrong wrong;
  std::size_t done = 0;
  const auto compare = [&](std::span<const std::byte> rows) {
    const auto* expected = reinterpret_cast<const std::uint8_t*>(rows.data());
    const auto alike = [=](std::uint8_t a, std::uint8_t b) { return std::abs(a - b) <= tolerance; };
    const auto differs = std::mismatch(expected, expected + rows.size(), out.data() + done, alike).first;
    const auto at = static_cast<std::size_t>(differs - expected);
    if (at < rows.size()) wrong.note(static_cast<std::int64_t>((done + at) / kRgb));
    done += rows.size();
  };
  std::vector<std::uint8_t> band(static_cast<std::size_t>(kBand) * format.row_bytes());
  for (std::int64_t y = 0; y < shape.height; y += kBand) {
    const auto first = static_cast<std::uint64_t>(y * shape.width * kRgb);
    const std::size_t length =
        static_cast<std::size_t>(std::min(kBand, shape.height - y)) * format.row_bytes();
    for (std::size_t i = 0; i < length; ++i) band[i] = Input::random().at<std::uint8_t>(first + i);
    compare(stream.push(std::as_bytes(std::span(band).first(length))));
  }
  for (std::span<const std::byte> rows; !(rows = stream.finish()).empty();) compare(rows);
  return wrong.text("pixel");
}

/// A call and what the table says of it.
struct Variant {
  std::string name;
  FilterCall call;
};

/// The filter as it is by default, and small, middling and large, which should take the same time.
std::vector<Variant> variants_of(const Filter& filter) {
  for (const Param& param : filter.params)
    if (param.name == "radius" || param.name == "sigma") {
      const std::set<double> sizes = {4, 16, 64, param.value};
      std::vector<Variant> variants;
      for (const double size : sizes) {
        FilterCall call{&filter, filter.defaults()};
        param.in(call.params) = size;
        variants.push_back({fmt::format("{}, {} {}", filter.name, param.name, size), std::move(call)});
      }
      return variants;
    }
  if (filter.example.empty()) return {{std::string(filter.name), {&filter, filter.defaults()}}};
  const std::string text = fmt::format("{}:{}", filter.name, filter.example);
  return {{text, parse_filter(text)}};
}

void filter(Bench& bench, const Shape& shape, const Variant& variant) {
  const std::int64_t samples = shape.width * shape.height * kRgb;
  Case one;
  one.primitive = "filters";
  one.variant = variant.name;
  one.type = "u8";
  one.size = shape_name(shape);
  one.elements = samples;
  one.bytes_read = samples;
  const RowFormat made = output_of(variant.call, {shape.width, shape.height, kRgb, 1});
  const std::int64_t made_samples = made.width * made.height * kRgb;
  one.bytes_written = made_samples;
  one.is_queued = !variant.call.filter->takes_tones && variant.call.filter->name != "levels";
  bench.attempt("filters " + one.variant + " " + one.size, [&] {
    FilterCall call = variant.call;
    const std::int64_t whole = band_stream_bytes(call, {shape.width, shape.height, kRgb, 1}, shape.height);
    bench.reserve(one.bytes_read, one.bytes_written + whole);
    Context& context = bench.context();
    Image<float> map;
    if (call.filter->map != MapKind::none) map = ramp(context, shape, call.filter->map);
    call.map = map.view();
    const auto in = bench.filled<std::uint8_t>(samples, Input::random());
    const auto to = bench.target<std::uint8_t>(made_samples);
    const View<const std::uint8_t> image(in.data(), shape.width, shape.height, kRgb);
    const View<std::uint8_t> out(to.data(), made.width, made.height, kRgb);
    one.ours = [=, &context] { run_filter<std::uint8_t>(context, call, image, out); };
    one.peers = filter_peers(context, call, image, out);
    one.verify = [=, &bench] { return check(call, shape, bench.host(to)); };
    bench.run(one);
  });
}

}  // namespace

void bench_filters(Bench& bench) {
  for (const Shape& shape : bench.settings().sizes.shapes_or({{3840, 2160}}))
    for (const Filter* each : all_filters())
      for (const Variant& variant : variants_of(*each)) filter(bench, shape, variant);
}

}  // namespace scanlens::bench
