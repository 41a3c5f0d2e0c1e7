// The filter that makes pictures smaller by the mean over each pixel's area, and larger by Lanczos.
//
// Every band is brought to its new width as it comes, in linear light. These rows wait in a ring for the
// other rows of their row of the result. Areas of a reduction do not overlap: each sample is read once, while
// a summed-area table would be written and read on top. The ring is never much larger than a band and a row
// of the picture.
#include <algorithm>
#include <any>
#include <memory>
#include <utility>

#include "core/cpu/pieces.h"
#include "core/image.h"
#include "core/runtime/count.h"
#include "core/runtime/device.h"
#include "core/runtime/kept_memory.h"
#include "filters/bands/work.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/tone_tables.h"
#include "filters/resize/passes.h"
#include "filters/resize/size.h"
#include "filters/tones.h"

namespace scanlens {
namespace {

class ReadableTaps {
 public:
  ReadableTaps() = default;
  ReadableTaps(Context& context, const ResizedLine& line, std::int64_t first, std::int64_t count)
      : table_(std::make_unique<TapTable>(taps_of(line, first, count))),
        runs_(context, table_->runs),
        weights_(context, table_->weights),
        may_ring_(line.is_longer()) {}
  TapView view() const { return {runs_.as<TapRun>(), weights_.as<double>(), may_ring_}; }

 private:
  std::unique_ptr<TapTable> table_;
  ReadableArray runs_, weights_;
  bool may_ring_ = false;
};

std::int64_t bytes_of_taps(const ResizedLine& line, std::int64_t count) {
  return count * (static_cast<std::int64_t>(sizeof(TapRun)) +
                  line.most_taps() * static_cast<std::int64_t>(sizeof(double)));
}

/// Sizes of the work on a picture.
struct ResizeShape {
  ResizeShape(const RowFormat& format, const RowFormat& made, std::int64_t band_rows)
      : along{format.width, made.width},
        down{format.height, made.height},
        row_samples(made.width * made.channels),
        ring_rows(std::min(format.height, down.most_taps() + band_rows)) {}

  std::int64_t ring_samples() const { return ring_rows * row_samples; }

  ResizedLine along, down;
  std::int64_t row_samples, ring_rows;
};

/// Work on one picture. Rows that are ready have to be made before more are taken.
template <class T>
class ResizeWork : public BandWork {
 public:
  ResizeWork(Context& context, const FilterCall& call, const RowFormat& format, const RowFormat& made,
             std::int64_t band_rows)
      : context_(context),
        format_(format),
        made_(made),
        shape_(format, made, band_rows),
        tones_(context, call, sizeof(T)),
        along_(context, shape_.along, 0, made.width),
        ring_memory_(context, static_cast<std::size_t>(shape_.ring_samples()) * sizeof(double)),
        ring_{ring_memory_.as<double>(), shape_.row_samples, shape_.ring_rows} {}

  void take(View<const T> rows) {
    resize_along(context_, rows, along_.view(), tones_.view(), seen_, ring_);
    seen_ += rows.height;
  }

  void make(std::int64_t first, View<T> out) {
    down_ = ReadableTaps(context_, shape_.down, first, out.height);
    resize_down(context_, ring_, down_.view(), tones_.view(), out);
  }

  void take(const std::byte* rows, std::int64_t count) override {
    take(View<const T>(reinterpret_cast<const T*>(rows), format_.width, count, format_.channels));
  }
  std::int64_t ready() const override { return shape_.down.ready(seen_); }
  void make(std::int64_t first, std::int64_t count, std::byte* out) override {
    make(first, View<T>(reinterpret_cast<T*>(out), made_.width, count, made_.channels));
  }

 private:
  Context& context_;
  RowFormat format_, made_;
  ResizeShape shape_;
  ReadableTones tones_;
  ReadableTaps along_, down_;
  KeptMemory ring_memory_;
  LightRing ring_;
  std::int64_t seen_ = 0;  ///< rows that have been taken
};

/// Returns the rows of a whole picture to take at once; on the CPU so few that its caches keep them.
std::int64_t rows_at_once(const Context& context, std::int64_t row_samples) {
  const std::int64_t samples =
      context.on_cuda() ? std::int64_t{1} << 26 : cpu::thread_count() * (std::int64_t{1} << 17);
  return std::max<std::int64_t>(samples / row_samples, 4 * cpu::thread_count());
}

/// The filter where the size stays: a copy.
struct Unchanged {
  using Params = ResizeParams;
  static std::int64_t reach(const ResizeParams&) { return 0; }
  template <class T>
  static void run(Context& context, const ResizeParams&, const BandTask<T>& task) {
    copy_rows(context, task);
  }
};

bool stays(const RowFormat& format, const RowFormat& made) {
  return made.width == format.width && made.height == format.height;
}

struct ResizeBands {
  static RowFormat made_of(const FilterCall& call, const RowFormat& format) {
    return resized(std::any_cast<const ResizeParams&>(call.params), format);
  }

  template <class T>
  static void run(Context& context, const FilterCall& call, const BandTask<T>& task) {
    const View<const T> image = task.rows;
    const RowFormat format{image.width, image.height, image.channels, sizeof(T)},
        made = made_of(call, format);
    if (stays(format, made)) return Windowed<Unchanged>::run(context, call, task);
    const std::int64_t step = rows_at_once(context, std::max(image.row_samples(), task.out.row_samples()));
    ResizeWork<T> work(context, call, format, made, step);
    std::int64_t done = 0;
    for (std::int64_t y = 0; y < image.height; y += step) {
      work.take(image.region(0, y, image.width, std::min(step, image.height - y)));
      const std::int64_t count = work.ready() - done;
      if (count > 0) work.make(done, task.out.region(0, done, made.width, count));
      done += count;
    }
  }

  template <class T>
  static std::unique_ptr<BandWork> open(Context& context, const FilterCall& call, const RowFormat& format,
                                        std::int64_t band_rows) {
    const RowFormat made = made_of(call, format);
    if (stays(format, made)) return Windowed<Unchanged>::open<T>(context, call, format, band_rows);
    if (!counts(context)) return std::make_unique<ResizeWork<T>>(context, call, format, made, band_rows);
    const ResizeShape shape(format, made, band_rows);
    ReadableTones(context, call, format.sample_bytes);
    const std::int64_t made_rows = std::min(band_rows * made.height / format.height + 2, made.height);
    // Twice the taps: old ones go when the new ones are there.
    KeptMemory(context,
               static_cast<std::size_t>(shape.ring_samples() * static_cast<std::int64_t>(sizeof(double)) +
                                        bytes_of_taps(shape.along, made.width) +
                                        2 * bytes_of_taps(shape.down, made_rows)));
    count_beside(context, cpu::workers_for(band_rows, 1) * kLightRun * format.channels *
                              static_cast<std::int64_t>(sizeof(double)));
    return nullptr;
  }
};

struct Resize {
  using Params = ResizeParams;
  using Bands = ResizeBands;
  static constexpr std::string_view kName = "resize";
  static constexpr std::string_view kHelp =
      "another size, in proportion and in linear light: smaller by the mean of each pixel's area, larger by "
      "Lanczos-3";
  static constexpr std::string_view kExample = "long=2048";
  static constexpr bool kTakesTones = true;
  static constexpr auto kMost = static_cast<double>(kMostFilterSide);
  static constexpr Param kParams[] = {
      param<&ResizeParams::width>("width", "pixels, at most; 0 is any", 0, kMost, Values::whole,
                                  Measure::pixels),
      param<&ResizeParams::height>("height", "pixels, at most; 0 is any", 0, kMost, Values::whole,
                                   Measure::pixels),
      param<&ResizeParams::longest>("long", "pixels of the longer side, at most; 0 is any", 0, kMost,
                                    Values::whole, Measure::pixels),
      param<&ResizeParams::percent>("percent", "percent of the picture's width and height, at most; 0 is any",
                                    0, 1000, Values::any, Measure::percent),
      param<&ResizeParams::enlarge>("enlarge", "1: pictures may become larger, as far as the sizes allow", 0,
                                    1, Values::whole)};

  static std::string problem(const ResizeParams& params) { return problem_of(params); }
  static RowFormat output(const ResizeParams& params, const RowFormat& format) {
    return resized(params, format);
  }
  /// Lanczos reaches no farther from the place that the pixel has in the picture.
  static std::int64_t reach(const ResizeParams&) { return 3; }
};

}  // namespace

extern constinit const Filter kResize = filter_of<Resize>();

}  // namespace scanlens
