#include "app/photo/facts.h"

#include <utility>

#include "app/depth/depth.h"
#include "app/photo/photo_options.h"
#include "filters/dof_formula.h"
#include "filters/lens.h"

namespace scanlens {
namespace {

/// Returns a distance in metres, null at infinity.
Json distance_of(float disparity) {
  return disparity > 0 ? Json(1 / static_cast<double>(disparity)) : Json(nullptr);
}

}  // namespace

Json::Object facts_of(const Depth& depth) {
  const View<const float> values = depth.disparity.view();
  const bool metric = depth.metric;
  return {{"width", values.width},
          {"height", values.height},
          {"kind", kDepthKindNames[static_cast<int>(depth.kind)]},
          {"unit", metric ? Json("m") : Json(nullptr)},
          {"min", metric ? distance_of(depth.most) : Json(depth.least)},
          {"max", metric ? distance_of(depth.least) : Json(depth.most)},
          {"unknown", depth.unknown},
          {"unknown_share", static_cast<double>(depth.unknown) / static_cast<double>(values.extent())},
          {"decided_by", depth.decided_by}};
}

void add_depth(Account& account, const std::filesystem::path& file, Json::Object map) {
  account.add_fact("depth", file.string());
  account.add_fact("depth_map", std::move(map));
}

void add_blur(Account& account, const Blur& blur, bool metric, const std::optional<ThinLens>& lens) {
  account.add_fact("focus", metric ? distance_of(blur.focus) : Json(blur.focus));
  account.add_fact("unit", metric ? Json("m") : Json(nullptr));
  account.add_fact("largest_blur", blur.most);
  account.add_fact("lens", lens ? Json{{"focal_length_mm", lens->focal_length_mm},
                                       {"f_number", lens->f_number},
                                       {"sensor_width_mm", lens->sensor_width_mm}}
                                : Json(nullptr));
}

}  // namespace scanlens
