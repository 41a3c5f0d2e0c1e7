#include <algorithm>

#include "core/image.h"
#include "core/runtime/count.h"
#include "core/runtime/dispatch.h"
#include "filters/means/backends.h"
#include "filters/means/means.h"
#include "filters/parts/box_sums.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

/// A pixel's result from a table of sums: how CUDA takes boxes that reach far.
template <class T, class Sum>
struct FinishFromTable {
  BoxSums<Sum> sums;
  BoxTask<T, Sum> task;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int row = static_cast<int>(task.first) + y, channels = task.out.channels;
    const Box box = sums.around(x, row);
    const Sum count = static_cast<Sum>(box.x1 - box.x0 + 1) * static_cast<Sum>(box.y1 - box.y0 + 1);
    const T* const own = &task.rows(x, row);
    T* const out = &task.out(x, y);
    if (channels == 4) {
      const Sum all[4] = {sums.sum(box, 0), sums.sum(box, 1), sums.sum(box, 2), sums.sum(box, 3)};
      finish_pixel(task.finish, count, all, own, out);
    } else {
      const Divisor<T, Sum> by(count);
      for (int c = 0; c < channels; ++c) out[c] = finished(task.finish, by, sums.sum(box, c), own[c]);
    }
  }
};

/// A picture whose rows have a multiple of four pixels, the last of them zeros.
template <class T>
struct PadRows {
  View<const T> from;
  View<T> to;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    for (int c = 0; c < to.channels; ++c) to(x, y, c) = x < from.width ? from(x, y, c) : T(0);
  }
};

/// True if rows begin at multiples of four samples and have as many.
template <class T>
bool stands_in_fours(const View<T>& view) {
  return reinterpret_cast<std::uintptr_t>(view.data) % (4 * sizeof(T)) == 0 && view.pitch % 4 == 0 &&
         view.row_samples() % 4 == 0;
}

/// Memory for rows that stand in fours.
template <class T>
View<T> take_fours(Workspace& workspace, const View<const T>& like) {
  const std::int64_t pitch = (like.width + 3) / 4 * 4 * like.channels;
  return View<T>(workspace.take<T>(pitch * like.height), like.width, like.height, like.channels, pitch);
}

template <class T, class Sum>
void run_boxes(Context& context, BoxTask<T, Sum> task) {
  Workspace workspace(context);
  const bool counting = counts(context), must_stand = context.on_cuda();
  const View<const T> given = task.rows;
  const View<T> out = task.out;
  if (counting || overlap(given, out) || (must_stand && !stands_in_fours(given))) {
    const View<T> rows = take_fours<T>(workspace, given);
    for_each_pixel(context, rows.pitch / rows.channels, rows.height, PadRows<T>{given, rows});
    task.rows = rows;
  }
  if (counting || (must_stand && !stands_in_fours(out))) task.out = take_fours<T>(workspace, out);
  SCANLENS_DISPATCH(context, sum_boxes, task);
  if (task.out.data != out.data) copy(context, View<const T>(task.out), out);
}

}  // namespace

template <class T>
void box_means(Context& context, std::int64_t radius, const Finish& finish, const BandTask<T>& task) {
  const View<const T>& rows = task.rows;
  const std::int64_t reach = std::min(radius, std::max(rows.width, rows.height));
  const bool alpha = rows.channels == 4, far = reach > kMostRunningRadius;
  if (alpha && sizeof(T) == 2) require_weighed_fit(rows.width, rows.height, reach);
  if (far && (context.on_cuda() || counts(context)))
    with_box_sums(context, rows, reach, [&]<class Sum>(const BoxSums<Sum>& sums) {
      for_each_pixel(context, task.out.width, task.out.height,
                     FinishFromTable<T, Sum>{sums, {rows, task.first, task.out, reach, finish}});
    });
  if (far && context.on_cuda()) return;
  const auto with = [&]<class Sum>(Sum) {
    run_boxes(context, BoxTask<T, Sum>{rows, task.first, task.out, reach, finish});
  };
  if constexpr (std::is_floating_point_v<T>)
    with(double{});
  else if (alpha ? sizeof(T) == 2 || weighed_need_64_bits(rows.width, rows.height, reach)
                 : needs_64_bits(rows.width, rows.height, reach, sizeof(T)))
    with(std::uint64_t{});
  else
    with(std::uint32_t{});
}

template void box_means(Context&, std::int64_t, const Finish&, const BandTask<std::uint8_t>&);
template void box_means(Context&, std::int64_t, const Finish&, const BandTask<std::uint16_t>&);
template void box_means(Context&, std::int64_t, const Finish&, const BandTask<float>&);

}  // namespace scanlens
