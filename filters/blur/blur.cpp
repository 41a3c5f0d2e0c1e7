#include "filters/blur/blur.h"

#include "core/runtime/count.h"
#include "filters/blur/columns.h"
#include "filters/blur/strips_cpu.h"

namespace scanlens {

template <class T>
void blur(Context& context, const Boxes& boxes, const BandTask<T>& task) {
  if (context.on_cuda() || counts(context)) blur_by_columns(context, boxes, task);
  if (!context.on_cuda()) cpu::blur_by_strips(context, boxes, task);
}

template void blur(Context&, const Boxes&, const BandTask<std::uint8_t>&);
template void blur(Context&, const Boxes&, const BandTask<std::uint16_t>&);
template void blur(Context&, const Boxes&, const BandTask<float>&);

}  // namespace scanlens
