#include "app/hosts/controls.h"

#include <algorithm>
#include <cctype>

namespace scanlens::hosts {
namespace {

constexpr double kPixels = 20, kMostShownPixels = 300, kAllPercent = 100, kMostShownMetres = 10;

std::string label_of(const DofParam& param) {
  if (!param.words.label.empty()) return std::string(param.words.label);
  std::string label(param.name);
  std::replace(label.begin(), label.end(), '-', ' ');
  label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  return label;
}

Control control_of(const DofParam& param, bool metric, Unit blur) {
  const bool is_relative = !metric && !param.relative_help.empty();
  Control control{&param,          std::string(param.name),
                  label_of(param), std::string(is_relative ? param.relative_help : param.help),
                  param.value,     param.least,
                  param.most,      param.least,
                  param.most};
  const auto& [least, most, logarithmic] = param.slider;
  const bool has_range = most > least;
  if (param.is_blur()) {
    const bool in_pixels = blur == Unit::pixels;
    if (in_pixels) control.value = kPixels;
    if (!in_pixels) control.most = kAllPercent;
    control.shown_most = in_pixels ? kMostShownPixels : most;
  } else if (has_range && (param.is_open() || (metric && param.measure == Measure::metres_or_share))) {
    control.least = control.shown_least = least;
    control.most = most;
    control.shown_most = param.is_open() ? most : std::min(most, kMostShownMetres);
  }
  return control;
}

}  // namespace

std::vector<Control> controls_of(bool metric, Unit blur) {
  std::vector<Control> controls;
  for (const DofParam& param : kDofParams)
    if (metric || param.needs != DofNeed::metric) controls.push_back(control_of(param, metric, blur));
  return controls;
}

}  // namespace scanlens::hosts
