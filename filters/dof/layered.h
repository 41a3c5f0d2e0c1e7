// Depth of field by layers, per backend. Called by depth_of_field only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"
#include "filters/dof/fill.h"
#include "filters/dof/frame_shapes.h"
#include "filters/dof/lamps.h"
#include "filters/dof/layers_formula.h"
#include "filters/dof/light.h"
#include "filters/dof/shapes.h"

namespace scanlens {

/// The lens of a blur in a style.
inline LayeredLens layered_lens(const Blur& blur, const DofStyle& style) {
  return {blur, style.near, style.far};
}

inline int layers_of(DofQuality quality) {
  return quality == DofQuality::best ? kMostDofLayers : 3;
}

/// SpreadShapes where the backend can read them.
struct SpreadShapes {
  const SpreadShape* first = nullptr;
  int count = 0;
};

template <class T>
struct LayeredTask {
  View<const T> image;
  View<const float> disparity;
  View<T> out;  ///< does not overlap the image
  LayeredLens lens;
  int layers = 3;
  SpreadShapes shapes[kGroupSizes];
  FrameTask frame;  ///< in place of `shapes`, of pupils
  LightScale scale;
  LampTask lamps;
  float fill_one = 1;
  float wide_fill = kWideFill;
};

/// Adds the pixel at (x, y) to its cell of the fill's table, but for what of it goes to a disc. `of_block` is
/// the share of its block.
template <int kSamples, class T>
SCANLENS_HOST_DEVICE void add_to_fill(const LayeredTask<T>& task, int x, int y, float circle, float weight,
                                      std::uint32_t of_block, FillCell<kSamples>& cell) {
  const T* const pixel = task.image.row(y) + static_cast<std::int64_t>(x) * kSamples;
  float light[kSamples];
  light_to_show<kSamples>(pixel, task.scale, light);
  if (of_block > 0) {
    const std::uint32_t brightest = brightest_light<kSamples>(pixel, task.scale);
    weight = weight_without_lamp(weight, lamp_share(brightest, task.lamps.per_lamp, circle, of_block));
  }
  cell.add(light, weight, 1 / task.scale.white);
}

namespace cpu {
template <class T>
void dof_layered(Context& context, const LayeredTask<T>& task);
/// Bytes that it takes from a workspace, where no pixel is spread more than `reach` rows.
std::int64_t dof_layered_bytes(std::int64_t width, std::int64_t height, int channels, const DofStyle& style,
                               int reach);
}  // namespace cpu
namespace gpu {
template <class T>
void dof_layered(Context& context, const LayeredTask<T>& task);
}

#define SCANLENS_INSTANTIATE_DOF_LAYERED                                  \
  template void dof_layered(Context&, const LayeredTask<std::uint8_t>&);  \
  template void dof_layered(Context&, const LayeredTask<std::uint16_t>&); \
  template void dof_layered(Context&, const LayeredTask<float>&);

}  // namespace scanlens
