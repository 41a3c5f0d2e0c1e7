#include "app/viewer/model/state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "app/scene/camera.h"
#include "core/error.h"
#include "filters/dof_shape.h"
#include "filters/nearest.h"

namespace scanlens {
namespace {

constexpr std::string_view kNoYes[] = {"no", "yes"};

/// Lets a value have units.
ViewParam in(Measure measure, ViewParam param) {
  param.measure = measure;
  return param;
}

/// Lets a value be said in other words.
ViewParam said_as(ValueWords words, ViewParam param) {
  param.words = words;
  return param;
}

/// Leaves a value out of the panels: something else there sets it.
ViewParam without_row(ViewParam param) {
  param.has_row = false;
  return param;
}

/// Lets a value take whole numbers only.
ViewParam whole(ViewParam param) {
  param.whole = true;
  return param;
}

constexpr std::string_view kTimes = "\u00d7";

using S = ViewState;
constexpr const char *kView = "View", *kCamera = "Camera", *kWindow = "Window";

/// Returns the unit of a parameter here, where it has one alone.
Measure measure_of(const DofParam& param) {
  switch (param.measure) {
    case Measure::pixels_or_percent:
      return Measure::percent;
    case Measure::metres_or_share:
      return Measure::number;
    default:
      return param.measure;
  }
}

std::string help_of(const DofParam& param) {
  switch (param.measure) {
    case Measure::pixels_or_percent:
      return std::string(param.relative_help.empty() ? param.help : param.relative_help) +
             ", in percent of the picture's width";
    case Measure::millimetres:
      return std::string(param.help) + ", in millimetres";
    default:
      return std::string(param.help);
  }
}

/// Returns the part of the panels that a parameter lies in.
std::string_view part_of(const DofParam& param) {
  using D = DofValues;
  if (param.group == kLensGroup) return kFocusPart;
  for (const auto of_look :
       {&D::quality, &D::near, &D::far, &D::highlights, &D::highlights_from, &D::highlights_range})
    if (param.value_at == of_look) return kLookGroup;
  return kLensPart;
}

ViewParam view_param_of(const DofParam& param) {
  const bool has_slider = param.slider.most > param.slider.least;
  return {.name = param.name,
          .group = param.group,
          .help = help_of(param),
          .least = has_slider ? param.slider.least : param.least,
          .most = has_slider ? param.slider.most : param.most,
          .value = param.value_at,
          .takes = param.needs == DofNeed::metric     ? Takes::metric_depth
                   : param.needs == DofNeed::relative ? Takes::relative_depth
                                                      : Takes::any_depth,
          .logarithmic = param.slider.logarithmic,
          .kept = param.kept,
          .names = param.names,
          .measure = measure_of(param),
          .is_distance = param.measure == Measure::metres_or_share,
          .whole = param.whole,
          .words = param.words,
          .part = part_of(param)};
}

const ViewParam kOwnParams[] = {
    {"view", kView, "what is shown", 0, std::size(kShownViewNames) - 1, &S::view, Takes::nothing, false,
     false, kShownViewNames},
    in(Measure::share,
       said_as({.zero = "Off"},
               {"wipe", kView, "share of the picture's area, from the left, that shows the input", 0, 1,
                &S::wipe})),
    said_as({.sign = "EV"},
            {"exposure", kView, "of float pictures, in powers of two", -10, 10, &S::exposure, Takes::light}),
    said_as({.sign = kTimes}, {"gain", kView, "of the difference", 1, 64, &S::gain, Takes::nothing, true}),
    in(Measure::share,
       said_as({.zero = "Fit"},
               {"zoom", kView, "the window's pixels per pixel; 0 fits the picture into its area", 0, 64,
                &S::zoom, Takes::nothing, true})),
    without_row(
        {"centre-x", kView, "what the area's middle shows, in shares of the width", 0, 1, &S::centre_x}),
    without_row({"centre-y", kView, "the same of the height", 0, 1, &S::centre_y}),

    without_row(whole({"frame", kView, "number of a clip's frame, from 0", 0, 1e9, &S::frame})),
    without_row(
        {"playing", kWindow, "a clip goes on", 0, 1, &S::playing, Takes::nothing, false, false, kNoYes}),

    in(Measure::degrees,
       {"azimuth", kCamera, "around the scene, in degrees", -kTurnDeg, kTurnDeg, &S::azimuth, Takes::scene}),
    in(Measure::degrees, {"elevation", kCamera, "above the horizon, in degrees", kElevationsDeg.least,
                          kElevationsDeg.most, &S::elevation, Takes::scene}),
    in(Measure::metres, {"distance", kCamera, "from what the camera looks at, in metres", kDistancesM.least,
                         kDistancesM.most, &S::distance, Takes::scene, true}),
    in(Measure::metres, {"target-x", kCamera, "what the camera looks at, in metres", kTargetsM.least,
                         kTargetsM.most, &S::target_x, Takes::scene}),
    in(Measure::metres, {"target-y", kCamera, "the same, above the floor", kTargetHeightsM.least,
                         kTargetHeightsM.most, &S::target_y, Takes::scene}),
    in(Measure::metres, {"target-z", kCamera, "the same, towards the first camera", kTargetsM.least,
                         kTargetsM.most, &S::target_z, Takes::scene}),
    in(Measure::seconds, {"time", kCamera, "of the scene, in seconds", 0, 86400, &S::time, Takes::scene}),
    said_as({.label = "Move"}, {"moving", kCamera, "the scene's time goes on", 0, 1, &S::moving, Takes::scene,
                                false, false, kNoYes}),

    without_row(
        {"panels", kWindow, "the panels are shown", 0, 1, &S::panels, Takes::nothing, false, true, kNoYes}),
    without_row({"panel-width", kWindow, "width of the panels, in sizes of letters", 16, 60, &S::panel_width,
                 Takes::nothing, false, true}),
    in(Measure::percent, without_row({"text-size", kWindow, "size of letters, in percent", 50, 300,
                                      &S::text_size, Takes::nothing, false, true})),
    said_as({.label = "Strip of photos"}, {"strip", kWindow, "the folder's photos are shown along the bottom",
                                           0, 1, &S::strip, Takes::nothing, false, true, kNoYes}),
    said_as({.label = "Times of frames"}, {"graph", kWindow, "the times of frames are shown", 0, 1, &S::graph,
                                           Takes::nothing, false, true, kNoYes}),
    {"histogram", kWindow, "the histogram of what is seen is shown", 0, 1, &S::histogram, Takes::nothing,
     false, true, kNoYes},
    said_as({.label = "Pixel under the pointer"},
            {"inspector", kWindow, "the pixel under the pointer is told of", 0, 1, &S::inspector,
             Takes::nothing, false, true, kNoYes}),
    without_row(
        {"help", kWindow, "the keys are shown", 0, 1, &S::help, Takes::nothing, false, false, kNoYes}),
    said_as({.label = "Draw depth"}, {"strokes", kWindow, "the pointer draws how far things are", 0, 1,
                                      &S::strokes, Takes::nothing, false, false, kNoYes}),
    said_as({.label = "Dark panels"},
            {"dark", kWindow, "panels are dark", 0, 1, &S::dark, Takes::nothing, false, true, kNoYes}),
    {"full-screen", kWindow, "the window fills the screen", 0, 1, &S::full_screen, Takes::nothing, false,
     false, kNoYes},
};

[[noreturn]] void refuse(const std::string& cause) {
  throw Error(ErrorKind::usage, cause);
}

std::string meant(std::string_view word, const std::vector<std::string>& words) {
  const std::string near = nearest(word, words);
  return near.empty() ? fmt::format("there are {}", fmt::join(words, ", ")) : "did you mean " + near + "?";
}

}  // namespace

ShownView ViewState::seen_view(bool has_depth) const {
  return !has_depth && shows_depth(shown_view()) ? ShownView::input : shown_view();
}

bool shows_depth(ShownView view) {
  return view != ShownView::result && view != ShownView::input && view != ShownView::difference;
}

std::span<const ViewParam> view_params() {
  static const std::vector<ViewParam> all = [] {
    std::vector<ViewParam> params;
    for (const DofParam& param : kDofParams) params.push_back(view_param_of(param));
    params.insert(params.end(), std::begin(kOwnParams), std::end(kOwnParams));
    return params;
  }();
  return all;
}

bool acts(const ViewState& state, const ViewParam& param) {
  constexpr double kLeastBlades = 3;
  const auto* const of_dof = std::find_if(std::begin(kDofParams), std::end(kDofParams),
                                          [&](const DofParam& dof) { return param.value == dof.value_at; });
  const DofStyle style = state.style();
  const bool is_draft = style.quality == DofQuality::draft;
  if (of_dof != std::end(kDofParams) && is_draft && !of_dof->of_drafts) return false;
  if (param.value == &S::bokeh) return style.blades < kLeastBlades;
  if (param.value == &S::rotation) return style.blades >= kLeastBlades || style.bokeh != Bokeh::disc;
  if (param.value == &S::roundness) return sides_of(style) > 0;
  if (param.value == &S::gain) return state.shown_view() == ShownView::difference;
  return true;
}

const ViewParam& view_param(std::string_view name) {
  std::vector<std::string> names;
  for (const ViewParam& param : view_params()) {
    if (param.name == name) return param;
    names.emplace_back(param.name);
  }
  for (const DofParam& param : kDofParams)
    if (is_among(name, param.others_words)) names = {std::string(param.name)};
  refuse(fmt::format("the viewer has no value '{}'; {}", name,
                     names.size() == 1 ? fmt::format("did you mean {}?", names[0]) : meant(name, names)));
}

double parse_value(const ViewParam& param, std::string_view text) {
  if (!param.names.empty()) {
    const auto found = std::find(param.names.begin(), param.names.end(), text);
    if (found == param.names.end())
      refuse(fmt::format("{} cannot be '{}'; {}", param.name, text,
                         meant(text, {param.names.begin(), param.names.end()})));
    return static_cast<double>(found - param.names.begin());
  }
  const std::optional<Amount> amount = parse_amount(text, param.measure);
  if (!amount || !(amount->value >= param.least && amount->value <= param.most))
    refuse(fmt::format("{} takes {} from {} to {}{}, not '{}'", param.name, name_of(param.measure),
                       param.least, param.most, examples_of(param.measure), text));
  return amount->value;
}

std::string value_text(const ViewParam& param, double value) {
  return param.names.empty() ? fmt::format("{}", value)
                             : std::string(param.names[static_cast<std::size_t>(value)]);
}

}  // namespace scanlens
