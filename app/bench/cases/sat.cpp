// Summed-area tables of 8-bit pictures. `scanlens compare` does the same for a picture of yours.
#include "core/sat.h"

#include <tbb/parallel_for.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "app/bench/bench.h"
#include "app/bench/copy.h"
#include "app/bench/peers/npp.h"
#include "app/bench/verify.h"
#include "core/sat_classic.h"

namespace scanlens::bench {
namespace {

struct Kind {
  const char* name;
  int channels;
  bool planar = false;
  bool classic = false;
  std::int64_t images = 1;  ///< in one call
  bool squares = false;     ///< and the table of squares besides
};
constexpr Kind kKinds[] = {{"mono", 1},
                           {"RGB", 3},
                           {"RGB, planar", 3, true},
                           {"RGB and squares", 3, false, false, 1, true},
                           {"RGBA", 4},
                           {"classic, RGB", 3, false, true}};
constexpr Kind kBatch = {"RGB, 64 in one call", 3, false, false, 64};

/// The images of one kind and size, and their tables. More than one set where one would stay in the cache
/// from one call to the next: calls then go over all sets in turn.
struct Sets {
  Kind kind;
  Shape shape;
  std::int64_t count;
  std::span<const std::uint8_t> samples;
  std::span<std::uint32_t> sums;
  std::span<std::uint64_t> sums_of_squares;

  std::int64_t samples_of_one() const { return shape.width * shape.height * kind.images * kind.channels; }
  View<const std::uint8_t> image(std::int64_t set) const {
    return {samples.data() + set * samples_of_one(), shape.width, shape.height * kind.images, kind.channels};
  }
  View<std::uint32_t> table(std::int64_t set) const { return shaped(sums, set); }
  View<std::uint64_t> squares(std::int64_t set) const { return shaped(sums_of_squares, set); }
  template <class S>
  View<S> shaped(std::span<S> all, std::int64_t set) const {
    S* data = all.data() + set * samples_of_one();
    if (kind.planar) return {data, shape.width, shape.height * kind.images * kind.channels};
    return {data, shape.width, shape.height * kind.images, kind.channels};
  }
};

/// Four neighbouring entries give back the sample between them, or its square, modulo 2^32; with the first
/// row and column that is the whole table.
template <class S>
std::string check(const Sets& sets, const S* sums, bool squares) {
  const auto [width, height] = sets.shape;
  const std::int64_t channels = sets.kind.channels, rows = sets.count * sets.kind.images * height;
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, rows, [&](std::int64_t row) {
    const std::int64_t image = row / height, y = row % height;
    const auto at = [&](std::int64_t x, std::int64_t line, std::int64_t c) {
      const std::int64_t pixel = line * width + x;
      if (x < 0 || line < 0) return S{0};
      return sums[image * width * height * channels +
                  (sets.kind.planar ? c * width * height + pixel : pixel * channels + c)];
    };
    for (std::int64_t x = 0; x < width; ++x)
      for (std::int64_t c = 0; c < channels; ++c) {
        const std::int64_t sample = (row * width + x) * channels + c;
        const S box = at(x, y, c) - at(x - 1, y, c) - at(x, y - 1, c) + at(x - 1, y - 1, c);
        const S value = Input::random().at<std::uint8_t>(static_cast<std::uint64_t>(sample));
        if (box != (squares ? value * value : value)) return wrong.note(sample);
      }
  });
  return wrong.text();
}

/// Both put a row and a column of zeros before the table, so they write into arrays of their own.
std::vector<Peer> peers(Bench& bench, const Sets& sets) {
  if (sets.kind.planar || sets.kind.images > 1 || sets.kind.squares || sets.shape.width >= INT32_MAX ||
      sets.shape.height >= INT32_MAX)
    return {};
  if (bench.on_cuda()) {
    if (sets.kind.channels > 1) return {};
    std::vector<View<const std::uint8_t>> images;
    for (std::int64_t set = 0; set < sets.count; ++set) images.push_back(sets.image(set));
    const std::optional<Peer> npp = npp_integral(bench.context(), images);
    return npp ? std::vector<Peer>{*npp} : std::vector<Peer>{};
  }
  return {{"cv::integral",
           [sets, table = cv::Mat()]() mutable {
             for (std::int64_t set = 0; set < sets.count; ++set) {
               const View<const std::uint8_t> image = sets.image(set);
               const cv::Mat in(static_cast<int>(image.height), static_cast<int>(image.width),
                                CV_8UC(image.channels), const_cast<std::uint8_t*>(image.data));
               cv::integral(in, table, CV_32S);
             }
           },
           false}};
}

void table(Bench& bench, const Kind& kind, const Shape& shape) {
  constexpr std::int64_t kMostSets = 32, kTimesTheCache = 4;
  Sets sets{kind, shape, 1, {}, {}, {}};
  const std::int64_t bytes = sets.samples_of_one() * (kind.squares ? 13 : 5);
  if (bench.on_cuda() && bytes <= cache_bytes(bench.context()))
    sets.count = std::min(
        kMostSets, kTimesTheCache * cache_bytes(bench.context()) / std::max<std::int64_t>(bytes, 1) + 1);
  Case one;
  one.primitive = "sat";
  one.variant = kind.name;
  one.type = kind.squares ? "u8 -> u32, u64" : "u8 -> u32";
  one.size = shape_name(shape);
  one.calls = sets.count;
  one.elements = sets.samples_of_one();
  one.bytes_read = one.elements;
  one.bytes_written = bytes - one.elements;
  bench.attempt("sat " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read * sets.count, one.bytes_written * sets.count);
    Context& context = bench.context();
    sets.samples = bench.filled<std::uint8_t>(one.elements * sets.count, Input::random());
    sets.sums = bench.target<std::uint32_t>(one.elements * sets.count);
    if (kind.squares) sets.sums_of_squares = bench.target<std::uint64_t>(one.elements * sets.count);
    one.ours = [=, &context] {
      for (std::int64_t set = 0; set < sets.count; ++set) {
        if (kind.squares)
          summed_area_tables<std::uint8_t, std::uint32_t>(context, sets.image(set), sets.table(set),
                                                          sets.squares(set));
        else if (kind.classic)
          classic_summed_area_table<std::uint8_t, std::uint32_t>(context, sets.image(set), sets.table(set));
        else
          summed_area_table<std::uint8_t, std::uint32_t>(context, sets.image(set), sets.table(set), {},
                                                         kind.images);
      }
    };
    one.peers = peers(bench, sets);
    one.verify = [=, &bench] {
      const std::string wrong = check(sets, bench.host(sets.sums).data(), false);
      if (!wrong.empty() || !kind.squares) return wrong;
      return check(sets, bench.host(sets.sums_of_squares).data(), true);
    };
    bench.run(one);
  });
}

}  // namespace

void bench_sat(Bench& bench) {
  std::vector<Shape> own = {{512, 512}, {1024, 1024}, {1920, 1080}, {3840, 2160}, {4096, 4096}, {8192, 8192}};
  if (bench.on_cuda()) own.push_back({16384, 16384});
  const std::vector<Shape> shapes = bench.settings().sizes.shapes_or(own);
  for (const Shape& shape : shapes) {
    for (const Kind& kind : kKinds) table(bench, kind, shape);
    if (shape.width <= 512 && shape.height <= 512) table(bench, kBatch, shape);
  }
}

}  // namespace scanlens::bench
