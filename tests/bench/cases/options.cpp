// Measures scans with options, of halves, and along axes with few inner elements.
#include "core/scan.h"
#include "core/scan_axis.h"
#include "tests/bench/bench.h"
#include "tests/bench/types.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

Case scan_case(std::string primitive, std::string variant, std::string type, std::string size, std::int64_t n,
               std::int64_t element_bytes) {
  Case one;
  one.primitive = std::move(primitive);
  one.variant = std::move(variant);
  one.type = std::move(type);
  one.size = std::move(size);
  one.elements = n;
  one.bytes_read = one.bytes_written = n * element_bytes;
  return one;
}

/// The options of a row of the table.
struct Options {
  const char* name;
  bool initial, length, reverse;
};

void sum(Bench& bench, const Options& chosen, std::int64_t n) {
  Case one = scan_case("options", chosen.name, "u32", length_name(n), n, 4);
  bench.attempt("scan " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read + 64, one.bytes_written);
    Context& context = bench.context();
    const auto in = bench.filled<std::uint32_t>(n, Input::random());
    const auto out = bench.target<std::uint32_t>(n);
    const auto length = bench.uploaded(std::vector<std::uint64_t>(1, static_cast<std::uint64_t>(n)));
    ScanOptions<std::uint32_t> options;
    if (chosen.initial) options.initial = 12345u;
    if (chosen.length) options.length = length.data();
    options.reverse = chosen.reverse;
    one.ours = [=, &context] { inclusive_scan(context, in, out, Sum(), options); };
    one.verify = [=, &bench] {
      const std::span<const std::uint32_t> sums = bench.host(out);
      const auto place = [=](std::int64_t i) {
        return static_cast<std::uint64_t>(options.reverse ? n - 1 - i : i);
      };
      FirstWrong wrong;
      walk(
          n, std::uint32_t{0}, [=](std::int64_t i) { return Input::random().at<std::uint32_t>(place(i)); },
          std::plus<>(),
          [=](std::int64_t i, std::uint32_t, std::uint32_t after) {
            return sums[place(i)] == after + (chosen.initial ? 12345u : 0u);
          },
          wrong);
      return wrong.text();
    };
    bench.run(one);
  });
}

/// Halves that are 0 or the least there is, so that every sum is known.
template <class T>
void half_sum(Bench& bench, const char* type, std::int64_t n) {
  Case one = scan_case("options", "inclusive sum", type, length_name(n), n, 2);
  bench.attempt(std::string("scan of ") + type + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto bits = bench.filled<std::uint16_t>(n, Input::flags(0.5));
    const std::span<const T> in(reinterpret_cast<const T*>(bits.data()), bits.size());
    const auto out = bench.target<T>(n);
    one.ours = [=, &context] { inclusive_scan(context, in, out); };
    one.verify = [=, &bench] {
      T least;
      least.bits = 1;
      const std::span<const T> sums = bench.host(out);
      FirstWrong wrong;
      walk(
          n, std::int64_t{0},
          [](std::int64_t i) {
            return std::int64_t{Input::flags(0.5).at<std::uint16_t>(static_cast<std::uint64_t>(i))};
          },
          std::plus<>(),
          [=](std::int64_t i, std::int64_t, std::int64_t after) {
            const double unit = static_cast<float>(least), expected = static_cast<double>(after) * unit;
            const double error = std::abs(static_cast<float>(sums[static_cast<std::size_t>(i)]) - expected);
            return error <= expected * 0x1.01p-8 + unit;
          },
          wrong);
      return wrong.text();
    };
    bench.run(one);
  });
}

/// Sums down the columns of a dense array that is `inner` wide: PyTorch's cumsum(0).
template <class T>
void axis_sum(Bench& bench, const Shape& shape) {
  const std::int64_t n = shape.width * shape.height;
  Case one = scan_case("axes", "sum along the first axis", type_name<T>(), shape_name(shape), n, sizeof(T));
  bench.attempt("scan along an axis of " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto in = bench.filled<T>(n, Input::random());
    const auto out = bench.target<T>(n);
    one.ours = [=, &context] { inclusive_scan_axis(context, in, out, {1, shape.height, shape.width}); };
    one.verify = [=, &bench] {
      return check_columns<T>(Input::random(),
                              View<const T>(bench.host(out).data(), shape.width, shape.height));
    };
    bench.run(one);
  });
}

}  // namespace

void bench_options(Bench& bench) {
  const SizeChoice& sizes = bench.settings().sizes;
  const std::int64_t large = std::int64_t{1} << (bench.on_cuda() ? 28 : 24);
  const Options kinds[] = {{"inclusive sum", false, false, false},
                           {"with initial value", true, false, false},
                           {"with length", false, true, false},
                           {"with both", true, true, false},
                           {"in reverse", false, false, true}};
  for (const std::int64_t n : sizes.lengths_or({large})) {
    for (const Options& options : kinds) sum(bench, options, n);
    half_sum<Half>(bench, "f16", n);
    half_sum<BFloat16>(bench, "bf16", n);
  }
}

// PyTorch is measured by tests/bench/torch_cumsum.py.
void bench_axes(Bench& bench) {
  const std::int64_t height = std::int64_t{1} << (bench.on_cuda() ? 20 : 16);
  std::vector<Shape> narrow;
  for (const std::int64_t inner : {2, 3, 4, 8, 16, 32}) narrow.push_back({inner, height});
  for (const Shape& shape : bench.settings().sizes.shapes_or(narrow)) axis_sum<float>(bench, shape);
}

}  // namespace scanlens::bench
