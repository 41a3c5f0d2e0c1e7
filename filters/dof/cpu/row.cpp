// Depth of field, a run of a row's pixels at a time: kernels first, then areas, sums, light and samples.
// Every function is compiled for several instruction sets, and the best that the processor has is chosen when
// it is first called. All but the sums are loops over the formulas that C++, CUDA and GLSL share. HWY_FLATTEN
// inlines the formulas, so that the compiler can make vectors of the loops. The options of this file
// (CMakeLists.txt) help it, and forbid fused multiplication: every instruction set gives the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/dof/cpu/row.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "filters/dof/cpu/row.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRun = 128;   // pixels; what is kept of them stays in the nearest cache
constexpr int kGroup = 16;  // pixels that are summed together where their boxes are of one size
constexpr int kFew = 4;     // elements: a pixel, and whatever may be read and written past one

/// A run of pixels of one row, and the kernels of these.
struct Pixels {
  int x;  ///< of the first
  int y;
  int count;
  int inner[kRun];
  float ring[kRun];
  float area[kRun];
};

/// Facts about a run of pixels.
template <class Sum, int kChannels>
struct Run : Pixels {
  Sum inside[kRun * kChannels + kFew];  ///< sums over the inner boxes
  Sum around[kRun * kChannels + kFew];  ///< sums over what the outer boxes add
  float light[kRun * kChannels];
};

/// True if any pixel of the run is blurred.
HWY_FLATTEN bool find_kernels(const float* disparity, const Blur& blur, Pixels& run) {
  for (int i = 0; i < run.count; ++i) {
    const BoxKernel kernel = box_of_equal_area(circle_of_confusion(disparity[i], blur));
    run.inner[i] = kernel.inner;
    run.ring[i] = kernel.ring;
  }
  int blurred = 0;
  for (int i = 0; i < run.count; ++i) blurred |= !is_sharp(BoxKernel{run.inner[i], run.ring[i]});
  return blurred != 0;
}

HWY_FLATTEN void find_areas(int width, int height, Pixels& run) {
  for (int i = 0; i < run.count; ++i) {
    const int x = run.x + i, reach = run.inner[i];
    const float inner = box_area(clipped_box(x, run.y, reach, width, height));
    const float outer = box_area(clipped_box(x, run.y, reach + 1, width, height));
    run.area[i] = ring_sum(inner, outer - inner, BoxKernel{reach, run.ring[i]});
  }
}

/// The first entries for SCANLENS_BOX_SUM, for boxes of one size around pixels side by side. Like the pixels,
/// the entries move on along the rows of the table.
template <class Sum>
struct Corners {
  const Sum* last;
  const Sum* above;
  const Sum* left;
  const Sum* corner;

  template <class D>
  hn::Vec<D> sums(D d, int i) const {
    const auto plus = [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
    const auto minus = [](auto a, auto b) HWY_ATTR { return hn::Sub(a, b); };
    return SCANLENS_BOX_SUM(plus, minus, hn::LoadU(d, last + i), hn::LoadU(d, above + i),
                            hn::LoadU(d, left + i), hn::LoadU(d, corner + i));
  }
};

/// Stores `length` sums, and in the last vector as many more as it has lanes left.
template <class D, class Sum>
void store_sums(D d, const Corners<Sum>& inner, const Corners<Sum>& outer, int length, Sum* inside,
                Sum* around) {
  for (int i = 0; i < length; i += static_cast<int>(hn::Lanes(d))) {
    const auto sums = inner.sums(d, i);
    hn::StoreU(sums, d, inside + i);
    hn::StoreU(hn::Sub(outer.sums(d, i), sums), d, around + i);
  }
}

/// True if no border clips the boxes of the run, nor the reads past them.
template <class Sum>
bool is_inside(const View<const Sum>& table, const Pixels& run) {
  int most = 0;
  for (int i = 0; i < run.count; ++i) most = std::max(most, run.inner[i]);
  const int reach = most + 1;
  return run.x > reach && run.x + run.count + reach + kFew <= table.width && run.y > reach &&
         run.y + reach < table.height;
}

/// The corners of boxes that no border clips, around the pixel whose entry is `at` and those after it.
template <int kChannels, class Sum>
Corners<Sum> corners_inside(const Sum* at, std::int64_t pitch, int reach) {
  const std::int64_t side = 2 * reach + 1;
  const Sum* last = at + reach * (pitch + kChannels);
  const Sum* left = last - side * kChannels;
  return {last, last - side * pitch, left, left - side * pitch};
}

/// The sums of a run that is_inside. Groups with boxes of one size go by long vectors, other groups pixel by
/// pixel. Where sizes change often, the search for the ends of shorter stretches would take longer than it
/// saves.
template <class Sum, int kChannels>
HWY_FLATTEN void find_sums_inside(const View<const Sum>& table, Run<Sum, kChannels>& run) {
  const hn::CappedTag<Sum, kGroup> many;
  const hn::CappedTag<Sum, kChannels == 1 ? 1 : kFew> few;
  for (int begin = 0; begin < run.count; begin += kGroup) {
    const int count = std::min(kGroup, run.count - begin);
    const Sum* at = table.row(run.y) + std::int64_t{run.x + begin} * kChannels;
    const int* reach = run.inner + begin;
    Sum* inside = run.inside + begin * kChannels;
    Sum* around = run.around + begin * kChannels;
    const auto store = [&](auto d, int i, int pixels) HWY_ATTR {
      const Sum* entry = at + i * kChannels;
      store_sums(d, corners_inside<kChannels>(entry, table.pitch, reach[i]),
                 corners_inside<kChannels>(entry, table.pitch, reach[i] + 1), pixels * kChannels,
                 inside + i * kChannels, around + i * kChannels);
    };
    int differing = 0;
    for (int i = 1; i < count; ++i) differing |= reach[i] ^ reach[0];
    if (count == kGroup && differing == 0)
      store(many, 0, kGroup);
    else
      for (int i = 0; i < count; ++i) store(few, i, 1);
  }
}

/// Entries of pixels side by side: straight from the table where they lie inside it with all that is read
/// past them, and a copy where they do not. Above the table and left of it is zero; right of it a row goes on
/// with its last sums.
template <class Sum, int kChannels>
class RowPiece {
 public:
  RowPiece(const View<const Sum>& table, std::int64_t x, std::int64_t y, int count) {
    static constexpr Sum kZeros[kRun * kChannels + kFew] = {};
    if (y < 0 || x + count <= 0) {
      first_ = kZeros;
      return;
    }
    const Sum* row = table.row(y);
    if (x >= 0 && x + count + kFew <= table.width) {
      first_ = row + x * kChannels;
      return;
    }
    for (int i = 0; i < count; ++i)
      for (int c = 0; c < kChannels; ++c)
        copy_[i * kChannels + c] = x + i < 0 ? Sum{0} : row[std::min(x + i, table.width - 1) * kChannels + c];
    first_ = copy_;
  }
  RowPiece(const RowPiece&) = delete;  // first_ may point into the object
  RowPiece& operator=(const RowPiece&) = delete;

  const Sum* first() const { return first_; }

 private:
  const Sum* first_;
  Sum copy_[kRun * kChannels + kFew];
};

/// The entries that Corners point at, wherever the boxes lie.
template <class Sum, int kChannels>
class CornerPieces {
 public:
  CornerPieces(const View<const Sum>& table, int x, int y, int reach, int count)
      : last_(table, x + reach, std::min<std::int64_t>(y + reach, table.height - 1), count),
        above_(table, x + reach, y - reach - 1, count),
        left_(table, x - reach - 1, std::min<std::int64_t>(y + reach, table.height - 1), count),
        corner_(table, x - reach - 1, y - reach - 1, count) {}

  Corners<Sum> corners() const { return {last_.first(), above_.first(), left_.first(), corner_.first()}; }

 private:
  RowPiece<Sum, kChannels> last_, above_, left_, corner_;
};

/// The sums of any run.
template <class Sum, int kChannels>
void find_sums(const View<const Sum>& table, Run<Sum, kChannels>& run) {
  const hn::CappedTag<Sum, kFew> few;
  int end = 0;
  for (int begin = 0; begin < run.count; begin = end) {
    const int x = run.x + begin, reach = run.inner[begin];
    do ++end;
    while (end < run.count && run.inner[end] == reach);
    const int count = end - begin;
    const CornerPieces<Sum, kChannels> inner(table, x, run.y, reach, count);
    const CornerPieces<Sum, kChannels> outer(table, x, run.y, reach + 1, count);
    store_sums(few, inner.corners(), outer.corners(), count * kChannels, run.inside + begin * kChannels,
               run.around + begin * kChannels);
  }
}

/// The means, in the order of the samples; of four channels the last is the mean alpha.
template <class Sum, int kChannels>
HWY_FLATTEN void find_light(Run<Sum, kChannels>& run) {
  // This loop stands alone, because GCC 12 makes wrong code for AVX2 of 64-bit sums converted four at a time
  // below.
  float around[kRun * kChannels];
  for (int i = 0; i < run.count * kChannels; ++i) {
    run.light[i] = static_cast<float>(run.inside[i]);
    around[i] = static_cast<float>(run.around[i]);
  }
  for (int i = 0; i < run.count; ++i) {
    const BoxKernel kernel{run.inner[i], run.ring[i]};
    float* light = run.light + i * kChannels;
    float sums[kChannels];
    for (int c = 0; c < kChannels; ++c) sums[c] = ring_sum(light[c], around[i * kChannels + c], kernel);
    const float per_weight = 1 / (kChannels == 4 ? sums[kChannels - 1] : run.area[i]);
    for (int c = 0; c < std::min(kChannels, 3); ++c) light[c] = sums[c] * per_weight;
    if (kChannels == 4) light[3] = sums[3] / run.area[i];
  }
}

/// Light, or what is looked up instead of computed, to samples; sharp pixels and invisible colours are
/// copied.
template <int kChannels, class T, class Sum>
HWY_FLATTEN void encode(const DofTask<T, Sum>& task, const Pixels& run, const float* light, const T* image,
                        T* out) {
  constexpr bool kLookUp = std::is_same_v<T, std::uint8_t>;
  int entry[kLookUp ? kRun * kChannels : 1];
  if constexpr (kLookUp)
    for (int i = 0; i < run.count * kChannels; ++i) entry[i] = linear16_entry(light[i]);
  const auto sample = [&](int i) HWY_ATTR {
    if constexpr (kLookUp)
      return task.encode8[entry[i]];
    else
      return encode_light(light[i], task);
  };
  for (int i = 0; i < run.count; ++i, image += kChannels, out += kChannels) {
    const int first = i * kChannels;
    const bool sharp = is_sharp(BoxKernel{run.inner[i], run.ring[i]});
    const bool visible = kChannels < 4 || light[first + kChannels - 1] > 0;
    for (int c = 0; c < std::min(kChannels, 3); ++c)
      out[c] = visible && !sharp ? sample(first + c) : image[c];
    if (kChannels == 4) out[3] = sharp ? image[3] : encode_alpha<T>(light[first + 3]);
  }
}

template <int kChannels, class T, class Sum>
void blur_row(const DofTask<T, Sum>& shared, int x0, int x1, int y) {
  const DofTask<T, Sum> task = shared;  // a copy that no written byte can be part of
  Run<Sum, kChannels> run;
  run.y = y;
  for (run.x = x0; run.x < x1; run.x += kRun) {
    run.count = std::min(kRun, x1 - run.x);
    const T* image = task.image.row(y) + std::int64_t{run.x} * kChannels;
    T* out = task.out.row(y) + std::int64_t{run.x} * kChannels;
    if (!find_kernels(task.disparity.row(y) + run.x, task.blur, run)) {
      if (out != image) std::memcpy(out, image, static_cast<std::size_t>(run.count) * kChannels * sizeof(T));
      continue;
    }
    find_areas(static_cast<int>(task.image.width), static_cast<int>(task.image.height), run);
    if (is_inside(task.table, run))
      find_sums_inside(task.table, run);
    else
      find_sums(task.table, run);
    find_light(run);
    encode<kChannels>(task, run, run.light, image, out);
  }
}

template <class T, class Sum>
void blur_row_of(const DofTask<T, Sum>& task, int x0, int x1, int y) {
  if (task.image.channels == 1) return blur_row<1>(task, x0, x1, y);
  if (task.image.channels == 3) return blur_row<3>(task, x0, x1, y);
  blur_row<4>(task, x0, x1, y);
}

#define SCANLENS_DEFINE_ROW(name, T, Sum) constexpr auto& name = blur_row_of<T, Sum>;
SCANLENS_FOR_EACH_DOF_ROW(SCANLENS_DEFINE_ROW)
#undef SCANLENS_DEFINE_ROW

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DEFINE_DOF_ROW(name, T, Sum)                        \
  HWY_EXPORT(name);                                                  \
  template <>                                                        \
  void dof_row(const DofTask<T, Sum>& task, int x0, int x1, int y) { \
    HWY_DYNAMIC_DISPATCH(name)(task, x0, x1, y);                     \
  }
SCANLENS_FOR_EACH_DOF_ROW(SCANLENS_DEFINE_DOF_ROW)
#undef SCANLENS_DEFINE_DOF_ROW

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
