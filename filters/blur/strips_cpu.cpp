#include "filters/blur/strips_cpu.h"

#include <algorithm>

#include "core/cpu/pieces.h"
#include "core/runtime/count.h"
#include "filters/blur/codes.h"
#include "filters/blur/passes_cpu.h"

namespace scanlens::cpu {
namespace {

/// Whole strips of columns fit a row.
std::int64_t between_pitch(std::int64_t samples) {
  return pieces_of(samples, kColumns) * kColumns;
}

/// The room that a strip takes. Every pass begins (inner + 2) samples before the one that it reads.
struct StripShape {
  StripShape(int lines, const BoxPass& box, int passes, std::int64_t length, int channels)
      : lines(lines),
        box(box),
        passes(passes),
        length(length),
        channels(channels),
        shift(std::int64_t{box.inner + 2} * channels * lines) {}

  std::int64_t codes() const { return passes * shift + length * channels * lines; }

  /// The place that the first pass reads.
  template <class Code>
  Code* first(Code* strip) const {
    return strip + passes * shift;
  }

  /// Runs all passes, and returns where the result lies.
  template <class Code>
  Code* run(Code* strip, bool whole) const {
    Code* in = first(strip);
    for (int pass = 0; pass < passes; ++pass, in -= shift)
      run_pass(StripPass<Code>{lines, box, in, in - shift, length, channels, whole});
    return in;
  }

  int lines;
  BoxPass box;
  int passes;
  std::int64_t length;
  int channels;
  std::int64_t shift;
};

template <class T, bool kAlpha>
class Blur {
 public:
  using Code = typename Codes<T, kAlpha>::Code;
  static constexpr bool kWhole = !std::is_floating_point_v<T>;

  Blur(Context& context, const Boxes& boxes, const BandTask<T>& task)
      : task_(task),
        down_(kColumns, boxes.down, boxes.passes, task.rows.height, 1),
        along_(kRows, boxes.along, boxes.passes, task.rows.width, task.rows.channels),
        context_(context),
        workspace_(context),
        between_(workspace_.take<Code>(task.out.height * between_pitch(samples_)), samples_, task.out.height,
                 1, between_pitch(samples_)),
        strips_(workspace_.take<Code>(std::max(down_.codes() * workers_for(strips_down(), 1),
                                               along_.codes() * workers_for(strips_along(), 1)))) {}

  void run() {
    if (counts(context_)) return;
    for_each_task(strips_down(),
                  [&](std::int64_t k, int worker) { go_down(k, strips_ + worker * down_.codes()); });
    for_each_task(strips_along(),
                  [&](std::int64_t k, int worker) { go_along(k, strips_ + worker * along_.codes()); });
  }

 private:
  std::int64_t strips_down() const { return pieces_of(samples_, kColumns); }
  std::int64_t strips_along() const { return pieces_of(task_.out.height, kRows); }

  /// Columns of samples.
  void go_down(std::int64_t k, Code* strip) {
    const std::int64_t first = k * kColumns;
    encode_columns<T, Code>(task_.rows, first, std::min<std::int64_t>(kColumns, samples_ - first),
                            down_.first(strip));
    const Code* blurred = down_.run(strip, kWhole) + task_.first * kColumns;
    store_columns<Code>(blurred,
                        View<Code>(between_.row(0) + first, kColumns, task_.out.height, 1, between_.pitch));
  }

  /// Rows, which may be those of the picture itself: nothing reads them any more but this call.
  void go_along(std::int64_t k, Code* strip) {
    const std::int64_t y = k * kRows, rows = std::min<std::int64_t>(kRows, task_.out.height - y);
    load_rows<Code>(between_.region(0, y, samples_, rows), along_.first(strip));
    const Code* blurred = along_.run(strip, kWhole);
    const std::int64_t width = task_.out.width;
    finish_rows<T, Code>(blurred, task_.rows.region(0, task_.first + y, width, rows),
                         task_.out.region(0, y, width, rows));
  }

  const BandTask<T>& task_;
  std::int64_t samples_ = task_.rows.row_samples();  ///< of a row
  StripShape down_, along_;
  Context& context_;
  Workspace workspace_;
  View<Code> between_;
  Code* strips_;
};

}  // namespace

template <class T>
void blur_by_strips(Context& context, const Boxes& boxes, const BandTask<T>& task) {
  if (task.rows.channels == 4)
    Blur<T, true>(context, boxes, task).run();
  else
    Blur<T, false>(context, boxes, task).run();
}

template void blur_by_strips(Context&, const Boxes&, const BandTask<std::uint8_t>&);
template void blur_by_strips(Context&, const Boxes&, const BandTask<std::uint16_t>&);
template void blur_by_strips(Context&, const Boxes&, const BandTask<float>&);

}  // namespace scanlens::cpu
