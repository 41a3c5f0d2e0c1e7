// The parameters of depth of field, each declared once: checks, the command line, sequences, the filter
// `dof`, the viewer and help follow from this table.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "filters/amount.h"
#include "filters/depth_of_field.h"
#include "filters/lens.h"

namespace scanlens {

/// One T for each parameter.
template <class T>
struct DofFields {
  T focus{}, in_focus{}, focal_length{}, f_number{}, sensor_width{}, blur{}, tilt{}, swing{};          // Lens
  T quality{}, bokeh{}, anamorphic{}, blades{}, rotation{}, roundness{}, near{}, far{}, highlights{};  // Look
  T highlights_from{}, highlights_range{}, recover{};
  T fringe{}, edge_fringe{}, grain{};
  T cats_eye{}, swirl{}, doors{}, doors_down{}, edge_squeeze{};  // Look, over the frame
  T spherical{}, soft_edge{}, mirror{}, onion{};                 // Look, over a light
};

/// The parameters that were given, with the units that they were written in.
using DofGiven = DofFields<std::optional<Amount>>;

struct DofParam;

/// The value of each parameter, by default that of the table. A choice is the place among its names. Pixels
/// are in percent of the picture's width unless their owner says otherwise.
struct DofValues : DofFields<double> {
  constexpr DofValues();

  /// Takes the values that are given; pixels in the unit of their Amount.
  void take(const DofGiven& given);
  /// Takes pixels in percent of a width, and none where that is 0.
  void take(const DofGiven& given, std::int64_t width);
  ThinLens lens() const { return {focal_length, f_number, sensor_width, focus}; }  ///< of metric depth
  /// On a picture so wide. A width of 0 leaves out all that is in pixels.
  DofStyle style(std::int64_t width = 0) const;

 private:
  double in_pixels(const DofParam& param, std::int64_t width) const;
};

/// The depth that a parameter is for.
enum class DofNeed { any, metric, relative };

inline constexpr std::string_view kLensGroup = "Lens", kLookGroup = "Look";

/// The declaration of a parameter.
struct DofParam {
  /// The range of the viewer's slider and keys; none is that of the bounds.
  struct Slider {
    double least = 0, most = 0;
    bool logarithmic = false;
  };
  /// Keys FRAME:VALUE of a sequence.
  struct Keys {
    std::string_view example = {};  ///< empty for a parameter that takes none
    bool reciprocal = false;        ///< of metric depth the reciprocal moves along the curve
    std::string_view called = {};   ///< in place of the name, in the account of what is pulled
    std::string_view curve = {};    ///< words for that account
  };

  /// The viewer's words for it.
  struct Words {
    std::string_view label = {};  ///< in place of the name
    std::string_view sign = {};   ///< behind a number without a unit
    std::string_view zero = {};   ///< in place of 0
  };

  /// An example for a number of the look. Help names it once for all.
  static constexpr std::string_view kLookKeys = "0:0 48:1";

  std::string_view name, group;
  std::string_view type = "NAME";  ///< the value in help
  std::string_view help;
  std::string_view others_words = {};  ///< names that other programs have for it, between blanks
  std::string_view scene_help = {}, relative_help = {};  ///< where a scene, or relative depth, needs others
  double DofFields<double>::*value_at;
  std::optional<Amount> DofGiven::*given_at;
  float DofStyle::*style_at = nullptr;  ///< the same in DofStyle, where it has that
  double value = 0;                     ///< the default
  double least = 0, most = 0;           ///< a most of infinity stands for any above 0
  Measure measure = Measure::number;
  std::span<const std::string_view> names = {};  ///< of a choice
  DofNeed needs = DofNeed::any;
  bool whole = false;      ///< true if only whole numbers are taken
  bool of_photo = false;   ///< true if the default follows from the photo or its depth
  bool of_drafts = false;  ///< true if drafts use it
  bool kept = false;       ///< true if the viewer's settings keep it
  Slider slider = {};
  Keys keys = {};
  Words words = {};

  constexpr bool is_blur() const { return value_at == &DofFields<double>::blur; }
  constexpr bool is_open() const { return most == std::numeric_limits<double>::infinity(); }
};

#define SCANLENS_DOF_FIELD(field) .value_at = &DofValues::field, .given_at = &DofGiven::field
#define SCANLENS_DOF_FACTOR(field) \
  SCANLENS_DOF_FIELD(field), .style_at = &DofStyle::field, .value = DofStyle{}.field

inline constexpr DofParam kDofParams[] = {
    {.name = "focus",
     .group = kLensGroup,
     .type = "METRES|0..1",
     .help = "focus in metres; without a unit 0 or 0% (farthest) .. 1 or 100% (nearest)",
     .others_words = "distance focus-distance focal-distance",
     .scene_help = "distance in focus in metres",
     .relative_help = "depth in focus: 0 farthest, 1 nearest",
     SCANLENS_DOF_FIELD(focus),
     .value = 0.5,
     .most = 1,
     .measure = Measure::metres_or_share,
     .of_photo = true,
     .of_drafts = true,
     .slider = {0, 1e6, true},
     .keys = {"0:1.5 48:0.8", true, "focus", ", in 1/metre where depth has a unit"}},
    {.name = "in-focus",
     .group = kLensGroup,
     .type = "METRES|0..1",
     .help = "width of a zone around the focus that stays sharp: metres; without a unit 0..1 of the depth, "
             "or percent;\n"
             "beyond it blur grows from nothing",
     .scene_help =
         "width in metres of a zone around the focus that stays sharp; beyond it blur grows from nothing",
     .relative_help = "depth around the focus that stays sharp: 0 none, 1 all",
     SCANLENS_DOF_FIELD(in_focus),
     .value = 0,
     .most = 1,
     .measure = Measure::metres_or_share,
     .of_drafts = true,
     .slider = {0, 10},
     .keys = {"0:0.2 48:1", false, "zone in focus"},
     .words = {.label = "Sharp zone", .zero = "None"}},
    {.name = "focal-length",
     .group = kLensGroup,
     .type = "MM",
     .help = "focal length",
     SCANLENS_DOF_FIELD(focal_length),
     .value = ThinLens{}.focal_length_mm,
     .most = std::numeric_limits<double>::infinity(),
     .measure = Measure::millimetres,
     .needs = DofNeed::metric,
     .of_photo = true,
     .of_drafts = true,
     .slider = {4, 1200, true}},
    {.name = "f-number",
     .group = kLensGroup,
     .type = "N",
     .help = "focal length / aperture, the smaller the more blur; inf is a pinhole",
     .others_words = "aperture f-stop fstop f iris",
     SCANLENS_DOF_FIELD(f_number),
     .value = ThinLens{}.f_number,
     .most = std::numeric_limits<double>::infinity(),
     .measure = Measure::f_number,
     .needs = DofNeed::metric,
     .of_photo = true,
     .of_drafts = true,
     .slider = {0.5, 64, true},
     .keys = {"0:2 48:8", true, "f-number", ", in 1/f-number: the aperture's width"},
     .words = {.label = "Aperture"}},
    {.name = "sensor-width",
     .group = kLensGroup,
     .type = "MM",
     .help = "width of the sensor",
     SCANLENS_DOF_FIELD(sensor_width),
     .value = ThinLens{}.sensor_width_mm,
     .most = std::numeric_limits<double>::infinity(),
     .measure = Measure::millimetres,
     .needs = DofNeed::metric,
     .of_photo = true,
     .of_drafts = true,
     .slider = {2, 100, true}},
    {.name = "blur",
     .group = kLensGroup,
     .type = "PX|%",
     .help = "radius of the largest blur, half of the width of a lamp's disc, in pixels or percent of "
             "the\npicture's width; percent look the same at every size; in place of the lens"
             "",
     .others_words = "radius amount strength blur-radius coc",
     .relative_help = "radius of the largest blur, half as wide as a lamp's disc",
     SCANLENS_DOF_FIELD(blur),
     .value = 100.0 / 64,
     .most = kMostRadius,
     .measure = Measure::pixels_or_percent,
     .needs = DofNeed::relative,
     .of_photo = true,
     .of_drafts = true,
     .slider = {0, 20},
     .keys = {"0:4 48:24", false, "largest blur"}},
    {.name = "tilt",
     .group = kLensGroup,
     .type = "DEPTH",
     .help = "tilts the plane in focus, as a view camera does: so much nearer at the top of the picture than "
             "at the bottom, on the scale of the depth",
     .others_words = "scheimpflug",
     .scene_help = "tilts the plane in focus, as a view camera does: so much nearer at the top of the "
                   "picture than at the bottom, in 1/metre",
     SCANLENS_DOF_FIELD(tilt),
     .least = -100,
     .most = 100,
     .of_drafts = true,
     .slider = {-1, 1},
     .keys = {"0:0 48:0.5"},
     .words = {.zero = "Level"}},
    {.name = "swing",
     .group = kLensGroup,
     .type = "DEPTH",
     .help = "turns the plane in focus sideways: so much nearer at the right of the picture than at the left",
     SCANLENS_DOF_FIELD(swing),
     .least = -100,
     .most = 100,
     .of_drafts = true,
     .slider = {-1, 1},
     .keys = {"0:0 48:0.5"},
     .words = {.zero = "Level"}},

    {.name = "quality",
     .group = kLookGroup,
     .help = "drafts are fast and let sharp colours bleed; best has more layers and rounder discs",
     SCANLENS_DOF_FIELD(quality),
     .value = static_cast<double>(DofQuality::good),
     .most = std::size(kDofQualityNames) - 1,
     .names = kDofQualityNames,
     .of_drafts = true,
     .kept = true},
    {.name = "bokeh",
     .group = kLookGroup,
     .help = "shape of a blurred light; not of drafts",
     .others_words = "shape iris-shape",
     SCANLENS_DOF_FIELD(bokeh),
     .value = static_cast<double>(DofStyle{}.bokeh),
     .most = std::size(kBokehNames) - 1,
     .names = kBokehNames,
     .kept = true},
    {.name = "anamorphic",
     .group = kLookGroup,
     .type = "RATIO",
     .help = "height of a blurred light by its width: 2 for ovals; not of drafts",
     SCANLENS_DOF_FACTOR(anamorphic),
     .least = 0.25,
     .most = 4,
     .slider = {0.25, 4, true},
     .keys = {DofParam::kLookKeys},
     .words = {.sign = "\u00d7"}},
    {.name = "blades",
     .group = kLookGroup,
     .type = "N",
     .help = "sides of a blurred light, 3 to 16, in place of --bokeh; 0: as that says; not of drafts",
     SCANLENS_DOF_FACTOR(blades),
     .most = 16,
     .whole = true,
     .words = {.zero = "As bokeh"}},
    {.name = "rotation",
     .group = kLookGroup,
     .type = "DEGREES",
     .help = "turn of a blurred light with sides, clockwise; at 0 it stands on a side; not of drafts",
     SCANLENS_DOF_FACTOR(rotation),
     .most = 360,
     .measure = Measure::degrees,
     .keys = {DofParam::kLookKeys}},
    {.name = "roundness",
     .group = kLookGroup,
     .type = "0..1",
     .help = "curve of the sides of --blades: 0 straight, 1 a disc; not of drafts",
     SCANLENS_DOF_FACTOR(roundness),
     .most = 1,
     .keys = {DofParam::kLookKeys}},
    {.name = "cats-eye",
     .group = kLookGroup,
     .type = "0..1",
     .help = "narrows lights towards the corners, as a long barrel does: lemons; not of drafts",
     SCANLENS_DOF_FACTOR(cats_eye),
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Cat's eye", .zero = "Off"}},
    {.name = "swirl",
     .group = kLookGroup,
     .type = "-1..1",
     .help = "stretches lights around the middle of the picture; below 0 towards it; not of drafts",
     SCANLENS_DOF_FACTOR(swirl),
     .least = -1,
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.zero = "Off"}},
    {.name = "doors",
     .group = kLookGroup,
     .type = "0..1",
     .help = "cuts lights straight at the left and the right of the picture; not of drafts",
     SCANLENS_DOF_FACTOR(doors),
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.zero = "Off"}},
    {.name = "doors-down",
     .group = kLookGroup,
     .type = "0..1",
     .help = "cuts lights straight at the top and the bottom of the picture; not of drafts",
     SCANLENS_DOF_FACTOR(doors_down),
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Doors above", .zero = "Off"}},
    {.name = "edge-squeeze",
     .group = kLookGroup,
     .type = "-0.5..2",
     .help = "more (below 0: less) height by width towards the left and the right edge; not of drafts",
     SCANLENS_DOF_FACTOR(edge_squeeze),
     .least = -0.5,
     .most = 2,
     .keys = {DofParam::kLookKeys},
     .words = {.zero = "Off"}},
    {.name = "spherical",
     .group = kLookGroup,
     .type = "-1..1",
     .help =
         "bright rims behind the focus, soft ones before it: soap bubbles; below 0 reversed; not of drafts",
     SCANLENS_DOF_FACTOR(spherical),
     .least = -1,
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Bubbles", .zero = "Off"}},
    {.name = "soft-edge",
     .group = kLookGroup,
     .type = "0..1",
     .help = "less light towards the rim of a light, as an apodisation filter makes it; not of drafts",
     SCANLENS_DOF_FACTOR(soft_edge),
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.zero = "Off"}},
    {.name = "mirror",
     .group = kLookGroup,
     .type = "0..0.9",
     .help = "radius of a dark middle, by that of the light: the rings of a mirror lens; not of drafts",
     SCANLENS_DOF_FACTOR(mirror),
     .most = 0.9,
     .keys = {DofParam::kLookKeys},
     .words = {.zero = "Off"}},
    {.name = "onion",
     .group = kLookGroup,
     .type = "0..1",
     .help = "rings in lights, as moulded lenses make them; not of drafts",
     SCANLENS_DOF_FACTOR(onion),
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Onion rings", .zero = "Off"}},
    {.name = "near",
     .group = kLookGroup,
     .type = "FACTOR",
     .help = "blur before the focus, times this; not of drafts",
     SCANLENS_DOF_FACTOR(near),
     .most = 8,
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Blur in front", .sign = "\u00d7"}},
    {.name = "far",
     .group = kLookGroup,
     .type = "FACTOR",
     .help = "blur behind the focus, times this; not of drafts",
     SCANLENS_DOF_FACTOR(far),
     .most = 8,
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Blur behind", .sign = "\u00d7"}},
    {.name = "highlights",
     .group = kLookGroup,
     .type = "BOOST",
     .help = "light of white in 8- and 16-bit pictures, beyond what they can hold; not of drafts",
     SCANLENS_DOF_FACTOR(highlights),
     .most = 15,
     .keys = {DofParam::kLookKeys},
     .words = {.zero = "Off"}},
    {.name = "highlights-from",
     .group = kLookGroup,
     .type = "LIGHT",
     .help = "where --highlights begins, in the light of white; not of drafts",
     .others_words = "highlight-threshold threshold",
     SCANLENS_DOF_FIELD(highlights_from),
     .style_at = &DofStyle::highlights_from,
     .value = 0.8,
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Highlights from"}},
    {.name = "highlights-range",
     .group = kLookGroup,
     .type = "LIGHT",
     .help = "how much more light than that has all of --highlights; not of drafts",
     .others_words = "highlight-softness softness",
     SCANLENS_DOF_FIELD(highlights_range),
     .style_at = &DofStyle::highlights_range,
     .value = 0.2,
     .least = 0.05,
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Highlights' range"}},
    {.name = "recover",
     .group = kLookGroup,
     .type = "SHARE",
     .help = "lets clipped lamps shine as they did: by how wide their white is, or as the gain map of the "
             "photo says; 1 fully; not of drafts",
     .others_words = "highlight-recovery specular-highlights",
     SCANLENS_DOF_FACTOR(recover),
     .most = 1,
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Recover lamps", .zero = "Off"}},
    {.name = "fringe",
     .group = kLookGroup,
     .type = "PX|%",
     .help = "colour of fast lenses: rims of this width, magenta before the focus and green behind it; below "
             "0 the other way",
     .others_words = "loca longitudinal-aberration chromatic-aberration axial purple-fringing",
     SCANLENS_DOF_FACTOR(fringe),
     .least = -8,
     .most = 8,
     .measure = Measure::pixels_or_percent,
     .of_drafts = true,
     .slider = {-1, 1},
     .keys = {DofParam::kLookKeys},
     .words = {.zero = "Off"}},
    {.name = "edge-fringe",
     .group = kLookGroup,
     .type = "PX|%",
     .help = "colour of simple lenses: red and blue apart by this in the corners; below 0 the other way",
     .others_words = "lateral-aberration transverse-aberration lateral",
     SCANLENS_DOF_FACTOR(edge_fringe),
     .least = -8,
     .most = 8,
     .measure = Measure::pixels_or_percent,
     .of_drafts = true,
     .slider = {-1, 1},
     .keys = {DofParam::kLookKeys},
     .words = {.label = "Fringe at edges", .zero = "Off"}},
    {.name = "grain",
     .group = kLookGroup,
     .type = "SHARE",
     .help = "grain that the blur smoothed, put back as the sharp parts have it: 1 as much, 2 twice",
     .others_words = "noise film-grain noise-matching",
     SCANLENS_DOF_FACTOR(grain),
     .most = 2,
     .of_drafts = true,
     .keys = {DofParam::kLookKeys},
     .words = {.zero = "Off"}},
};
#undef SCANLENS_DOF_FIELD
#undef SCANLENS_DOF_FACTOR

/// Returns the declaration of a parameter: dof_param(&DofValues::blur).
constexpr const DofParam& dof_param(double DofFields<double>::*value) {
  const DofParam* found = kDofParams;
  while (found->value_at != value) ++found;
  return *found;
}

constexpr DofValues::DofValues() {
  for (const DofParam& param : kDofParams) this->*param.value_at = param.value;
}

inline void DofValues::take(const DofGiven& given) {
  for (const DofParam& param : kDofParams)
    if (const std::optional<Amount>& amount = given.*param.given_at) this->*param.value_at = amount->value;
}

inline void DofValues::take(const DofGiven& given, std::int64_t width) {
  DofGiven relative = given;
  for (const DofParam& param : kDofParams)
    if (std::optional<Amount>& amount = relative.*param.given_at; amount && amount->unit == Unit::pixels)
      amount =
          width > 0 ? std::optional(Amount(100 * amount->value / static_cast<double>(width))) : std::nullopt;
  take(relative);
}

inline double DofValues::in_pixels(const DofParam& param, std::int64_t width) const {
  const double value = this->*param.value_at;
  return param.measure == Measure::pixels_or_percent ? value / 100 * static_cast<double>(width) : value;
}

inline DofStyle DofValues::style(std::int64_t width) const {
  DofStyle style{.quality = static_cast<DofQuality>(static_cast<int>(quality)),
                 .bokeh = static_cast<Bokeh>(static_cast<int>(bokeh))};
  for (const DofParam& param : kDofParams)
    if (param.style_at) style.*param.style_at = static_cast<float>(in_pixels(param, width));
  return style;
}

/// Keeps what was percent of a picture, and so may be any number of pixels, within what a parameter takes.
inline void bound_pixels(DofStyle& style) {
  for (const DofParam& param : kDofParams)
    if (param.style_at && param.measure == Measure::pixels_or_percent)
      style.*param.style_at =
          std::clamp(style.*param.style_at, static_cast<float>(param.least), static_cast<float>(param.most));
}

/// The unit of a bare number of this measure; none where it may be of two.
Unit unit_of(Measure measure);

/// Returns the value that a word gives a parameter, in the unit of the word, or else of the parameter;
/// nothing for a word that is no value, or one out of bounds.
std::optional<Amount> parse_dof(const DofParam& param, std::string_view text);

/// Returns the radius in pixels that a value of --blur stands for, on a picture so wide.
double radius_of(const Amount& blur, std::int64_t width);

/// The disparities of a map: 1/metre where depth is metric, else 0 (farthest) .. 1 (nearest).
struct DepthSpan {
  bool metric = false;
  float least = 0, most = 1;
};

/// The blur of a lens that is focused at a disparity, on a picture so wide. A `most_radius` in pixels takes
/// the lens's place: the end of the span that is farther from the focus has that blur. Relative depth needs
/// it. Throws Error (usage) as thin_lens_blur and relative_blur do.
Blur blur_of(const DofValues& values, double focus_disparity, const DepthSpan& depth, std::int64_t width,
             std::optional<double> most_radius);

}  // namespace scanlens
