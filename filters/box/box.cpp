#include "filters/box.h"

#include <algorithm>
#include <memory>

#include "core/cpu/pieces.h"
#include "core/image.h"
#include "core/runtime/dispatch.h"
#include "core/runtime/kept_memory.h"
#include "core/sat.h"
#include "filters/bands/work.h"
#include "filters/box/backends.h"
#include "filters/box/floats.h"
#include "filters/parts/box_sums.h"
#include "filters/parts/filter_of.h"

namespace scanlens {
namespace {

/// The layout of a picture's table, for bands of `band_rows` rows. A radius as large as the picture is high
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
        sum_bytes(packed || need_64_bits(width, height, channels, sample_bytes, radius) ? 8 : 4) {
    if (channels == 4 && sample_bytes == 2) require_weighed_fit(width, height, radius);
    // While band k is there, rows of the result from k band_rows - radius on are made. Their boxes begin
    // below row k band_rows - 2 radius - 1 of the table.
    const std::int64_t behind = (2 * this->radius + this->band_rows) / this->band_rows;
    bands = std::min(behind + 1, (height + this->band_rows - 1) / this->band_rows);
  }

  std::int64_t samples() const { return bands * (band_rows + 1) * pitch; }

  /// The ring in memory for samples() sums, or samples.
  template <class Entry>
  TableRing<Entry> ring(Entry* entries) const {
    return {entries, pitch, static_cast<std::uint32_t>(band_rows), static_cast<std::uint32_t>(bands)};
  }
  Terms terms() const {
    Terms terms;
    terms.packed = packed;
    terms.weigh_by_alpha = channels == 4;
    return terms;
  }

  static bool need_64_bits(std::int64_t width, std::int64_t height, int channels, int sample_bytes,
                           std::int64_t radius) {
    if (channels != 4) return needs_64_bits(width, height, radius, sample_bytes);
    return sample_bytes > 1 || weighed_need_64_bits(width, height, radius);
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

/// Rows of the result, from row `first` of the picture's `height` on. `own`: the same rows of the picture,
/// which are read where there is alpha.
template <class T, class Sum>
BoxTask<T, Sum> box_task(const TableRing<Sum>& ring, const RingShape& shape, std::int64_t height,
                         std::int64_t first, View<const T> own, View<T> out) {
  return {ring,
          static_cast<int>(out.width),
          static_cast<int>(height),
          static_cast<int>(shape.radius),
          first,
          out,
          shape.channels == 4 ? own : View<const T>(),
          shape.packed};
}

template <class T, class Sum>
void gather_rows(Context& context, const TableRing<Sum>& ring, const RingShape& shape, std::int64_t height,
                 std::int64_t first, View<const T> own, View<T> out) {
  const BoxTask<T, Sum> task = box_task(ring, shape, height, first, own, out);
  SCANLENS_DISPATCH(context, box_gather, task);
}

/// Rows that a whole picture is taken by: on the CPU so few that its caches keep the rows of the table that
/// boxes reach, and enough to share among the threads.
std::int64_t rows_at_once(const Context& context, std::int64_t row_samples, std::int64_t height) {
  constexpr std::int64_t kEntries = 768 << 10, kLeast = 32;  // for each thread
  if (context.on_cuda()) return height;
  return std::max(kEntries / row_samples, kLeast) * cpu::thread_count();
}

/// True if packed terms win for a whole picture. On the CPU never: there the terms cost more than the memory
/// that is saved. On CUDA for large ones: below 1.5 million pixels tables of 32 bits, whose tiles stay in
/// shared memory (core/sat/cuda/resident.cuh), are faster. On an H200, the only GPU measured, 1024 x 1024
/// takes 18.8 us with them and 20.9 us packed, 1920 x 1080 takes 32.3 and 31.6.
bool packs_whole(const Context& context, std::int64_t width, std::int64_t height) {
  constexpr std::int64_t kLeastPixels = 3 << 19;
  return context.on_cuda() && width * height >= kLeastPixels;
}

template <class T, class Sum>
void filter_whole(Context& context, View<const T> image, const RingShape& shape, View<T> out) {
  if (!context.on_cuda() && image.data != out.data &&
      cpu::running_band_rows(shape.radius, image.width, image.height) > 0)
    return cpu::box_running(context, box_task<T, Sum>({}, shape, image.height, 0, image, out), image);
  Workspace workspace(context);
  const TableRing<Sum> ring = shape.ring(workspace.take<Sum>(shape.samples()));
  const std::int64_t width = image.width, height = image.height;
  std::int64_t done = 0;
  for (std::int64_t seen = 0; seen < height;) {
    const std::int64_t rows = std::min(shape.band_rows, height - seen);
    scan_band(context, image.region(0, seen, width, rows), seen, shape, ring);
    seen += rows;
    const std::int64_t end = seen == height ? height : std::max(done, seen - shape.radius);
    if (end > done)
      gather_rows(context, ring, shape, height, done, image.region(0, done, width, end - done),
                  out.region(0, done, width, end - done));
    done = end;
  }
}

/// A stream's bands through a ring of the table's rows: none is summed twice.
template <class T, class Sum>
class Ring : public BandWork {
 public:
  Ring(Context& context, const RowFormat& format, const RingShape& shape)
      : context_(context),
        format_(format),
        shape_(shape),
        sums_(context, static_cast<std::size_t>(shape.samples()) * sizeof(Sum)),
        ring_(shape.ring(sums_.as<Sum>())) {
    const std::int64_t scratch =
        summed_area_table_workspace(format.width, shape.band_rows, shape.channels, sizeof(Sum));
    Workspace(context).take<std::byte>(scratch);
    if (!weighed()) return;
    own_ = KeptMemory(context, static_cast<std::size_t>(shape.samples()) * sizeof(T));
    own_ring_ = shape.ring(own_.as<T>());
  }

  void take(const std::byte* rows, std::int64_t count) override {
    const View<const T> band(reinterpret_cast<const T*>(rows), format_.width, count, format_.channels);
    scan_band(context_, band, seen_, shape_, ring_);
    if (weighed()) copy(context_, band, own_rows(seen_, count));
    seen_ += count;
  }

  std::int64_t ready() const override {
    return seen_ == format_.height ? seen_ : std::max<std::int64_t>(0, seen_ - shape_.radius);
  }

  void make(std::int64_t first, std::int64_t count, std::byte* out) override {
    const View<T> to(reinterpret_cast<T*>(out), format_.width, count, format_.channels);
    if (!weighed()) return gather_rows(context_, ring_, shape_, format_.height, first, View<const T>(), to);
    for (std::int64_t y = first; y < first + count;) {  // to where the band ends whose rows lie together
      const std::int64_t end = std::min(first + count, (y / shape_.band_rows + 1) * shape_.band_rows);
      gather_rows(context_, ring_, shape_, format_.height, y, View<const T>(own_rows(y, end - y)),
                  to.region(0, y - first, format_.width, end - y));
      y = end;
    }
  }

 private:
  bool weighed() const { return format_.channels == 4; }
  View<T> own_rows(std::int64_t first, std::int64_t count) const {
    return View<T>(own_ring_.row(static_cast<std::uint32_t>(first)), format_.width, count, 4);
  }

  Context& context_;
  RowFormat format_;
  RingShape shape_;
  KeptMemory sums_;
  TableRing<Sum> ring_;
  KeptMemory own_;  ///< the picture's rows where there is alpha
  TableRing<T> own_ring_;
  std::int64_t seen_ = 0;  ///< rows of the picture that have been taken
};

RingShape ring_for_bands(const RowFormat& format, std::int64_t radius, std::int64_t band_rows,
                         bool may_pack) {
  return RingShape(format.width, format.height, format.channels, format.sample_bytes, radius, band_rows,
                   may_pack);
}

std::int64_t whole(const BoxParams& params) {
  return static_cast<std::int64_t>(params.radius);
}

struct BoxOfFloats {
  using Params = BoxParams;
  static std::int64_t reach(const BoxParams& params) { return whole(params); }
  static void run(Context& context, const BoxParams& params, const BandTask<float>& task) {
    box_of_floats(context, whole(params), task);
  }
};

/// Integers go through rings, floats through windows.
struct BoxBands {
  template <class T>
  static void run(Context& context, const FilterCall& call, const BandTask<T>& task) {
    const auto& params = std::any_cast<const BoxParams&>(call.params);
    const View<const T> image = task.rows;
    const View<T> out = task.out;
    const RingShape ring(image.width, image.height, image.channels, sizeof(T), whole(params),
                         rows_at_once(context, image.row_samples(), image.height),
                         packs_whole(context, image.width, image.height));
    if (ring.sum_bytes == 8)
      filter_whole<T, std::uint64_t>(context, image, ring, out);
    else
      filter_whole<T, std::uint32_t>(context, image, ring, out);
  }

  template <class T>
  static std::unique_ptr<BandWork> open(Context& context, const FilterCall& call, const RowFormat& format,
                                        std::int64_t band_rows) {
    const auto& params = std::any_cast<const BoxParams&>(call.params);
    const RingShape ring = ring_for_bands(format, whole(params), band_rows, context.on_cuda());
    if (ring.sum_bytes == 8) return std::make_unique<Ring<T, std::uint64_t>>(context, format, ring);
    return std::make_unique<Ring<T, std::uint32_t>>(context, format, ring);
  }
};

template <>
void BoxBands::run<float>(Context& context, const FilterCall& call, const BandTask<float>& task) {
  Windowed<BoxOfFloats>::run(context, call, task);
}

template <>
std::unique_ptr<BandWork> BoxBands::open<float>(Context& context, const FilterCall& call,
                                                const RowFormat& format, std::int64_t band_rows) {
  return Windowed<BoxOfFloats>::open<float>(context, call, format, band_rows);
}

struct BoxFilter {
  using Params = BoxParams;
  using Bands = BoxBands;
  static constexpr std::string_view kName = "box";
  static constexpr std::string_view kHelp =
      "the mean over a square, of sample values as they are (sRGB codes), colours weighed by alpha";
  static constexpr Param kParams[] = {
      param<&BoxParams::radius>("radius", "pixels from the middle of the box to its edge", 0, kMostBoxRadius,
                                Values::whole, Measure::pixels_or_percent)};
  static std::int64_t reach(const BoxParams& params) { return whole(params); }
};

}  // namespace

constinit const Filter kBox = filter_of<BoxFilter>();

}  // namespace scanlens
