// Summed-area tables of 8-bit RGB pictures. `scanlens compare` does the same for a picture of yours.
#include <tbb/parallel_for.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "app/bench.h"
#include "app/bench_verify.h"
#include "core/sat.h"

namespace scanlens::bench {
namespace {

constexpr int kChannels = 3;

/// Four neighbouring entries give back the sample between them, modulo 2^32; with the first row and column
/// that is the whole table.
std::string check(View<const std::uint32_t> table) {
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, table.height, [&](std::int64_t y) {
    const auto at = [&](std::int64_t x, std::int64_t row, int c) {
      return x < 0 || row < 0 ? 0u : table(x, row, c);
    };
    for (std::int64_t x = 0; x < table.width; ++x)
      for (int c = 0; c < kChannels; ++c) {
        const std::int64_t sample = (y * table.width + x) * kChannels + c;
        const std::uint32_t box = at(x, y, c) - at(x - 1, y, c) - at(x, y - 1, c) + at(x - 1, y - 1, c);
        if (box != Input::random().at<std::uint8_t>(static_cast<std::uint64_t>(sample)))
          return wrong.note(sample);
      }
  });
  return wrong.text();
}

/// cv::integral puts a row and a column of zeros before the table, so it writes into an array of its own.
std::vector<Peer> peers(const Bench& bench, View<const std::uint8_t> image) {
  if (bench.on_cuda() || image.width >= INT32_MAX || image.height >= INT32_MAX) return {};
  const cv::Mat in(static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC3,
                   const_cast<std::uint8_t*>(image.data));
  return {{"cv::integral", [in, table = cv::Mat()]() mutable { cv::integral(in, table, CV_32S); }, false}};
}

void table(Bench& bench, const Shape& shape) {
  Case one;
  one.primitive = "sat";
  one.variant = "classic, RGB";
  one.type = "u8 -> u32";
  one.size = shape_name(shape);
  one.elements = shape.width * shape.height * kChannels;
  one.bytes_read = one.elements;
  one.bytes_written = one.elements * 4;
  bench.attempt("sat " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto samples = bench.filled<std::uint8_t>(one.elements, Input::random());
    const auto sums = bench.target<std::uint32_t>(one.elements);
    const View<const std::uint8_t> image(samples.data(), shape.width, shape.height, kChannels);
    const View<std::uint32_t> out(sums.data(), shape.width, shape.height, kChannels);
    one.ours = [=, &context] { summed_area_table<std::uint8_t, std::uint32_t>(context, image, out); };
    one.peers = peers(bench, image);
    one.verify = [=, &bench] {
      return check(View<const std::uint32_t>(bench.host(sums).data(), shape.width, shape.height, kChannels));
    };
    bench.run(one);
  });
}

}  // namespace

void bench_sat(Bench& bench) {
  for (const Shape& shape :
       bench.settings().sizes.shapes_or({{512, 512}, {1024, 1024}, {2048, 2048}, {4096, 4096}}))
    table(bench, shape);
}

}  // namespace scanlens::bench
