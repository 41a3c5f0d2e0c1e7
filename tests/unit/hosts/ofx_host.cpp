#include "tests/unit/hosts/ofx_host.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/half.h"

namespace scanlens::hosts::ofx {
namespace {

template <class T>
T& element(std::vector<T>& values, int index) {
  values.resize(std::max(values.size(), static_cast<std::size_t>(index) + 1));
  return values[static_cast<std::size_t>(index)];
}

Status set_string(Properties* of, const char* name, int index, const char* value) {
  element(of->strings[name], index) = value;
  return kOk;
}
Status set_double(Properties* of, const char* name, int index, double value) {
  element(of->numbers[name], index) = value;
  return kOk;
}
Status set_int(Properties* of, const char* name, int index, int value) {
  return set_double(of, name, index, value);
}
Status get_string(Properties* of, const char* name, int index, char** value) {
  const auto found = of->strings.find(name);
  if (found == of->strings.end()) return kErrUnknown;
  if (static_cast<std::size_t>(index) >= found->second.size()) return kErrBadIndex;
  *value = found->second[static_cast<std::size_t>(index)].data();
  return kOk;
}
template <class T>
Status get_numbers(Properties* of, const char* name, int count, T* values) {
  const auto found = of->numbers.find(name);
  if (found == of->numbers.end()) return kErrUnknown;
  if (static_cast<std::size_t>(count) > found->second.size()) return kErrBadIndex;
  for (int i = 0; i < count; ++i) values[i] = static_cast<T>(found->second[static_cast<std::size_t>(i)]);
  return kOk;
}
Status get_pointer(Properties* of, const char* name, int, void** value) {
  const auto found = of->pointers.find(name);
  if (found == of->pointers.end()) return kErrUnknown;
  *value = found->second;
  return kOk;
}

// A member that is null has no place in the test: a plug-in that calls it ends the test.
const PropertySuite kProperties = {
    .set_string = set_string,
    .set_double = set_double,
    .set_int = set_int,
    .get_pointer = get_pointer,
    .get_string = get_string,
    .get_double = [](Properties* of, const char* name, int,
                     double* value) { return get_numbers(of, name, 1, value); },
    .get_int = [](Properties* of, const char* name, int,
                  int* value) { return get_numbers(of, name, 1, value); },
    .get_doubles = get_numbers<double>,
    .get_ints = get_numbers<int>,
};

// An image is the property set of its clip.
const EffectSuite kEffects = {
    .get_properties =
        [](Effect* effect, Properties** of) {
          *of = &effect->properties;
          return kOk;
        },
    .get_params =
        [](Effect* effect, ParamSet** params) {
          *params = &effect->params;
          return kOk;
        },
    .define_clip =
        [](Effect* effect, const char* name, Properties** of) {
          *of = &effect->clips[name].properties;
          return kOk;
        },
    .get_clip =
        [](Effect* effect, const char* name, Clip** clip, Properties** of) {
          const auto found = effect->clips.find(name);
          if (found == effect->clips.end()) return kErrUnknown;
          *clip = &found->second;
          *of = &found->second.properties;
          return kOk;
        },
    .get_image =
        [](Clip* clip, double, const RectD*, Properties** image) {
          if (!clip->has_frames) return kFailed;
          *image = &clip->image;
          ++static_cast<Effect*>(clip->image.pointers.at("effect"))->images;
          return kOk;
        },
    .release_image =
        [](Properties* image) {
          --static_cast<Effect*>(image->pointers.at("effect"))->images;
          return kOk;
        },
    .get_region_of_definition =
        [](Clip* clip, double, RectD* whole) {
          *whole = clip->whole;
          return kOk;
        },
    .abort =
        [](Effect* effect) {
          ++effect->asked;
          return int{effect->aborts};
        },
};

Status read_value(Param* param, double time, va_list places) {
  const bool is_double = param->type.find("Double") != std::string::npos;
  for (std::size_t i = 0; i < param->values.size(); ++i) {
    const double value = param->values[i] + (i == 0 ? param->per_frame * time : 0);
    if (is_double)
      *va_arg(places, double*) = value;
    else
      *va_arg(places, int*) = static_cast<int>(value);
  }
  return kOk;
}

Status get_value_at(Param* param, double time, ...) {
  va_list places;
  va_start(places, time);
  const Status status = read_value(param, time, places);
  va_end(places);
  return status;
}

const ParamSuite kParams = {
    .define =
        [](ParamSet* params, const char* type, const char* name, Properties** of) {
          if (params->all.contains(name)) return kErrExists;
          Param& param = params->all[name];
          param.type = type;
          *of = &param.properties;
          return kOk;
        },
    .get =
        [](ParamSet* params, const char* name, Param** param, Properties** of) {
          const auto found = params->all.find(name);
          if (found == params->all.end()) return kErrUnknown;
          *param = &found->second;
          if (of) *of = &found->second.properties;
          return kOk;
        },
    .get_value_at = get_value_at,
};

Status keep_message(void* handle, const char*, const char*, const char* format, ...) {
  char text[500];
  va_list words;
  va_start(words, format);
  std::vsnprintf(text, sizeof text, format, words);
  va_end(words);
  auto* const effect = static_cast<Effect*>(handle);
  const std::lock_guard lock(effect->messages);
  effect->message = text;
  return kOk;
}

const MessageSuite kMessages = {
    .show = keep_message,
    .keep = keep_message,
    .clear =
        [](void* handle) {
          auto* const effect = static_cast<Effect*>(handle);
          const std::lock_guard lock(effect->messages);
          effect->message.clear();
          return kOk;
        },
};

const void* fetch_suite(Properties*, const char* name, int version) {
  const std::string suite(name);
  if (suite == "OfxPropertySuite" && version == 1) return &kProperties;
  if (suite == "OfxImageEffectSuite" && version == 1) return &kEffects;
  if (suite == "OfxParameterSuite" && version == 1) return &kParams;
  if (suite == "OfxMessageSuite" && version == 2) return &kMessages;
  return nullptr;
}

Properties g_host_properties;
Host g_host = {&g_host_properties, fetch_suite};

void put_rect(Properties& of, const char* name, const RectI& rect) {
  of.numbers[name] = {double(rect.x1), double(rect.y1), double(rect.x2), double(rect.y2)};
}

}  // namespace
}  // namespace scanlens::hosts::ofx

namespace scanlens::test {

using namespace hosts::ofx;

namespace {
constexpr std::byte kGuard{0xA5};
constexpr std::size_t kMargin = 64;
}  // namespace

HostPicture::HostPicture(const Layout& layout)
    : layout_(layout), memory_(2 * kMargin + row_bytes() * static_cast<std::size_t>(height()), kGuard) {}

int HostPicture::channels() const {
  return layout_.components == "OfxImageComponentRGBA"  ? 4
         : layout_.components == "OfxImageComponentRGB" ? 3
                                                        : 1;
}

int HostPicture::sample_bytes() const {
  return layout_.depth == "OfxBitDepthByte" ? 1 : layout_.depth == "OfxBitDepthFloat" ? 4 : 2;
}

std::size_t HostPicture::row_bytes() const {
  return static_cast<std::size_t>(width() * channels() * sample_bytes() + layout_.gap);
}

std::byte* HostPicture::pixel(int x, int row) {
  const int stored = layout_.is_flipped ? row : height() - 1 - row;
  return memory_.data() + kMargin + static_cast<std::size_t>(stored) * row_bytes() +
         x * channels() * sample_bytes();
}

void HostPicture::set(int x, int row, int c, float value) {
  if (layout_.depth == "OfxBitDepthByte")
    at<std::uint8_t>(x, row, c) = static_cast<std::uint8_t>(std::lround(value * 255));
  else if (layout_.depth == "OfxBitDepthShort")
    at<std::uint16_t>(x, row, c) = static_cast<std::uint16_t>(std::lround(value * 65535));
  else if (layout_.depth == "OfxBitDepthHalf")
    at<Half>(x, row, c) = Half(value);
  else
    at<float>(x, row, c) = value;
}

float HostPicture::get(int x, int row, int c) {
  if (layout_.depth == "OfxBitDepthByte") return at<std::uint8_t>(x, row, c) / 255.0f;
  if (layout_.depth == "OfxBitDepthShort") return at<std::uint16_t>(x, row, c) / 65535.0f;
  if (layout_.depth == "OfxBitDepthHalf") return static_cast<float>(at<Half>(x, row, c));
  return at<float>(x, row, c);
}

bool HostPicture::is_guarded() const {
  const auto guards = [&](std::size_t from, std::size_t count) {
    return std::all_of(memory_.begin() + from, memory_.begin() + from + count,
                       [](std::byte b) { return b == kGuard; });
  };
  bool all = guards(0, kMargin) && guards(memory_.size() - kMargin, kMargin);
  const auto gap = static_cast<std::size_t>(layout_.gap);
  for (std::size_t row = 1; row <= static_cast<std::size_t>(height()); ++row)
    all = all && guards(kMargin + row * row_bytes() - gap, gap);
  return all;
}

void HostPicture::show(Clip& clip, double scale) {
  const RectI& bounds = layout_.bounds;
  const auto up = static_cast<double>(row_bytes());
  Properties& image = clip.image;
  image.strings["OfxImageEffectPropComponents"] = {layout_.components};
  image.strings["OfxImageEffectPropPixelDepth"] = {layout_.depth};
  image.strings["OfxImageEffectPropPreMultiplication"] = {
      layout_.premultiplied ? "OfxImageAlphaPremultiplied" : "OfxImageAlphaUnPremultiplied"};
  put_rect(image, "OfxImagePropBounds", bounds);
  put_rect(image, "OfxImagePropRegionOfDefinition", bounds);
  image.numbers["OfxImagePropRowBytes"] = {layout_.is_flipped ? -up : up};
  image.pointers["OfxImagePropData"] = pixel(0, height() - 1);
  clip.whole = {bounds.x1 / scale, bounds.y1 / scale, bounds.x2 / scale, bounds.y2 / scale};
  clip.properties.numbers["OfxImageClipPropConnected"] = {1};
}

OfxHost::OfxHost(const std::string& file) : module_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!module_) throw std::runtime_error(dlerror());
  const auto get = reinterpret_cast<Plugin* (*)(int)>(dlsym(module_, "OfxGetPlugin"));
  plugin_ = get(0);
  plugin_->set_host(&g_host);
  if (act("OfxActionLoad") != kOk) throw std::runtime_error("the plug-in refuses the host");
  Effect described;
  if (act("OfxActionDescribe", &described) != kOk) throw std::runtime_error("the plug-in has no description");
  descriptor = described.properties;
}

OfxHost::~OfxHost() {
  act("OfxActionUnload");
  dlclose(module_);
}

std::unique_ptr<Effect> OfxHost::instance(const std::string& context) const {
  auto effect = std::make_unique<Effect>();
  effect->properties.strings["OfxImageEffectPropContext"] = {"OfxImageEffectContext" + context};
  if (act("OfxImageEffectActionDescribeInContext", effect.get(), &effect->properties) != kOk) return nullptr;
  for (auto& [name, param] : effect->params.all)
    param.values = param.properties.numbers["OfxParamPropDefault"];
  for (auto& [name, clip] : effect->clips) clip.image.pointers["effect"] = effect.get();
  return act("OfxActionCreateInstance", effect.get()) == kOk ? std::move(effect) : nullptr;
}

Status OfxHost::render(Effect& effect, const RectI& window, double time, double scale) const {
  Properties in;
  in.numbers["OfxPropTime"] = {time};
  in.numbers["OfxImageEffectPropRenderScale"] = {scale, scale};
  put_rect(in, "OfxImageEffectPropRenderWindow", window);
  return act("OfxImageEffectActionRender", &effect, &in);
}

}  // namespace scanlens::test
