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
  Window(Context& context, const RowFormat& format, const WindowShape& shape, View<const float> map,
         std::function<void(Context&, const BandTask<T>&)> run)
      : context_(context),
        format_(format),
        shape_(shape),
        map_(map),
        run_(std::move(run)),
        window_memory_(context, bytes_of(shape.capacity)),
        window_(rows_in(window_memory_, shape.capacity)) {
    const CallMemory largest = count_memory([this](Context& counting) { run_largest(counting); });
    // Taken at once, it leaves no blocks of the smaller windows at the picture's top.
    Workspace(context).take<std::byte>(largest.workspace);
    count_beside(context, largest.beside);
    if (shape.chunk <= shape.band_rows) return;
    const std::int64_t rows = std::min(shape.chunk, format.height);
    chunk_memory_ = KeptMemory(context, bytes_of(rows));
    chunk_ = rows_in(chunk_memory_, rows);
  }

  void take(const std::byte* rows, std::int64_t count) override {
    if (seen_ - top_ + count > shape_.capacity) slide();
    copy(context_, packed(reinterpret_cast<const T*>(rows), count), held(seen_, count));
    seen_ += count;
  }

  std::int64_t ready() const override {
    if (seen_ == format_.height) return seen_;
    return std::max<std::int64_t>(0, seen_ - shape_.reach) / shape_.chunk * shape_.chunk;
  }

  void make(std::int64_t first, std::int64_t count, std::byte* out) override {
    const View<T> to = packed(reinterpret_cast<T*>(out), count);
    if (chunk_.empty()) return make_rows(first, to);
    const std::int64_t chunk = first / shape_.chunk * shape_.chunk;
    if (first == chunk) {
      const std::int64_t rows = std::min(shape_.chunk, format_.height - chunk);
      make_rows(first, chunk_.region(0, 0, format_.width, rows));
    }
    copy(context_, View<const T>(chunk_.region(0, first - chunk, format_.width, count)), to);
  }

 private:
  std::size_t bytes_of(std::int64_t rows) const {
    return static_cast<std::size_t>(rows) * format_.row_bytes();
  }
  View<T> rows_in(const KeptMemory& memory, std::int64_t rows) const {
    return View<T>(memory.as<T>(), format_.width, rows, format_.channels);
  }

  /// Runs the filter on the largest window, which only a context that counts can.
  void run_largest(Context& counting) const {
    const std::int64_t made = std::min(shape_.chunk, format_.height), width = format_.width;
    const View<const T> rows(nowhere<T>(1), width, shape_.most_rows, format_.channels);
    const View<T> out(nowhere<T>(2), width, made, format_.channels);
    const View<const float> map(nowhere<float>(3), width, shape_.most_rows);
    run_(counting, {rows, std::min(shape_.reach, shape_.most_rows - made), out, map, 0, format_.height});
  }

  template <class U>
  View<U> packed(U* data, std::int64_t rows) const {
    return View<U>(data, format_.width, rows, format_.channels);
  }

  /// Rows of the picture, where the window holds them.
  View<T> held(std::int64_t first, std::int64_t count) {
    return window_.region(0, first - top_, format_.width, count);
  }

  void make_rows(std::int64_t first, View<T> out) {
    const std::int64_t above = std::max<std::int64_t>(0, first - shape_.reach);
    const std::int64_t end = std::min(format_.height, first + out.height + shape_.reach);
    const View<const float> map = map_.empty() ? map_ : map_.region(0, above, format_.width, end - above);
    run_(context_, BandTask<T>{held(above, end - above), first - above, out, map, above, format_.height});
    made_ = first + out.height;
  }

  /// Moves the rows that are still needed to the window's beginning.
  void slide() {
    const std::int64_t keep = std::max<std::int64_t>(0, made_ - shape_.reach), by = keep - top_;
    // Copies must not overlap, so none has more rows than the distance.
    for (std::int64_t y = keep; y < seen_; y += by) {
      const std::int64_t rows = std::min(by, seen_ - y);
      copy(context_, View<const T>(held(y, rows)), held(y - by, rows));
    }
    top_ = keep;
  }

  Context& context_;
  RowFormat format_;
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

WindowShape::WindowShape(std::int64_t height, std::int64_t most_reach, std::int64_t band)
    : reach(std::min(most_reach, height)),
      band_rows(band),
      chunk(round_up(std::min(std::max(band, 2 * reach), height), band)),
      most_rows(std::min(height, chunk + 2 * reach)),
      capacity(std::min(height, chunk + 2 * reach + band)) {}

template <class T>
std::unique_ptr<BandWork> open_window(Context& context, const RowFormat& format, const WindowShape& shape,
                                      View<const float> map,
                                      std::function<void(Context&, const BandTask<T>&)> run) {
  return std::make_unique<Window<T>>(context, format, shape, map, std::move(run));
}

#define SCANLENS_INSTANTIATE(T)                                                                  \
  template std::unique_ptr<BandWork> open_window(Context&, const RowFormat&, const WindowShape&, \
                                                 View<const float>,                              \
                                                 std::function<void(Context&, const BandTask<T>&)>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
