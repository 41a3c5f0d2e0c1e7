#include "filters/box.h"

#include <algorithm>
#include <span>

#include "core/cpu/pieces.h"
#include "core/image.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/sat.h"
#include "filters/box/backends.h"

namespace scanlens {
namespace {

/// Coordinates of pixels are int.
constexpr std::int64_t kMostSide = std::int64_t{1} << 30;

void require_possible(const char* call, std::int64_t width, std::int64_t height, int channels,
                      std::int64_t radius) {
  require(channels == 1 || channels == 3 || channels == 4,
          fmt::format("{}: {} channels are not supported", call, channels));
  require(width >= 0 && height >= 0 && width <= kMostSide && height <= kMostSide,
          fmt::format("{}: {} x {} pixels, of at most {} a side", call, width, height, kMostSide));
  require(radius >= 0 && radius <= kMostBoxRadius,
          fmt::format("{}: the radius is {}, but has to be 0..{}", call, radius, kMostBoxRadius));
}

/// Whether a box of samples can come to 2^32, and rounding add half its pixels to that.
bool needs_64_bits(std::int64_t width, std::int64_t height, std::int64_t radius, int sample_bytes) {
  const std::int64_t most = sample_bytes == 1 ? 255 : 65535;
  return most_box_pixels(radius, width, height) > UINT32_MAX / (most + 1);
}

/// How the table of a picture is kept, for bands of `band_rows` rows. What is as far as the picture is high
/// or wide reaches all of it. `may_pack`: three channels go into one entry of 64 bits where they fit.
struct RingShape {
  RingShape(std::int64_t width, std::int64_t height, int channels, int sample_bytes, std::int64_t radius,
            std::int64_t band_rows, bool may_pack)
      : radius(std::min(radius, std::max(width, height))),
        packed(may_pack && sample_bytes == 1 && channels == 3 &&
               most_box_pixels(radius, width, height) <= kMostPackedPixels),
        channels(packed ? 1 : channels),
        pitch(width * this->channels),
        band_rows(std::min(band_rows, std::max<std::int64_t>(height, 1))),
        sum_bytes(packed || needs_64_bits(width, height, radius, sample_bytes) ? 8 : 4) {
    // While band k is there, rows of the result from k band_rows - radius on are made, whose boxes begin
    // below row k band_rows - 2 radius - 1 of the table.
    const std::int64_t behind = (2 * this->radius + this->band_rows) / this->band_rows;
    bands = std::min(behind + 1, (height + this->band_rows - 1) / this->band_rows);
  }

  std::int64_t samples() const { return bands * (band_rows + 1) * pitch; }

  template <class Sum>
  TableRing<Sum> table(Sum* sums) const {
    return {sums, pitch, static_cast<std::uint32_t>(band_rows), static_cast<std::uint32_t>(bands)};
  }
  Terms terms() const {
    Terms terms;
    terms.packed = packed;
    return terms;
  }

  std::int64_t radius;
  bool packed;
  int channels;  ///< of the table
  std::int64_t pitch, band_rows, bands;
  int sum_bytes;
};

/// The table's rows of `band`, which follows `seen` rows of the picture.
template <class T, class Sum>
void scan_band(Context& context, View<const T> band, std::int64_t seen, const RingShape& shape,
               const TableRing<Sum>& ring) {
  const auto y = static_cast<std::uint32_t>(seen);
  const View<Sum> table(ring.band(y), band.width, band.height + 1, shape.channels);
  const View<Sum> above = table.region(0, 0, band.width, 1);
  if (seen == 0)
    return summed_area_table(context, band, table.region(0, 1, band.width, band.height), shape.terms());
  copy(context, View<const Sum>(ring.row(y - 1), above.width, 1, above.channels), above);
  continue_summed_area_table(context, band, table, shape.terms());
}

/// Rows of the result, from row `first` of the picture's `height` on.
template <class T, class Sum>
void gather_rows(Context& context, const TableRing<Sum>& ring, const RingShape& shape, std::int64_t height,
                 std::int64_t first, View<T> out) {
  const BoxTask<T, Sum> task{ring,
                             static_cast<int>(out.width),
                             static_cast<int>(height),
                             static_cast<int>(shape.radius),
                             first,
                             out,
                             shape.packed};
  SCANLENS_DISPATCH(context, box_gather, task);
}

/// Rows that a whole picture is taken by: on the CPU so few that its caches keep the rows of the table that
/// boxes reach, and enough to share among the threads.
std::int64_t rows_at_once(const Context& context, std::int64_t row_samples, std::int64_t height) {
  constexpr std::int64_t kEntries = 768 << 10, kLeast = 32;  // for each thread
  if (context.on_cuda()) return height;
  return std::max(kEntries / row_samples, kLeast) * cpu::thread_count();
}

/// Whether packed terms win for a whole picture. On the CPU never: there the terms cost more than the memory
/// that is saved. On CUDA for large ones: below 1.5 million pixels tables of 32 bits, whose tiles stay in
/// shared memory (core/sat/cuda/resident.cuh), are faster. On an H200, the only GPU measured, 1024 x 1024
/// takes 18.8 us with them and 20.9 us packed, 1920 x 1080 takes 32.3 and 31.6.
bool packs_whole(const Context& context, std::int64_t width, std::int64_t height) {
  constexpr std::int64_t kLeastPixels = 3 << 19;
  return context.on_cuda() && width * height >= kLeastPixels;
}

template <class T, class Sum>
void filter_whole(Context& context, View<const T> image, const RingShape& shape, View<T> out) {
  Workspace workspace(context);
  const TableRing<Sum> ring = shape.table(workspace.take<Sum>(shape.samples()));
  const std::int64_t width = image.width, height = image.height;
  std::int64_t done = 0;
  for (std::int64_t seen = 0; seen < height;) {
    const std::int64_t rows = std::min(shape.band_rows, height - seen);
    scan_band(context, image.region(0, seen, width, rows), seen, shape, ring);
    seen += rows;
    const std::int64_t end = seen == height ? height : std::max(done, seen - shape.radius);
    if (end > done) gather_rows(context, ring, shape, height, done, out.region(0, done, width, end - done));
    done = end;
  }
}

}  // namespace

template <class T>
void box_filter(Context& context, View<const T> image, std::int64_t radius, View<T> out) {
  require_valid(image, "box_filter", "image");
  require_valid(out, "box_filter", "out");
  require_possible("box_filter", image.width, image.height, image.channels, radius);
  require(same_size(image, out) && image.channels == out.channels,
          fmt::format("box_filter: `image` is {} but `out` is {}", shape(image), shape(out)));
  require(!overlap(image, out) || (image.data == out.data && image.pitch == out.pitch),
          "box_filter: `image` and `out` overlap without being the same view");
  if (image.empty()) return;
  const RingShape ring(image.width, image.height, image.channels, sizeof(T), radius,
                       rows_at_once(context, image.row_samples(), image.height),
                       packs_whole(context, image.width, image.height));
  if (ring.sum_bytes == 8)
    filter_whole<T, std::uint64_t>(context, image, ring, out);
  else
    filter_whole<T, std::uint32_t>(context, image, ring, out);
}

/// A stream's steps, whatever type its sums have.
template <class T>
class BoxFilterStream<T>::Steps {
 public:
  virtual ~Steps() = default;
  virtual View<const T> push(View<const T> rows) = 0;
  virtual View<const T> finish() = 0;
};

namespace {

template <class T, class Sum>
class StepsOf : public BoxFilterStream<T>::Steps {
 public:
  StepsOf(Context& context, std::int64_t width, std::int64_t height, int channels, const RingShape& ring)
      : context_(context),
        width_(width),
        height_(height),
        channels_(channels),
        shape_(ring),
        sums_(context, ring.pitch, ring.bands * (ring.band_rows + 1)),
        ring_(ring.table(sums_.view().data)) {
    SCANLENS_DISPATCH(context, open_band_transfer,
                      static_cast<std::size_t>(ring.band_rows * width * channels) * sizeof(T), transfer_);
  }

  View<const T> push(View<const T> rows) override {
    const std::int64_t expected = std::min(shape_.band_rows, height_ - seen_);
    require(rows.width == width_ && rows.channels == channels_ && rows.height == expected &&
                (rows.height <= 1 || rows.pitch == rows.row_samples()),
            fmt::format("BoxFilterStream: rows of {} were given, {} x {} x {} expected, packed", shape(rows),
                        width_, expected, channels_));
    if (rows.empty()) {
      done_ = seen_ += rows.height;  // rows without pixels are finished
      return {};
    }
    const std::byte* band = transfer_->upload(std::as_bytes(std::span(rows.data, rows.extent())));
    scan_band(context_, View<const T>(reinterpret_cast<const T*>(band), width_, rows.height, channels_),
              seen_, shape_, ring_);
    seen_ += rows.height;
    gather(seen_ - shape_.radius);
    return given(transfer_->take(false));
  }

  View<const T> finish() override {
    require(seen_ == height_, fmt::format("BoxFilterStream: {} of {} rows were given", seen_, height_));
    std::span<const std::byte> rows;
    while (rows.empty() && (done_ < height_ || !transfer_->idle())) {
      if (done_ < height_) gather(height_);
      rows = transfer_->take(done_ == height_);
    }
    return given(rows);
  }

 private:
  /// The result's next rows, up to `end` and at most a band.
  void gather(std::int64_t end) {
    const std::int64_t rows = std::clamp<std::int64_t>(end - done_, 0, shape_.band_rows);
    if (rows > 0)
      gather_rows(context_, ring_, shape_, height_, done_,
                  View<T>(reinterpret_cast<T*>(transfer_->room()), width_, rows, channels_));
    transfer_->download(static_cast<std::size_t>(rows * width_ * channels_) * sizeof(T));
    done_ += rows;
  }

  View<const T> given(std::span<const std::byte> rows) const {
    const std::int64_t row_bytes = width_ * channels_ * static_cast<std::int64_t>(sizeof(T));
    if (rows.empty()) return {};
    return {reinterpret_cast<const T*>(rows.data()), width_,
            static_cast<std::int64_t>(rows.size()) / row_bytes, channels_};
  }

  Context& context_;
  std::int64_t width_, height_;
  int channels_;
  RingShape shape_;
  Image<Sum> sums_;
  TableRing<Sum> ring_;
  std::unique_ptr<BandTransfer> transfer_;
  std::int64_t seen_ = 0;  ///< rows that have been given to push
  std::int64_t done_ = 0;  ///< rows of the result that have been made
};

}  // namespace

template <class T>
BoxFilterStream<T>::BoxFilterStream(Context& context, std::int64_t width, std::int64_t height, int channels,
                                    std::int64_t radius, std::int64_t band_rows) {
  require_possible("BoxFilterStream", width, height, channels, radius);
  require(band_rows >= 1, fmt::format("BoxFilterStream: bands of {} rows", band_rows));
  const RingShape ring(width, height, channels, sizeof(T), radius, band_rows, context.on_cuda());
  if (ring.sum_bytes == 8)
    steps_ = std::make_unique<StepsOf<T, std::uint64_t>>(context, width, height, channels, ring);
  else
    steps_ = std::make_unique<StepsOf<T, std::uint32_t>>(context, width, height, channels, ring);
}

template <class T>
BoxFilterStream<T>::BoxFilterStream(BoxFilterStream&&) noexcept = default;
template <class T>
BoxFilterStream<T>::~BoxFilterStream() = default;

template <class T>
View<const T> BoxFilterStream<T>::push(View<const T> rows) {
  return steps_->push(rows);
}

template <class T>
View<const T> BoxFilterStream<T>::finish() {
  return steps_->finish();
}

std::int64_t box_filter_stream_bytes(std::int64_t width, std::int64_t height, int channels, int sample_bytes,
                                     std::int64_t radius, std::int64_t band_rows) {
  const RingShape ring(width, height, channels, sample_bytes, radius, band_rows, false);
  const std::int64_t buffers = 4 * ring.band_rows * width * channels * sample_bytes;  // two each way on CUDA
  return ring.samples() * ring.sum_bytes + buffers +
         summed_area_table_workspace(width, ring.band_rows, ring.channels, ring.sum_bytes);
}

#define SCANLENS_INSTANTIATE(T)                                             \
  template void box_filter(Context&, View<const T>, std::int64_t, View<T>); \
  template class BoxFilterStream<T>;
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
