#include "app/hosts/ofx/render.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "app/hosts/blur_picture.h"
#include "app/hosts/ofx/params.h"
#include "app/hosts/ofx/suites.h"
#include "core/cpu/interruption.h"
#include "core/error.h"

namespace scanlens::hosts::ofx {
namespace {

struct Aborted {};

thread_local Effect* rendered = nullptr;  ///< the effect that this thread renders

/// Lets the host end a render of its thread between pieces of the work.
class Abortable {
 public:
  explicit Abortable(Effect* effect) : interruption_(&ask) { rendered = effect; }

 private:
  static void ask() {
    if (suites().effects->abort(rendered)) throw Aborted{};
  }
  Interruption interruption_;
};

/// A clip of the effect; null where the context lacks it, or nothing is connected. Hosts say of the output
/// whether an effect follows, which does not matter.
Clip* clip_of(Effect* effect, const char* name) {
  Clip* clip = nullptr;
  Properties* of = nullptr;
  if (suites().effects->get_clip(effect, name, &clip, &of) != kOk) return nullptr;
  return name == std::string(kOutput) || get(of, "OfxImageClipPropConnected", 0) ? clip : nullptr;
}

bool has_depth_clip(Effect* effect) {
  Properties* of = nullptr;
  suites().effects->get_properties(effect, &of);
  return get(of, "OfxImageEffectPropContext", "") == std::string("OfxImageEffectContextGeneral");
}

ParamSet* params_of(Effect* effect) {
  ParamSet* params = nullptr;
  suites().effects->get_params(effect, &params);
  return params;
}

/// An image of the host, as long as it is in use.
class HostImage {
 public:
  HostImage(Effect* effect, const char* clip_name, double time) : name_(clip_name) {
    Clip* const clip = clip_of(effect, clip_name);
    if (!clip || suites().effects->get_image(clip, time, nullptr, &image_) != kOk || !image_)
      throw Error(name_ + ": no picture at frame " + std::to_string(std::lround(time)) +
                  "; connect a clip that has this frame");
  }
  ~HostImage() { suites().effects->release_image(image_); }
  HostImage(const HostImage&) = delete;
  HostImage& operator=(const HostImage&) = delete;

  /// Pixels that the image holds, in its own scale, from the lower left.
  RectI bounds() const { return get_rect(image_, "OfxImagePropBounds", {}); }

  /// The width of the whole picture; the image may hold a part of it.
  std::int64_t frame_width() const {
    const RectI whole = get_rect(image_, "OfxImagePropRegionOfDefinition", bounds());
    return std::max<std::int64_t>(std::int64_t{whole.x2} - whole.x1, 1);
  }

  Rows rows() const {
    const RectI held = bounds();
    Rows rows{.width = std::int64_t{held.x2} - held.x1,
              .height = std::int64_t{held.y2} - held.y1,
              .channels = channels(),
              .sample = sample(),
              .premultiplied = get(image_, "OfxImageEffectPropPreMultiplication", "") ==
                               std::string("OfxImageAlphaPremultiplied")};
    auto* const lowest = static_cast<std::byte*>(get_pointer(image_, "OfxImagePropData"));
    const std::int64_t up = get(image_, "OfxImagePropRowBytes", 0);
    const std::int64_t packed = rows.width * rows.channels * bytes_of(rows.sample);
    if (!lowest || rows.width <= 0 || rows.height <= 0 || (rows.height > 1 && std::abs(up) < packed))
      throw Error(name_ + ": the host gave an empty picture; report it to the host's makers");
    rows.top = lowest + (rows.height - 1) * up;
    rows.step = -up;
    return rows;
  }

 private:
  int channels() const {
    const std::string components = get(image_, "OfxImageEffectPropComponents", "");
    if (components == "OfxImageComponentRGBA") return 4;
    if (components == "OfxImageComponentRGB") return 3;
    if (components == "OfxImageComponentAlpha" && name_ == kDepth) return 1;
    throw Error(name_ + ": components '" + components + "' are not supported; convert the clip to RGBA");
  }
  Sample sample() const {
    const std::string depth = get(image_, "OfxImageEffectPropPixelDepth", "");
    if (depth == "OfxBitDepthByte") return Sample::u8;
    if (depth == "OfxBitDepthShort") return Sample::u16;
    if (depth == "OfxBitDepthHalf") return Sample::f16;
    if (depth == "OfxBitDepthFloat") return Sample::f32;
    throw Error(name_ + ": pixels of '" + depth + "' are not supported; convert the clip to floats");
  }

  std::string name_;
  Properties* image_ = nullptr;
};

/// Returns the map's value at a point of the host, cut to the picture's edges.
float value_at(View<const float> map, const Point& point, const RectI& bounds, Properties* in) {
  double scale[2] = {1, 1};
  suites().properties->get_doubles(in, "OfxImageEffectPropRenderScale", 2, scale);
  const auto cut = [](double at, std::int64_t count) {
    return static_cast<std::int64_t>(std::clamp(std::floor(at), 0.0, static_cast<double>(count - 1)));
  };
  return map(cut(point.x * scale[0] - bounds.x1, map.width), cut(bounds.y2 - point.y * scale[1], map.height));
}

/// Takes the value at a point for the focus, in the unit that the focus has.
void focus_at(float value, Settings& settings) {
  if (!std::isfinite(value)) return;  // a depth that is not known
  double& focus = settings.values.focus;
  switch (settings.means) {
    case DepthMeans::near_is_white:
      focus = std::clamp(value, 0.0f, 1.0f);
      break;
    case DepthMeans::near_is_black:
      focus = 1 - std::clamp(value, 0.0f, 1.0f);
      break;
    case DepthMeans::metres:
      if (value > 0) focus = value;
      break;
    case DepthMeans::per_metre:
      if (value > 0) focus = 1 / value;
      break;
  }
}

Image<float> map_for(Effect* effect, double time, const HostImage& source, Channel channel) {
  const RectI bounds = source.bounds();
  const Rows pixels = source.rows();
  if (!has_depth_clip(effect)) return map_from(pixels, channel, 0, 0, pixels.width, pixels.height);
  const HostImage depth(effect, kDepth, time);
  const RectI held = depth.bounds();
  return map_from(depth.rows(), channel, std::int64_t{bounds.x1} - held.x1, std::int64_t{held.y2} - bounds.y2,
                  pixels.width, pixels.height);
}

/// Returns the rows of a window, which has to lie in the image.
Rows window_of(const HostImage& image, const RectI& window) {
  Rows rows = image.rows();
  const RectI held = image.bounds();
  if (window.x1 < held.x1 || window.y1 < held.y1 || window.x2 > held.x2 || window.y2 > held.y2)
    throw Error("Output: the host asks for pixels that it does not hold; report it to the host's makers");
  rows.top += (held.y2 - window.y2) * rows.step +
              (std::int64_t{window.x1} - held.x1) * rows.channels * bytes_of(rows.sample);
  rows.width = std::max(0, window.x2 - window.x1);
  rows.height = std::max(0, window.y2 - window.y1);
  return rows;
}

double time_of(Properties* in) {
  return get(in, "OfxPropTime", 0.0);
}

bool stays(Effect* effect, const Given& given) {
  if (has_depth_clip(effect) && !clip_of(effect, kDepth)) return true;
  const DofValues& values = given.settings.values;
  return !is_metric(given.settings.means) && values.blur == 0 && values.edge_fringe == 0;
}

void render_window(Effect* effect, Properties* in) {
  const double time = time_of(in);
  Given given = given_at(params_of(effect), time);
  const HostImage source(effect, kSource, time), output(effect, kOutput, time);
  Rows from = source.rows();
  const RectI bounds = source.bounds(),
              window = get_rect(in, "OfxImageEffectPropRenderWindow", output.bounds());
  Rows to = window_of(output, window);
  const std::int64_t x = std::int64_t{window.x1} - bounds.x1, y = std::int64_t{bounds.y2} - window.y2;
  if (stays(effect, given)) {
    from.premultiplied = to.premultiplied = false;
    const Image<float> picture = picture_from<float>(from, Light::linear);
    picture_to(picture.view(), Light::linear, x, y, to);
    return;
  }
  Image<float> map = map_for(effect, time, source, given.depth_channel);
  if (given.sharp_at)
    focus_at(value_at(std::as_const(map).view(), *given.sharp_at, bounds, in), given.settings);
  const bool has_codes = from.sample == Sample::u8 || from.sample == Sample::u16;
  const Light light = given.light.value_or(has_codes ? Light::codes : Light::linear);
  with_blurred_type(from.sample, light, [&]<class T>(T) {
    Image<T> picture = picture_from<T>(from, light);
    blur_picture(picture, std::move(map), given.settings, source.frame_width());
    picture_to(std::as_const(picture).view(), light, x, y, to);
  });
}

}  // namespace

void render(Effect* effect, Properties* in) try {
  const Abortable abortable(effect);
  render_window(effect, in);
} catch (const Aborted&) {
  // The host throws the frame away.
}

bool is_source(Effect* effect, Properties* in, Properties* out) {
  const bool lacks_depth = has_depth_clip(effect) && !clip_of(effect, kDepth);
  show_message(effect, lacks_depth ? "Depth: no clip; connect a depth map to this input" : "");
  if (!stays(effect, given_at(params_of(effect), time_of(in)))) return false;
  put(out, "OfxPropName", {kSource});
  put(out, "OfxPropTime", {time_of(in)});
  return true;
}

Status region_of_definition(Effect* effect, Properties* in, Properties* out) {
  RectD whole{};
  Clip* const source = clip_of(effect, kSource);
  if (!source || suites().effects->get_region_of_definition(source, time_of(in), &whole) != kOk)
    return kReplyDefault;
  put(out, "OfxImageEffectPropRegionOfDefinition", {whole.x1, whole.y1, whole.x2, whole.y2});
  return kOk;
}

Status regions_of_interest(Effect* effect, Properties* in, Properties* out) {
  for (const char* name : {kSource, kDepth}) {
    RectD whole{};
    Clip* const clip = clip_of(effect, name);
    if (!clip || suites().effects->get_region_of_definition(clip, time_of(in), &whole) != kOk) continue;
    put(out, (std::string("OfxImageClipPropRoI_") + name).c_str(), {whole.x1, whole.y1, whole.x2, whole.y2});
  }
  return kOk;
}

}  // namespace scanlens::hosts::ofx
