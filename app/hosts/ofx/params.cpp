#include "app/hosts/ofx/params.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/hosts/ofx/suites.h"

namespace scanlens::hosts::ofx {
namespace {

constexpr std::string_view kChannelNames[] = {"red", "green", "blue", "alpha", "luminance"};
constexpr std::string_view kLightNames[] = {"by the type of pixels", "sRGB", "linear"};
constexpr std::string_view kFocusNames[] = {"number", "point"};
constexpr const char *kChannel = "depth_channel", *kMeans = "depth_means", *kLight = "light",
                     *kFocusBy = "focus_by", *kPoint = "focus_point";

/// Names are words of scripts, which take no hyphen.
std::string script_name(const Control& control) {
  std::string name = control.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Declares a parameter, and returns its properties.
Properties* define(ParamSet* params, const char* type, const std::string& name, const std::string& label,
                   const std::string& help, const std::string& group) {
  Properties* of = nullptr;
  if (suites().params->define(params, type, name.c_str(), &of) != kOk) return nullptr;
  put(of, "OfxPropLabel", {label.c_str()});
  put(of, "OfxParamPropHint", {help.c_str()});
  if (!group.empty()) put(of, "OfxParamPropParent", {group.c_str()});
  return of;
}

void define_choice(ParamSet* params, const std::string& name, const std::string& label,
                   const std::string& help, const std::string& group, std::span<const std::string_view> names,
                   int value) {
  Properties* of = define(params, "OfxParamTypeChoice", name, label, help, group);
  for (int index = 0; const std::string_view one : names)
    suites().properties->set_string(of, "OfxParamPropChoiceOption", index++, std::string(one).c_str());
  put(of, "OfxParamPropDefault", {value});
}

template <class T>
void define_number(ParamSet* params, const char* type, const Control& control) {
  Properties* of = define(params, type, script_name(control), control.label, control.help,
                          std::string(control.param->group));
  const auto limit = [&](const char* name, double value) { put(of, name, {static_cast<T>(value)}); };
  limit("OfxParamPropDefault", control.value);
  limit("OfxParamPropMin", control.least);
  limit("OfxParamPropMax", control.most);
  limit("OfxParamPropDisplayMin", control.shown_least);
  limit("OfxParamPropDisplayMax", control.shown_most);
}

void define_control(ParamSet* params, const Control& control) {
  if (control.is_choice())
    define_choice(params, script_name(control), control.label, control.help,
                  std::string(control.param->group), control.param->names, static_cast<int>(control.value));
  else if (control.param->whole)
    define_number<int>(params, "OfxParamTypeInteger", control);
  else
    define_number<double>(params, "OfxParamTypeDouble", control);
}

const std::vector<Control>& controls() {
  static const std::vector<Control> all = controls_of(true, Unit::percent);
  return all;
}

template <class T>
T value_at(ParamSet* params, const std::string& name, double time, T otherwise) {
  Param* param = nullptr;
  if (suites().params->get(params, name.c_str(), &param, nullptr) != kOk) return otherwise;
  suites().params->get_value_at(param, time, &otherwise);
  return otherwise;
}

}  // namespace

void define_params(ParamSet* params, Channel depth_channel) {
  for (const std::string_view name : {std::string_view("Depth"), kLensGroup, kLookGroup}) {
    const std::string group(name);
    define(params, "OfxParamTypeGroup", group, group, "", "");
  }
  define_choice(params, kChannel, "Depth channel", "where the depth lies", "Depth", kChannelNames,
                static_cast<int>(depth_channel));
  define_choice(params, kMeans, "Depth values",
                "meaning of the depth's values; a lens in millimetres needs metres or 1/metre", "Depth",
                kDepthMeansNames, 0);
  define_choice(params, kLight, "Light",
                "curve of the picture's values; by the type: sRGB for 8 and 16 bits, linear for floats",
                "Depth", kLightNames, 0);
  const std::string lens(kLensGroup);
  define_choice(params, kFocusBy, "Focus by", "a number, or what lies at a point of the picture", lens,
                kFocusNames, 0);
  Properties* point = define(params, "OfxParamTypeDouble2D", kPoint, "Focus point",
                             "what lies here is in focus, where the focus goes by a point", lens);
  put(point, "OfxParamPropDoubleType", {"OfxParamDoubleTypeXYAbsolute"});
  put(point, "OfxParamPropDefaultCoordinateSystem", {"OfxParamCoordinatesNormalised"});
  put(point, "OfxParamPropDefault", {0.5, 0.5});
  for (const Control& control : controls()) define_control(params, control);
}

Given given_at(ParamSet* params, double time) {
  const auto choice = [&](const char* name) { return value_at(params, name, time, 0); };
  Given given{.settings = {.means = static_cast<DepthMeans>(choice(kMeans))},
              .depth_channel = static_cast<Channel>(choice(kChannel))};
  for (const Control& control : controls()) {
    double& value = given.settings.values.*control.param->value_at;
    const std::string name = script_name(control);
    value = control.is_choice() || control.param->whole
                ? value_at(params, name, time, static_cast<int>(control.value))
                : value_at(params, name, time, control.value);
    value = std::clamp(value, control.least, control.most);
  }
  if (const int light = choice(kLight)) given.light = static_cast<Light>(light - 1);
  if (choice(kFocusBy)) {
    Param* param = nullptr;
    Point point{};
    if (suites().params->get(params, kPoint, &param, nullptr) == kOk &&
        suites().params->get_value_at(param, time, &point.x, &point.y) == kOk)
      given.sharp_at = point;
  }
  return given;
}

}  // namespace scanlens::hosts::ofx
