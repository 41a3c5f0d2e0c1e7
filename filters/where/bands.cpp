// Bands of a filter that changes a part of the picture: its own, and the picture's rows that it has not made
// yet.
#include <algorithm>
#include <utility>

#include "core/image.h"
#include "core/runtime/checks.h"
#include "core/runtime/kept_memory.h"
#include "filters/bands/window.h"
#include "filters/where.h"

namespace scanlens {
namespace {

/// Rows of the picture in a ring: row y at y modulo the ring's height.
template <class T>
class Blended : public BandWork {
 public:
  Blended(Context& context, const FilterCall& call, const RowFormat& format, std::int64_t band_rows)
      : context_(context),
        format_(format),
        weights_(call.weights),
        work_(call.filter->open_bands(context, call, format, band_rows)),
        rows_(WindowShape(format, format, 0, call.filter->reach(call.params), band_rows).capacity),
        memory_(context, static_cast<std::size_t>(rows_) * format.row_bytes()) {}

  void take(const std::byte* rows, std::int64_t count) override {
    SCANLENS_REQUIRE(seen_ + count - made_ <= rows_, "where: a filter lags more than its reach says");
    const T* from = reinterpret_cast<const T*>(rows);
    in_runs(seen_, count, [&](std::int64_t, View<T> held) {
      const View<const T> next(from, held.width, held.height, held.channels);
      copy(context_, next, held);
      from += next.extent();
    });
    seen_ += count;
    work_->take(rows, count);
  }

  std::int64_t ready() const override { return work_->ready(); }

  void make(std::int64_t first, std::int64_t count, std::byte* out) override {
    work_->make(first, count, out);
    T* to = reinterpret_cast<T*>(out);
    in_runs(first, count, [&](std::int64_t y, View<T> held) {
      const View<T> made(to, held.width, held.height, held.channels);
      blend<T>(context_, View<const T>(held), weights_.region(0, y, held.width, held.height), made);
      to += made.extent();
    });
    made_ = first + count;
  }

 private:
  /// Calls work(y, rows) with the ring's rows from `first` on, as far as they lie together.
  template <class Work>
  void in_runs(std::int64_t first, std::int64_t count, const Work& work) {
    for (std::int64_t y = first; y < first + count;) {
      const std::int64_t place = y % rows_, run = std::min(first + count - y, rows_ - place);
      T* const at = memory_.as<T>() + place * format_.width * format_.channels;
      work(y, View<T>(at, format_.width, run, format_.channels));
      y += run;
    }
  }

  Context& context_;
  RowFormat format_;
  View<const std::uint16_t> weights_;
  std::unique_ptr<BandWork> work_;
  std::int64_t rows_;
  KeptMemory memory_;
  std::int64_t seen_ = 0, made_ = 0;  ///< rows of the picture, and of the result
};

}  // namespace

std::unique_ptr<BandWork> open_bands(Context& context, const FilterCall& call, const RowFormat& format,
                                     std::int64_t band_rows) {
  if (!call.where) return call.filter->open_bands(context, call, format, band_rows);
  if (format.sample_bytes == 1)
    return std::make_unique<Blended<std::uint8_t>>(context, call, format, band_rows);
  if (format.sample_bytes == 2)
    return std::make_unique<Blended<std::uint16_t>>(context, call, format, band_rows);
  return std::make_unique<Blended<float>>(context, call, format, band_rows);
}

}  // namespace scanlens
