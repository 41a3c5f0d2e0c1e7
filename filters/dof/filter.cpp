// Depth of field as a filter among others: relative depth comes as its map.
#include <cmath>

#include "core/image.h"
#include "filters/depth_of_field.h"
#include "filters/lens.h"
#include "filters/parts/filter_of.h"

namespace scanlens {
namespace {

struct DofParams {
  double focus = 0.5;
  double blur = 20;
  double quality = 1;
  double bokeh = 1;
  double anamorphic = 1;
  double blades = 0;
  double rotation = 0;
  double near = 1;
  double far = 1;
  double highlights = 0;
  double white = 64;
};

/// Boxes of pictures with alpha and more than 8 bits are exact up to here.
constexpr double kMostBlur = 2000;

struct DofFilter {
  using Params = DofParams;
  static constexpr std::string_view kName = "dof";
  static constexpr std::string_view kHelp =
      "depth of field in linear light: the wider a pixel's blur, the farther its depth from the focus";
  static constexpr MapKind kMap = MapKind::depth;
  static constexpr bool kSameEverywhere = false;
  static constexpr Param kParams[] = {
      param<&DofParams::focus>("focus", "depth in focus: 0 farthest, 1 nearest", 0, 1, Values::any,
                               Measure::share),
      param<&DofParams::blur>("blur", "radius in pixels of the widest blur", 0, kMostBlur, Values::any,
                              Measure::pixels_or_percent),
      choice<&DofParams::quality>(
          "quality",
          "draft is made in bands, by boxes, which bleed; the others in layers, of the whole picture",
          kDofQualityNames),
      choice<&DofParams::bokeh>("bokeh", "shape of a blurred light, not of drafts", kBokehNames),
      param<&DofParams::anamorphic>("anamorphic", "height of a blurred light by its width, not of drafts",
                                    0.25, 4),
      param<&DofParams::blades>("blades",
                                "sides of a blurred light, 3 to 16; 0: as bokeh says; not of drafts", 0, 16,
                                Values::whole),
      param<&DofParams::rotation>("rotation", "of a blurred light with sides, clockwise, not of drafts", 0,
                                  360, Values::any, Measure::degrees),
      param<&DofParams::near>("near", "blur before the focus, times this, not of drafts", 0, 8),
      param<&DofParams::far>("far", "blur behind the focus, times this, not of drafts", 0, 8),
      param<&DofParams::highlights>(
          "highlights", "of codes: light that white has beyond what they can hold, not of drafts", 0, 15),
      param<&DofParams::white>("white", "of float pictures: the brightest light that is kept", 1, 256)};

  static Blur blur(const DofParams& params) { return relative_blur(params.focus, params.blur); }

  static DofStyle style(const DofParams& params) {
    return {.quality = static_cast<DofQuality>(static_cast<int>(params.quality)),
            .bokeh = static_cast<Bokeh>(static_cast<int>(params.bokeh)),
            .anamorphic = static_cast<float>(params.anamorphic),
            .blades = static_cast<float>(params.blades),
            .rotation = static_cast<float>(params.rotation),
            .near = static_cast<float>(params.near),
            .far = static_cast<float>(params.far),
            .highlights = static_cast<float>(params.highlights)};
  }

  static bool is_draft(const DofParams& params) { return style(params).quality == DofQuality::draft; }

  /// Where layers lie follows from the depths of the whole picture.
  static std::int64_t reach(const DofParams& params) {
    return is_draft(params) ? static_cast<std::int64_t>(std::ceil(params.blur)) + 1 : kReachesAll;
  }

  static std::int64_t scratch_bytes(const DofParams& params, const RowFormat& rows) {
    const std::int64_t beyond =
        is_draft(params) ? rows.height * static_cast<std::int64_t>(rows.row_bytes()) : 0;
    return beyond + depth_of_field_workspace(rows.width, rows.height, rows.channels, rows.sample_bytes,
                                             blur(params), style(params));
  }

  template <class T>
  static void run(Context& context, const DofParams& params, const BandTask<T>& task) {
    const View<const T> rows = task.rows;
    const LightRange light{.most = static_cast<float>(params.white)};
    if (task.first == 0 && task.out.height == rows.height)
      return depth_of_field<T>(context, rows, task.map, blur(params), task.out, light, style(params));
    Workspace workspace(context);
    const View<T> all(workspace.take<T>(rows.width * rows.height * rows.channels), rows.width, rows.height,
                      rows.channels);
    depth_of_field<T>(context, rows, task.map, blur(params), all, light, style(params));
    copy(context, View<const T>(all.region(0, task.first, rows.width, task.out.height)), task.out);
  }
};

}  // namespace

extern constinit const Filter kDof = filter_of<DofFilter>();

}  // namespace scanlens
