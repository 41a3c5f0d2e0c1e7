// The viewer's values: each that a slider, a key, a script or the settings file sets, declared once.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "filters/amount.h"
#include "filters/dof_params.h"

namespace scanlens {

/// The parts of the panels for the lens: what is in focus, and the shapes and colours of blurred light.
inline constexpr std::string_view kFocusPart = "Focus", kLensPart = "Lens";

enum class ShownView {
  result,      ///< with depth of field and filters
  input,       ///< without
  depth,       ///< in the colours of Turbo, red is near
  circle,      ///< of confusion: blue behind the focus, orange before it
  layers,      ///< how the layers of depth of field cover the picture, nearest red
  difference,  ///< of scenes from what a real lens would show, of photos from the input; amplified
  mask,        ///< the result, red where it is blurred
};
inline constexpr std::string_view kShownViewNames[] = {"result", "input",      "depth", "circle",
                                                       "layers", "difference", "mask"};

/// Choices are numbers, too: the place among their names. Yes is 1, no is 0.
/// The focus is in metres where depth has a unit, the blur in percent of the width.
struct ViewState : DofValues {
  double view = 0;
  double wipe = 0;      ///< share of the picture's area that shows the input, from the left
  double exposure = 0;  ///< of light, in powers of two
  double gain = 4;      ///< of the difference
  double zoom = 0;      ///< the window's pixels per pixel of the picture; 0 fits the picture into its area
  double centre_x = 0.5, centre_y = 0.5;  ///< what the area's middle shows, in shares of the picture

  double azimuth = 0, elevation = 10, distance = 1.5;  ///< degrees and metres
  double target_x = 0, target_y = 0, target_z = 0;     ///< metres
  double time = 0;                                     ///< seconds of the scene's own
  double moving = 0;

  double frame = 0;    ///< of a clip, that is asked for
  double playing = 0;  ///< a clip goes on

  double panels = 1, strip = 0, graph = 0, histogram = 0, inspector = 0, help = 0;
  double dark = 1, full_screen = 0;
  double panel_width = 20;  ///< in sizes of letters
  double text_size = 100;   ///< percent
  double strokes = 0;       ///< the pointer draws how far things are

  /// Fits the picture into the window.
  void show_all() {
    zoom = 0;
    centre_x = centre_y = 0.5;
  }

  ShownView shown_view() const { return static_cast<ShownView>(static_cast<int>(view)); }
  /// Returns what the view shows: where there is no depth, those of depth show the input.
  ShownView seen_view(bool has_depth) const;
  /// Shows a view, or where it is shown the result.
  void toggle(ShownView shown) { view = shown_view() == shown ? 0 : static_cast<double>(shown); }
};

/// Returns true for a view that shows nothing without depth.
bool shows_depth(ShownView view);

/// Condition under which a value has an effect.
enum class Takes { nothing, metric_depth, relative_depth, any_depth, scene, light };

/// Words of the panels about a value that differ from its name and its measure.
using ValueWords = DofParam::Words;

/// Declares a value of ViewState.
struct ViewParam {
  std::string_view name;  ///< as --script and panels call it
  std::string_view group;
  std::string help;
  double least, most;
  double ViewState::*value;
  Takes takes = Takes::nothing;
  bool logarithmic = false;                      ///< its slider is
  bool kept = false;                             ///< in the settings file
  std::span<const std::string_view> names = {};  ///< of choices; "no" and "yes" of switches
  Measure measure = Measure::number;
  bool is_distance = false;  ///< metres, or a share of depth without a unit
  bool has_row = true;       ///< in the panels
  bool whole = false;        ///< true: only whole numbers make a difference
  ValueWords words = {};
  std::string_view part = {};  ///< of the panels; empty: that of its group

  bool is_switch() const { return names.size() == 2; }
};

std::span<const ViewParam> view_params();

/// Returns false for a value that the others leave without effect: drafts have no bokeh, discs no rotation.
bool acts(const ViewState& state, const ViewParam& param);

/// Returns the value of this name. Throws Error (usage) with the nearest name if it is unknown.
const ViewParam& view_param(std::string_view name);

/// Returns a number, in the unit that the help names, or the choice of that name. Throws Error (usage) for
/// what is neither, or out of range.
double parse_value(const ViewParam& param, std::string_view text);

/// Returns the text that parse_value reads, with all digits that the value needs.
std::string value_text(const ViewParam& param, double value);

}  // namespace scanlens
