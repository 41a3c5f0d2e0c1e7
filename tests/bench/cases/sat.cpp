// Summed-area tables of 8-bit pictures. `scanlens compare` does the same for a picture of yours.
#include "core/sat.h"

#include <tbb/parallel_for.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/sat_classic.h"
#include "filters/color_tables.h"
#include "tests/bench/bench.h"
#include "tests/bench/copy.h"
#include "tests/bench/peers/npp.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

struct Kind {
  const char* name;
  int channels = 3;
  bool looked_up = false;  ///< samples are summed as linear light, as depth of field has them
  bool bordered = false;   ///< a row and a column of zeros come first, as cv::integral has them
  bool planar = false;
  bool squares = false;  ///< also makes the table of squares
  bool classic = false;
  std::int64_t images = 1;  ///< per call
};
constexpr Kind kKinds[] = {{.name = "mono", .channels = 1},
                           {.name = "RGB"},
                           {.name = "RGB, looked up", .looked_up = true},
                           {.name = "RGB, bordered", .bordered = true},
                           {.name = "RGB, planar", .planar = true},
                           {.name = "RGB and squares", .squares = true},
                           {.name = "RGBA", .channels = 4},
                           {.name = "classic, RGB", .classic = true}};
constexpr Kind kBatch = {.name = "RGB, 64 in one call", .images = 64};

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
  std::int64_t table_width() const { return shape.width + kind.bordered; }
  std::int64_t table_height() const { return shape.height + kind.bordered; }
  std::int64_t entries_of_one() const { return table_width() * table_height() * kind.images * kind.channels; }
  View<const std::uint8_t> image(std::int64_t set) const {
    return {samples.data() + set * samples_of_one(), shape.width, shape.height * kind.images, kind.channels};
  }
  View<std::uint32_t> table(std::int64_t set) const { return shaped(sums, set); }
  View<std::uint64_t> squares(std::int64_t set) const { return shaped(sums_of_squares, set); }
  template <class S>
  View<S> shaped(std::span<S> all, std::int64_t set) const {
    S* data = all.data() + set * entries_of_one();
    const std::int64_t rows = table_height() * kind.images;
    if (kind.planar) return {data, table_width(), rows * kind.channels};
    return {data, table_width(), rows, kind.channels};
  }
};

/// Tells what is wrong with a table: four neighbouring entries give back the term of the sample between them,
/// or its square, modulo 2^32; with the first row and column that is the whole table.
template <class S>
std::string check(const Sets& sets, const S* sums, bool squares) {
  const std::int64_t width = sets.shape.width, height = sets.shape.height;
  const std::int64_t channels = sets.kind.channels, rows = sets.count * sets.kind.images * height;
  const std::int64_t border = sets.kind.bordered, entries = sets.table_width() * sets.table_height();
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, rows, [&](std::int64_t row) {
    const std::int64_t image = row / height, y = row % height;
    const auto at = [&](std::int64_t x, std::int64_t line, std::int64_t c) {
      if (x < -border || line < -border) return S{0};
      const std::int64_t entry = (line + border) * sets.table_width() + x + border;
      return sums[image * entries * channels +
                  (sets.kind.planar ? c * entries + entry : entry * channels + c)];
    };
    for (std::int64_t x = 0; x < width; ++x)
      for (std::int64_t c = 0; c < channels; ++c) {
        const std::int64_t sample = (row * width + x) * channels + c;
        const S box = at(x, y, c) - at(x - 1, y, c) - at(x, y - 1, c) + at(x - 1, y - 1, c);
        const std::uint8_t code = Input::random().at<std::uint8_t>(static_cast<std::uint64_t>(sample));
        const S value = sets.kind.looked_up ? srgb8_to_linear16()[code] : code;
        if (box != (squares ? value * value : value)) return wrong.note(sample);
        if (border && (at(x, -1, c) != 0 || at(-1, y, c) != 0)) return wrong.note(sample);
      }
  });
  return wrong.text();
}

/// The peers of this kind of table. Both put a row and a column of zeros before it, into arrays of their own.
std::vector<Peer> peers(Bench& bench, const Sets& sets) {
  if (sets.kind.planar || sets.kind.images > 1 || sets.kind.squares || sets.kind.looked_up ||
      sets.shape.width >= INT32_MAX || sets.shape.height >= INT32_MAX)
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

/// The schedule by its name.
const char* name_of(TablePlan plan) {
  switch (plan) {
    case TablePlan::bands:
      return "bands";
    case TablePlan::resident:
      return "resident";
    case TablePlan::stripes:
      return "stripes";
    default:
      return "tiles";
  }
}

void table(Bench& bench, const Kind& kind, const Shape& shape) {
  constexpr std::int64_t kMostSets = 32, kTimesTheCache = 4;
  Sets sets{kind, shape, 1, {}, {}, {}};
  Case one;
  one.primitive = "sat";
  one.variant = kind.name;
  one.type = kind.squares ? "u8 -> u32, u64" : "u8 -> u32";
  one.size = shape_name(shape);
  one.elements = sets.samples_of_one();
  one.bytes_read = one.elements;
  one.bytes_written = sets.entries_of_one() * (kind.squares ? 12 : 4);
  const std::int64_t bytes = one.bytes_read + one.bytes_written;
  if (bench.on_cuda() && bytes <= cache_bytes(bench.context()))
    sets.count = std::min(
        kMostSets, kTimesTheCache * cache_bytes(bench.context()) / std::max<std::int64_t>(bytes, 1) + 1);
  one.calls = sets.count;
  bench.attempt("sat " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read * sets.count, one.bytes_written * sets.count);
    Context& context = bench.context();
    sets.samples = bench.filled<std::uint8_t>(one.elements * sets.count, Input::random());
    sets.sums = bench.target<std::uint32_t>(sets.entries_of_one() * sets.count);
    if (kind.squares) sets.sums_of_squares = bench.target<std::uint64_t>(sets.entries_of_one() * sets.count);
    Terms terms;
    if (kind.looked_up) terms.lut = context.readable(srgb8_to_linear16(), 256);
    if (!kind.classic)
      one.plan = name_of(summed_area_table_plan<std::uint8_t, std::uint32_t>(
          context, sets.image(0), sets.table(0), terms, kind.images));
    one.ours = [=, &context] {
      for (std::int64_t set = 0; set < sets.count; ++set) {
        if (kind.squares)
          summed_area_tables<std::uint8_t, std::uint32_t>(context, sets.image(set), sets.table(set),
                                                          sets.squares(set));
        else if (kind.classic)
          classic_summed_area_table<std::uint8_t, std::uint32_t>(context, sets.image(set), sets.table(set));
        else
          summed_area_table<std::uint8_t, std::uint32_t>(context, sets.image(set), sets.table(set), terms,
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
