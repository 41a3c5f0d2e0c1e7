#include "filters/blur/blur.h"

#include <algorithm>

#include "filters/blur/columns.h"
#include "filters/blur/strips_cpu.h"

namespace scanlens {

template <class T>
void blur(Context& context, const Boxes& boxes, const Finish& finish, const BandTask<T>& task) {
  if (context.on_cuda())
    blur_by_columns(context, boxes, finish, task);
  else
    cpu::blur_by_strips(context, boxes, finish, task);
}

template void blur(Context&, const Boxes&, const Finish&, const BandTask<std::uint8_t>&);
template void blur(Context&, const Boxes&, const Finish&, const BandTask<std::uint16_t>&);
template void blur(Context&, const Boxes&, const Finish&, const BandTask<float>&);

std::int64_t blur_bytes(const Boxes& boxes, const RowFormat& rows) {
  return std::max(blur_columns_bytes(rows), cpu::blur_strips_bytes(boxes, rows));
}

}  // namespace scanlens
