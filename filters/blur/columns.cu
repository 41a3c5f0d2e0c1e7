// Every pass is a kernel, whose threads each go down a part of a column with a running sum, neighbours beside
// each other. A part is long beside the box, so that the sum it begins with is found in less time than the
// rest takes. For rows the picture is turned over, columns of samples becoming rows.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/transpose.h"
#include "filters/blur/codes.h"
#include "filters/blur/columns.h"
#include "filters/blur/kernel.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

template <class T, bool kAlpha>
struct Encode {
  View<const T> image;
  View<typename Codes<T, kAlpha>::Code> out;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    for (int c = 0; c < image.channels; ++c) out(x, y, c) = Codes<T, kAlpha>::encode(&image(x, y), c);
  }
};

template <class T, bool kAlpha>
struct Finishing {
  View<const typename Codes<T, kAlpha>::Code> codes;
  Finish finish;
  View<const T> image;  ///< the same rows
  View<T> out;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    if constexpr (kAlpha) {
      if (finish.to == Finish::To::flat)
        Codes<T, true>::flat_pixel(&codes(x, y), &image(x, y), finish.value, &out(x, y));
      else
        Codes<T, true>::pixel(&codes(x, y), &image(x, y), &out(x, y));
    } else {
      for (int c = 0; c < out.channels; ++c) out(x, y, c) = finished(codes(x, y, c), image(x, y, c));
    }
  }

  SCANLENS_HOST_DEVICE T finished(typename Codes<T, kAlpha>::Code code, T own) const {
    if (finish.to == Finish::To::flat) return Codes<T, false>::flat_sample(code, own, finish.value);
    if (finish.to == Finish::To::sharp) return Codes<T, false>::sharp_sample(code, own, finish.value);
    return Codes<T, false>::sample(code);
  }
};

/// Columns of samples, of which sample i of channel c stands in row i * channels + c.
template <class Code>
struct Columns {
  View<const Code> codes;
  int channels = 1;

  SCANLENS_HOST_DEVICE std::int64_t length() const { return codes.height / channels; }
};

/// A pass over `count` samples from sample `first` on, to the rows of `out` from its first on. Thread (x,
/// part
/// * channels + c) makes a part of column x.
template <class Code>
struct Pass {
  using Sum = typename CodeSums<Code>::Sum;
  using Real = typename CodeSums<Code>::Real;

  Columns<Code> in;
  BoxPass box;
  std::int64_t first, count, part;
  bool whole;
  View<Code> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int c = y % in.channels;
    const std::int64_t begin = first + y / in.channels * part, n = in.length();
    const std::int64_t end = begin + part < first + count ? begin + part : first + count;
    const auto at = [&](std::int64_t i) {
      return i >= 0 && i < n ? static_cast<Sum>(in.codes(x, i * in.channels + c)) : Sum{0};
    };
    Sum near_out = at(begin - box.inner - 1), near_in = at(begin + box.inner + 1);
    Sum sum = box.edge * (near_out + near_in);
    for (std::int64_t i = begin - box.inner; i <= begin + box.inner; ++i) sum += box.whole * at(i);
    constexpr int kAhead = 8;  // samples that are read before the first of them is needed
    for (std::int64_t i = begin; i < end; i += kAhead) {
      Sum in_next[kAhead], out_next[kAhead];
      for (int k = 0; k < kAhead; ++k) {
        in_next[k] = at(i + k + box.inner + 2);
        out_next[k] = at(i + k - box.inner);
      }
      for (int k = 0; k < kAhead && i + k < end; ++k) {
        out(x, (i + k - first) * in.channels + c) = mean(sum, box.weight(i + k, n));
        // One sample on: of those on either side, the near ones change between `edge` and `whole`.
        const Sum far_in = in_next[k], far_out = near_out;
        near_out = out_next[k];
        sum += (box.whole - box.edge) * (near_in - near_out) + box.edge * (far_in - far_out);
        near_in = far_in;
      }
    }
  }

  SCANLENS_HOST_DEVICE Code mean(Sum sum, int weight) const {
    const Real value = static_cast<Real>(sum) * (Real{1} / static_cast<Real>(weight));
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

  /// All passes down columns of `width` x `height` codes; of the last one, `count` samples from `first` on.
  void run(const BoxPass& box, int passes, std::int64_t width, std::int64_t height, int channels,
           std::int64_t first, std::int64_t count) {
    const std::int64_t n = height / channels;
    constexpr std::int64_t kLeastPart = 32;
    const std::int64_t part = std::max<std::int64_t>(2 * (2 * box.inner + 3), kLeastPart);
    for (int pass = 0; pass < passes; ++pass) {
      const bool last = pass + 1 == passes;
      const std::int64_t begin = last ? first : 0, samples = last ? count : n;
      const View<Code> out(to_, width, samples * channels);
      for_each_pixel(context_, width, (samples + part - 1) / part * channels,
                     Pass<Code>{{from(width, height), channels}, box, begin, samples, part, whole_, out});
      std::swap(from_, to_);
    }
  }

  void transpose(std::int64_t width, std::int64_t height) {
    transpose_any<Code>(context_, View<const Code>(from_, width, height), View<Code>(to_, height, width));
    std::swap(from_, to_);
  }

 private:
  Context& context_;
  Workspace workspace_;
  Code* from_;
  Code* to_;
  bool whole_;
};

template <class T, bool kAlpha>
void go_both_ways(Context& context, const Boxes& boxes, const Finish& finish, const BandTask<T>& task) {
  using Code = typename Codes<T, kAlpha>::Code;
  const View<const T>& rows = task.rows;
  const std::int64_t samples = rows.row_samples(), height = task.out.height;
  Passes<Code> passes(context, samples * rows.height, !std::is_floating_point_v<T>);
  for_each_pixel(context, rows.width, rows.height,
                 Encode<T, kAlpha>{rows, passes.from(rows.width, rows.height, rows.channels)});
  passes.run(boxes.down, boxes.passes, samples, rows.height, 1, task.first, height);
  passes.transpose(samples, height);
  passes.run(boxes.along, boxes.passes, height, samples, rows.channels, 0, rows.width);
  passes.transpose(height, samples);
  for_each_pixel(context, rows.width, height,
                 Finishing<T, kAlpha>{passes.from(rows.width, height, rows.channels), finish,
                                      rows.region(0, task.first, rows.width, height), task.out});
}

}  // namespace

template <class T>
void blur_by_columns(Context& context, const Boxes& boxes, const Finish& finish, const BandTask<T>& task) {
  if (task.rows.channels == 4)
    go_both_ways<T, true>(context, boxes, finish, task);
  else
    go_both_ways<T, false>(context, boxes, finish, task);
}

template void blur_by_columns(Context&, const Boxes&, const Finish&, const BandTask<std::uint8_t>&);
template void blur_by_columns(Context&, const Boxes&, const Finish&, const BandTask<std::uint16_t>&);
template void blur_by_columns(Context&, const Boxes&, const Finish&, const BandTask<float>&);

std::int64_t blur_columns_bytes(const RowFormat& rows) {
  const bool narrow = rows.sample_bytes == 1 || (rows.sample_bytes == 2 && rows.channels != 4);
  return 2 * rows.width * rows.height * rows.channels * (narrow ? 2 : 4);
}

}  // namespace scanlens
