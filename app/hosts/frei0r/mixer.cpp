// A mixer of frei0r: a photo and its depth in, 8 bits in and out. Its parameters are 0..1, as the interface
// asks.
extern "C" {
#include <frei0r.h>
}

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "app/hosts/blur_picture.h"
#include "app/hosts/rows.h"
#include "core/version.h"

namespace scanlens::hosts::frei0r {
namespace {

constexpr const char* kNearIsBlack = "near-is-black";

const std::vector<Control>& controls() {
  static const std::vector<Control> all = controls_of(false, Unit::percent);
  return all;
}

bool is_logarithmic(const Control& control) {
  return control.param->slider.logarithmic && control.shown_least > 0;
}

/// Returns the value at a share of a control's slider.
double value_at(const Control& control, double share) {
  const double least = control.shown_least, most = control.shown_most, part = std::clamp(share, 0.0, 1.0);
  const double value =
      is_logarithmic(control) ? least * std::pow(most / least, part) : least + part * (most - least);
  return control.is_choice() || control.param->whole ? std::round(value) : value;
}

double share_of(const Control& control, double value) {
  const double least = control.shown_least, most = control.shown_most;
  return is_logarithmic(control) ? std::log(value / least) / std::log(most / least)
                                 : (value - least) / (most - least);
}

/// Says what 0 and 1 of a parameter stand for.
std::string explanation_of(const Control& control) {
  std::string text = control.help + "; 0..1 stands for ";
  if (control.is_choice()) {
    for (const std::string_view name : control.param->names) text += std::string(name) + " ";
    text.pop_back();
    return text;
  }
  char range[80];
  std::snprintf(range, sizeof range, "%g..%g%s%s", control.shown_least, control.shown_most,
                control.param->measure == Measure::pixels_or_percent ? " % of the width" : "",
                is_logarithmic(control) ? ", in equal factors" : "");
  return text + range;
}

struct Mixer {
  Mixer(std::int64_t width, std::int64_t height) : width(width), height(height) {
    for (const Control& control : controls()) settings.values.*control.param->value_at = control.value;
  }
  Rows rows(const std::uint32_t* frame) const {
    return {.top = reinterpret_cast<std::byte*>(const_cast<std::uint32_t*>(frame)),
            .step = static_cast<std::ptrdiff_t>(width * sizeof(std::uint32_t)),
            .width = width,
            .height = height};
  }

  std::int64_t width, height;
  Settings settings;
};

void mix(const Mixer& mixer, const std::uint32_t* photo, const std::uint32_t* depth, std::uint32_t* out) {
  auto picture = picture_from<std::uint8_t>(mixer.rows(photo), Light::codes);
  blur_picture(picture, map_from(mixer.rows(depth), Channel::red, 0, 0, mixer.width, mixer.height),
               mixer.settings, mixer.width);
  picture_to(std::as_const(picture).view(), Light::codes, 0, 0, mixer.rows(out));
}

}  // namespace
}  // namespace scanlens::hosts::frei0r

// The names that a host looks up in a plug-in.
using namespace scanlens::hosts::frei0r;

int f0r_init() {
  return 1;
}

void f0r_deinit() {
  scanlens::hosts::free_kept_memory();
}

void f0r_get_plugin_info(f0r_plugin_info_t* info) {
  *info = {"Depth of Field (scanlens)",
           "the scanlens developers",
           F0R_PLUGIN_TYPE_MIXER2,
           F0R_COLOR_MODEL_RGBA8888,
           FREI0R_MAJOR_VERSION,
           SCANLENS_VERSION_MAJOR,
           SCANLENS_VERSION_MINOR,
           static_cast<int>(controls().size()) + 1,
           "Blurs the first clip by the second, its depth, as a lens does"};
}

void f0r_get_param_info(f0r_param_info_t* info, int index) {
  static const std::vector<std::string> explanations = [] {
    std::vector<std::string> all;
    for (const auto& control : controls()) all.push_back(explanation_of(control));
    return all;
  }();
  const auto i = static_cast<std::size_t>(index);
  if (i < explanations.size())
    *info = {controls()[i].name.c_str(), F0R_PARAM_DOUBLE, explanations[i].c_str()};
  else
    *info = {kNearIsBlack, F0R_PARAM_BOOL, "true if the depth is black where it is near"};
}

f0r_instance_t f0r_construct(unsigned int width, unsigned int height) {
  return new Mixer(width, height);
}

void f0r_destruct(f0r_instance_t instance) {
  delete static_cast<Mixer*>(instance);
}

void f0r_set_param_value(f0r_instance_t instance, f0r_param_t param, int index) {
  using scanlens::hosts::DepthMeans;
  auto& settings = static_cast<Mixer*>(instance)->settings;
  const double share = *static_cast<double*>(param);
  if (const auto i = static_cast<std::size_t>(index); i < controls().size())
    settings.values.*controls()[i].param->value_at = value_at(controls()[i], share);
  else
    settings.means = share < 0.5 ? DepthMeans::near_is_white : DepthMeans::near_is_black;
}

void f0r_get_param_value(f0r_instance_t instance, f0r_param_t param, int index) {
  using scanlens::hosts::DepthMeans;
  const auto& settings = static_cast<Mixer*>(instance)->settings;
  double& share = *static_cast<double*>(param);
  if (const auto i = static_cast<std::size_t>(index); i < controls().size())
    share = share_of(controls()[i], settings.values.*controls()[i].param->value_at);
  else
    share = settings.means == DepthMeans::near_is_black;
}

void f0r_update(f0r_instance_t, double, const uint32_t*, uint32_t*) {}

void f0r_update2(f0r_instance_t instance, double, const uint32_t* photo, const uint32_t* depth,
                 const uint32_t*, uint32_t* out) {
  const auto& mixer = *static_cast<const Mixer*>(instance);
  try {
    mix(mixer, photo, depth, out);
  } catch (const std::exception& error) {
    // A mixer cannot report: the photo stays.
    std::fprintf(stderr, "scanlens: %s\n", error.what());
    std::copy_n(photo, mixer.width * mixer.height, out);
  }
}
