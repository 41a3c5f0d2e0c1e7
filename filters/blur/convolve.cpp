#include "filters/blur/convolve.h"

#include "core/image.h"
#include "core/runtime/count.h"
#include "core/runtime/dispatch.h"
#include "filters/blur/codes.h"

namespace scanlens {

template <class T>
void convolve(Context& context, const Taps& taps, const BandTask<T>& task) {
  if (counts(context)) {
    convolve_by_pixels(context, taps, task);
    return count_beside(
        context, cpu::convolve_apart_bytes(task.rows.channels, task.out.row_samples(), task.out.height));
  }
  if (!overlap(task.rows, task.out)) {
    SCANLENS_DISPATCH(context, convolve_apart, taps, task);
    return;
  }
  const View<const T>& rows = task.rows;
  Workspace workspace(context);
  const View<T> kept(workspace.take<T>(rows.height * rows.row_samples()), rows.width, rows.height,
                     rows.channels);
  copy(context, rows, kept);
  BandTask<T> apart = task;
  apart.rows = kept;
  SCANLENS_DISPATCH(context, convolve_apart, taps, apart);
}

template void convolve(Context&, const Taps&, const BandTask<std::uint8_t>&);
template void convolve(Context&, const Taps&, const BandTask<std::uint16_t>&);
template void convolve(Context&, const Taps&, const BandTask<float>&);

}  // namespace scanlens
