// Every pass is a kernel, whose threads each go down a part of a column with a running sum, neighbours beside
// each other. A part is long beside the box, so that the sum it begins with is found in less time than the
// rest takes. On CUDA, rows of 16-bit codes that fit a block's shared memory are gone along there; for others
// the picture is turned over, columns of samples becoming rows.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/transpose.h"
#include "filters/blur/codes.h"
#include "filters/blur/columns.h"
#include "filters/blur/kernel.h"
#include "filters/parts/for_each_pixel.h"
#if defined(__CUDACC__)
#include "filters/blur/rows.cuh"
#endif

namespace scanlens {
namespace {

/// Codes of a picture, as they are when they are read: row y, sample x.
template <class T, bool kAlpha>
struct Encoded {
  View<const T> image;

  SCANLENS_HOST_DEVICE typename Codes<T, kAlpha>::Code operator()(std::int64_t x, std::int64_t y) const {
    const int c = kAlpha ? static_cast<int>(x % 4) : 0;
    return Codes<T, kAlpha>::encode(image.row(y) + x - c, c);
  }
};

/// Codes that have been made.
template <class Code>
struct Made {
  View<const Code> codes;

  SCANLENS_HOST_DEVICE Code operator()(std::int64_t x, std::int64_t y) const { return codes.row(y)[x]; }
};

template <class T, bool kAlpha>
struct Finishing {
  View<const typename Codes<T, kAlpha>::Code> codes;
  View<const T> image;  ///< the same rows
  View<T> out;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    if constexpr (kAlpha)
      Codes<T, true>::pixel(&codes(x, y), &image(x, y), &out(x, y));
    else
      for (int c = 0; c < out.channels; ++c) out(x, y, c) = Codes<T, false>::sample(codes(x, y, c));
  }
};

/// A pass down columns of `length` samples; sample i of channel c stands in row i * channels + c. It goes
/// over `count` of them from sample `first` on, to the rows of `out` from its first on. Thread (x, part *
/// channels + c) makes a part of column x.
template <class Code, class Source>
struct Pass {
  using Sum = typename CodeSums<Code>::Sum;
  using Real = typename CodeSums<Code>::Real;

  Source in;
  int channels;
  std::int64_t length;
  BoxPass box;
  std::int64_t first, count, part;
  bool whole;
  View<Code> out;

  static constexpr int kAhead = 8;  ///< samples that are read before the first of them is needed

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::int64_t begin = first + y / channels * part;
    const std::int64_t end = begin + part < first + count ? begin + part : first + count;
    if (begin - box.inner > 0 && end + kAhead + box.inner < length)
      make<true>(x, y % channels, begin, end);
    else
      make<false>(x, y % channels, begin, end);
  }

  /// Makes samples `begin` .. `end` - 1. `kInside`: neither they nor what is read beyond reach a border.
  template <bool kInside>
  SCANLENS_HOST_DEVICE void make(int x, int c, std::int64_t begin, std::int64_t end) const {
    const std::int64_t n = length;
    const Real inside = Real{1} / static_cast<Real>(box.weight(begin, n));
    const auto at = [&](std::int64_t i) {
      return kInside || (i >= 0 && i < n) ? static_cast<Sum>(in(x, i * channels + c)) : Sum{0};
    };
    Sum near_out = at(begin - box.inner - 1), near_in = at(begin + box.inner + 1);
    Sum sum = box.edge * (near_out + near_in);
    for (std::int64_t i = begin - box.inner; i <= begin + box.inner; ++i) sum += box.whole * at(i);
    for (std::int64_t i = begin; i < end; i += kAhead) {
      Sum in_next[kAhead], out_next[kAhead];
      for (int k = 0; k < kAhead; ++k) {
        in_next[k] = at(i + k + box.inner + 2);
        out_next[k] = at(i + k - box.inner);
      }
      for (int k = 0; k < kAhead && i + k < end; ++k) {
        const Real inverse = kInside ? inside : Real{1} / static_cast<Real>(box.weight(i + k, n));
        out(x, (i + k - first) * channels + c) = mean(sum, inverse);
        // One sample on: of those on either side, the near ones change between `edge` and `whole`.
        const Sum far_in = in_next[k], far_out = near_out;
        near_out = out_next[k];
        sum += (box.whole - box.edge) * (near_in - near_out) + box.edge * (far_in - far_out);
        near_in = far_in;
      }
    }
  }

  SCANLENS_HOST_DEVICE Code mean(Sum sum, Real inverse) const {
    const Real value = static_cast<Real>(sum) * inverse;
    return static_cast<Code>(whole ? std::rint(value) : value);
  }
};

/// Two arrays of codes in turn.
template <class Code>
class Passes {
 public:
  Passes(Context& context, std::int64_t codes, bool whole)
      : context_(context),
        workspace_(context),
        from_(workspace_.take<Code>(codes)),
        to_(workspace_.take<Code>(codes)),
        whole_(whole) {}

  View<Code> from(std::int64_t width, std::int64_t height, int channels = 1) const {
    return {from_, width, height, channels};
  }

  /// All passes down columns of `width` x `height` codes, the first of them from `source`; of the last one,
  /// `count` samples from `first` on.
  template <class Source>
  void run(const Source& source, const BoxPass& box, int passes, std::int64_t width, std::int64_t height,
           int channels, std::int64_t first, std::int64_t count) {
    const std::int64_t n = height / channels;
    for (int pass = 0; pass < passes; ++pass) {
      const bool last = pass + 1 == passes;
      const std::int64_t begin = last ? first : 0, samples = last ? count : n;
      if (pass == 0)
        run_pass(source, box, width, n, channels, begin, samples);
      else
        run_pass(Made<Code>{from(width, height)}, box, width, n, channels, begin, samples);
    }
  }

  void transpose(std::int64_t width, std::int64_t height) {
    transpose_any<Code>(context_, View<const Code>(from_, width, height), View<Code>(to_, height, width));
    std::swap(from_, to_);
  }

 private:
  template <class Source>
  void run_pass(const Source& source, const BoxPass& box, std::int64_t width, std::int64_t n, int channels,
                std::int64_t begin, std::int64_t samples) {
    constexpr std::int64_t kLeastPart = 32;
    const std::int64_t part = std::max<std::int64_t>(2 * (2 * box.inner + 3), kLeastPart);
    const View<Code> out(to_, width, samples * channels);
    for_each_pixel(context_, width, (samples + part - 1) / part * channels,
                   Pass<Code, Source>{source, channels, n, box, begin, samples, part, whole_, out});
    std::swap(from_, to_);
  }

  Context& context_;
  Workspace workspace_;
  Code* from_;
  Code* to_;
  bool whole_;
};

template <class T, bool kAlpha>
void go_both_ways(Context& context, const Boxes& boxes, const BandTask<T>& task) {
  using Code = typename Codes<T, kAlpha>::Code;
  const View<const T>& rows = task.rows;
  const std::int64_t samples = rows.row_samples(), height = task.out.height;
  Passes<Code> passes(context, samples * rows.height, !std::is_floating_point_v<T>);
  passes.run(Encoded<T, kAlpha>{rows}, boxes.down, boxes.passes, samples, rows.height, 1, task.first, height);
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<Code, std::int16_t>)
    if (context.on_cuda() && gpu::rows_fit(context, rows.width, rows.channels))
      return gpu::go_along_rows<T, kAlpha>(
          context, {passes.from(rows.width, height, rows.channels), boxes.along, boxes.passes,
                    rows.region(0, task.first, rows.width, height), task.out});
#endif
  passes.transpose(samples, height);
  passes.run(Made<Code>{passes.from(height, samples)}, boxes.along, boxes.passes, height, samples,
             rows.channels, 0, rows.width);
  passes.transpose(height, samples);
  for_each_pixel(context, rows.width, height,
                 Finishing<T, kAlpha>{passes.from(rows.width, height, rows.channels),
                                      rows.region(0, task.first, rows.width, height), task.out});
}

}  // namespace

template <class T>
void blur_by_columns(Context& context, const Boxes& boxes, const BandTask<T>& task) {
  if (task.rows.channels == 4)
    go_both_ways<T, true>(context, boxes, task);
  else
    go_both_ways<T, false>(context, boxes, task);
}

template void blur_by_columns(Context&, const Boxes&, const BandTask<std::uint8_t>&);
template void blur_by_columns(Context&, const Boxes&, const BandTask<std::uint16_t>&);
template void blur_by_columns(Context&, const Boxes&, const BandTask<float>&);

}  // namespace scanlens
