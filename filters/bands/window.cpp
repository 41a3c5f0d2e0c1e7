#include "filters/bands/window.h"

#include <algorithm>
#include <utility>

#include "core/image.h"
#include "core/runtime/count.h"
#include "core/runtime/kept_memory.h"

namespace scanlens {
namespace {

std::int64_t round_up(std::int64_t count, std::int64_t step) {
  return (count + step - 1) / step * step;
}

template <class T>
class Window : public BandWork {
 public:
  Window(Context& context, const WindowShape& shape, View<const float> map,
         std::function<void(Context&, const BandTask<T>&)> run)
      : context_(context),
        shape_(shape),
        map_(map),
        run_(std::move(run)),
        window_memory_(rows_of(context, shape.format, shape.capacity)),
        window_(view_of<T>(window_memory_.data(), shape.format, shape.capacity)) {
    const CallMemory largest = count_memory([this](Context& counting) { run_largest(counting); });
    // Taken at once, it leaves no blocks of the smaller windows at the picture's top.
    Workspace(context).take<std::byte>(largest.workspace);
    count_beside(context, largest.beside);
    if (shape.chunk <= shape.band_rows) return;
    const std::int64_t rows = std::min(shape.chunk, shape.made.height);
    chunk_memory_ = rows_of(context, shape.made, rows);
    chunk_ = view_of<T>(chunk_memory_.data(), shape.made, rows);
  }

  void take(const std::byte* rows, std::int64_t count) override {
    if (seen_ - top_ + count > shape_.capacity) slide();
    copy(context_, view_of<const T>(rows, shape_.format, count), held(seen_, count));
    seen_ += count;
  }

  std::int64_t ready() const override {
    const std::int64_t rows = seen_ - shape_.reach - shape_.first_row;
    if (seen_ == shape_.format.height || rows >= shape_.made.height) return shape_.made.height;
    return std::max<std::int64_t>(0, rows) / shape_.chunk * shape_.chunk;
  }

  void make(std::int64_t first, std::int64_t count, std::byte* out) override {
    const View<T> to = view_of<T>(out, shape_.made, count);
    if (chunk_.empty()) return make_rows(first, to);
    const std::int64_t chunk = first / shape_.chunk * shape_.chunk;
    if (first == chunk) {
      const std::int64_t rows = std::min(shape_.chunk, shape_.made.height - chunk);
      make_rows(first, chunk_.region(0, 0, shape_.made.width, rows));
    }
    copy(context_, View<const T>(chunk_.region(0, first - chunk, shape_.made.width, count)), to);
  }

 private:
  static KeptMemory rows_of(Context& context, const RowFormat& format, std::int64_t rows) {
    return KeptMemory(context, static_cast<std::size_t>(rows) * format.row_bytes());
  }
  template <class U, class Byte>
  static View<U> view_of(Byte* rows, const RowFormat& format, std::int64_t count) {
    return View<U>(reinterpret_cast<U*>(rows), format.width, count, format.channels);
  }

  /// Runs the filter on the largest window, which only a context that counts can.
  void run_largest(Context& counting) const {
    const RowFormat &format = shape_.format, &result = shape_.made;
    const std::int64_t made = std::min(shape_.chunk, result.height), read = shape_.most_rows;
    const View<const T> rows(nowhere<T>(1), format.width, read, format.channels);
    const View<T> out(nowhere<T>(2), result.width, made, result.channels);
    const View<const float> map(nowhere<float>(3), format.width, read);
    const std::int64_t first = std::clamp<std::int64_t>(read - made, 0, shape_.reach);
    run_(counting, {rows, first, out, map, 0, format.height});
  }

  /// Rows of the picture, where the window holds them.
  View<T> held(std::int64_t first, std::int64_t count) {
    return window_.region(0, first - top_, shape_.format.width, count);
  }

  void make_rows(std::int64_t first, View<T> out) {
    const auto [width, height] = std::pair(shape_.format.width, shape_.format.height);
    const std::int64_t at = first + shape_.first_row;
    const std::int64_t above = std::clamp<std::int64_t>(at - shape_.reach, 0, height - 1);
    const std::int64_t end = std::clamp(at + out.height + shape_.reach, above + 1, height);
    const View<const float> map = map_.empty() ? map_ : map_.region(0, above, width, end - above);
    run_(context_, BandTask<T>{held(above, end - above), at - above, out, map, above, height});
    made_ = first + out.height;
  }

  /// Moves the rows that are still needed to the window's beginning.
  void slide() {
    const bool is_done = made_ == shape_.made.height;
    const std::int64_t needed = is_done ? seen_ : made_ + shape_.first_row - shape_.reach;
    const std::int64_t keep = std::clamp(needed, top_, seen_), by = keep - top_;
    // Copies must not overlap, so none has more rows than the distance.
    for (std::int64_t y = keep; y < seen_; y += by) {
      const std::int64_t rows = std::min(by, seen_ - y);
      copy(context_, View<const T>(held(y, rows)), held(y - by, rows));
    }
    top_ = keep;
  }

  Context& context_;
  WindowShape shape_;
  View<const float> map_;
  std::function<void(Context&, const BandTask<T>&)> run_;
  KeptMemory window_memory_, chunk_memory_;
  View<T> window_;
  View<T> chunk_;          ///< rows of the result; empty where chunks are bands
  std::int64_t top_ = 0;   ///< the row of the picture that is the window's first
  std::int64_t seen_ = 0;  ///< rows of the picture that have been taken
  std::int64_t made_ = 0;  ///< rows of the result that have been made
};

}  // namespace

WindowShape::WindowShape(const RowFormat& picture, const RowFormat& result, std::int64_t first,
                         std::int64_t most_reach, std::int64_t band)
    : format(picture),
      made(result),
      first_row(first),
      reach(std::min(most_reach, std::max(picture.height, result.height))),
      band_rows(band),
      chunk(round_up(std::min(std::max(band, 2 * reach), made.height), band)),
      most_rows(std::min(format.height, chunk + 2 * reach)),
      // Rows of the picture wait while those of the result above it are handed out.
      capacity(std::min(format.height, chunk + 2 * reach + band + std::max<std::int64_t>(0, -first))) {}

template <class T>
std::unique_ptr<BandWork> open_window(Context& context, const WindowShape& shape, View<const float> map,
                                      std::function<void(Context&, const BandTask<T>&)> run) {
  return std::make_unique<Window<T>>(context, shape, map, std::move(run));
}

#define SCANLENS_INSTANTIATE(T)                                                                   \
  template std::unique_ptr<BandWork> open_window(Context&, const WindowShape&, View<const float>, \
                                                 std::function<void(Context&, const BandTask<T>&)>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
