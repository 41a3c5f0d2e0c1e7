// Measures scans of all rows, or all columns, of one array.
#include "core/scan_axis.h"
#include "tests/bench/bench.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

void sums(Bench& bench, bool columns, const Shape& shape) {
  Case one;
  one.primitive = "rows";
  one.variant = columns ? "columns" : "rows";
  one.type = "f32";
  one.size = shape_name(shape);
  one.elements = shape.width * shape.height;
  one.bytes_read = one.bytes_written = one.elements * static_cast<std::int64_t>(sizeof(float));
  bench.attempt(one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto samples = bench.filled<float>(one.elements, Input::random());
    const auto sums = bench.target<float>(one.elements);
    const View<const float> in(samples.data(), shape.width, shape.height);
    const View<float> out(sums.data(), shape.width, shape.height);
    one.ours = [=, &context] {
      columns ? inclusive_scan_columns<float>(context, in, out)
              : inclusive_scan_rows<float>(context, in, out);
    };
    one.verify = [=, &bench] {
      const View<const float> scanned(bench.host(sums).data(), shape.width, shape.height);
      return columns ? check_columns<float>(Input::random(), scanned)
                     : check_rows<float>(Input::random(), scanned);
    };
    bench.run(one);
  });
}

}  // namespace

// Neither CUB nor the standard library scans many rows at once; tests/bench/torch_cumsum.py measures PyTorch.
void bench_rows(Bench& bench) {
  const SizeChoice& sizes = bench.settings().sizes;
  const std::vector<Shape> rows = bench.on_cuda()
                                      ? std::vector<Shape>{{16384, 16384}, {256, 1048576}, {1048576, 64}}
                                      : std::vector<Shape>{{4096, 4096}, {256, 65536}, {1048576, 16}};
  const std::vector<Shape> columns(rows.begin(), rows.begin() + 2);
  for (const Shape& shape : sizes.shapes_or(rows)) sums(bench, false, shape);
  for (const Shape& shape : sizes.shapes_or(columns)) sums(bench, true, shape);
}

}  // namespace scanlens::bench
