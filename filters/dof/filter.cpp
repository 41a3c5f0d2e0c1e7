// Depth of field as a filter among others: relative depth comes as its map.
#include <algorithm>
#include <any>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/image.h"
#include "filters/dof_params.h"
#include "filters/dof_shape.h"
#include "filters/parts/filter_of.h"

namespace scanlens {
namespace {

/// Pixels are no percent here.
struct DofParams : DofValues {
  double white = 64;

  constexpr DofParams() { blur = 20; }
};

/// Boxes of pictures with alpha and more than 8 bits are exact up to here.
constexpr double kMostBlur = 2000;

constexpr bool is_taken(const DofParam& param) {
  return param.needs != DofNeed::metric;
}

constexpr std::size_t kTaken = std::count_if(std::begin(kDofParams), std::end(kDofParams), is_taken);

template <std::size_t kAt>
double& value_in(std::any& params) {
  return std::any_cast<DofParams&>(params).*kDofParams[kAt].value_at;
}

/// The parameters of kDofParams that relative depth has, and the filter's own.
template <std::size_t... kAt>
constexpr std::array<Param, kTaken + 1> params_of_filter(std::index_sequence<kAt...>) {
  constexpr DofParams kDefaults;
  double& (*const in[])(std::any&) = {value_in<kAt>...};
  std::array<Param, kTaken + 1> params{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::size(kDofParams); ++i) {
    const DofParam& own = kDofParams[i];
    if (!is_taken(own)) continue;
    params[count++] = {own.name,
                       own.relative_help.empty() ? own.help : own.relative_help,
                       own.least,
                       own.is_blur() ? kMostBlur : own.most,
                       kDefaults.*own.value_at,
                       own.whole || !own.names.empty(),
                       in[i],
                       own.names,
                       own.measure == Measure::metres_or_share ? Measure::share : own.measure};
  }
  params[count] = param<&DofParams::white>("white", "brightest light of float pictures that is kept", 1, 256);
  return params;
}

struct DofFilter {
  using Params = DofParams;
  static constexpr std::string_view kName = "dof";
  static constexpr std::string_view kHelp =
      "depth of field in linear light: the blur grows with a pixel's distance from the focus; drafts are "
      "made in bands, other qualities of the whole picture";
  static constexpr MapKind kMap = MapKind::depth;
  static constexpr bool kSameEverywhere = false;
  static constexpr auto kParams = params_of_filter(std::make_index_sequence<std::size(kDofParams)>());

  static Blur blur(const DofParams& params) { return blur_of(params, params.focus, {}, 0, params.blur); }

  /// The positions of layers follow from the depths of the whole picture, and most passes from its pixels.
  static std::int64_t reach(const DofParams& params) {
    const DofStyle style = params.style(100);
    const bool in_bands = style.quality == DofQuality::draft && !needs_passes(blur(params), style);
    return in_bands ? static_cast<std::int64_t>(std::ceil(params.blur)) + 1 : kReachesAll;
  }

  template <class T>
  static void run(Context& context, const DofParams& params, const BandTask<T>& task) {
    const View<const T> rows = task.rows;
    const LightRange light{.most = static_cast<float>(params.white)};
    if (task.first == 0 && task.out.height == rows.height)
      return depth_of_field<T>(context, rows, task.map, blur(params), task.out, light, params.style(100));
    Workspace workspace(context);
    const View<T> all(workspace.take<T>(rows.width * rows.height * rows.channels), rows.width, rows.height,
                      rows.channels);
    depth_of_field<T>(context, rows, task.map, blur(params), all, light, params.style(100));
    copy(context, View<const T>(all.region(0, task.first, rows.width, task.out.height)), task.out);
  }
};

}  // namespace

extern constinit const Filter kDof = filter_of<DofFilter>();

}  // namespace scanlens
