// The arguments of the backends. Called by yuv.cpp only.
#pragma once

#include "core/context.h"
#include "filters/yuv.h"
#include "filters/yuv/formula.h"

namespace scanlens {

template <class Planes, class Pixels>
struct YuvTask {
  YuvPlanes<Planes> planes;
  View<Pixels> rgb;
  YuvWay across, down;
  YuvCodes codes;
};
template <class T>
using RgbFromYuv = YuvTask<const T, T>;
template <class T>
using YuvFromRgb = YuvTask<T, const T>;

namespace cpu {
template <class T>
void rgb_from_yuv(Context& context, const RgbFromYuv<T>& task);
template <class T>
void yuv_from_rgb(Context& context, const YuvFromRgb<T>& task);
}  // namespace cpu
namespace gpu {
template <class T>
void rgb_from_yuv(Context& context, const RgbFromYuv<T>& task);
template <class T>
void yuv_from_rgb(Context& context, const YuvFromRgb<T>& task);
}  // namespace gpu

}  // namespace scanlens

#define SCANLENS_INSTANTIATE_YUV                                               \
  template void rgb_from_yuv(Context&, const RgbFromYuv<std::uint8_t>& task);  \
  template void rgb_from_yuv(Context&, const RgbFromYuv<std::uint16_t>& task); \
  template void yuv_from_rgb(Context&, const YuvFromRgb<std::uint8_t>& task);  \
  template void yuv_from_rgb(Context&, const YuvFromRgb<std::uint16_t>& task);
