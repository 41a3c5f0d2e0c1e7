#include "app/filtering/overlays.h"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <cmath>
#include <utility>
#include <variant>

#include "app/color/profile.h"
#include "app/io/gain_map.h"
#include "app/io/letters.h"
#include "app/io/picture.h"
#include "app/io/text.h"
#include "core/error.h"
#include "filters/overlay.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

/// Returns light and alpha; alpha is 1 unless the picture has some.
Image<float> with_alpha(const Image<float>& light) {
  Image<float> made(light.width(), light.height(), 4);
  const int channels = light.channels();
  const float* in = light.view().data;
  float* out = made.view().data;
  for (std::int64_t i = 0; i < light.width() * light.height(); ++i, in += channels, out += 4) {
    for (int c = 0; c < 3; ++c) out[c] = in[channels == 1 ? 0 : c];
    out[3] = channels == 4 ? in[3] : 1.f;
  }
  return made;
}

/// Returns a picture's light in sRGB's primaries.
Image<float> srgb_light(Picture read) {
  Picture srgb = as_srgb(std::move(read));
  if (Image<float>* const light = std::get_if<Image<float>>(&srgb.samples)) return std::move(*light);
  return light_of_codes(srgb.samples, {});
}

/// Returns the picture at the largest size that fits the room.
Image<float> fitted(Context& context, Image<float> light, const OverlayRoom& room) {
  const FilterCall call =
      parse_filter(fmt::format("resize:width={}:height={}:enlarge=1", room.width, room.height));
  const RowFormat made = output_of(call, {light.width(), light.height(), 4, sizeof(float)});
  Image<float> there = upload(context, std::move(light)), result(context, made.width, made.height, 4);
  run_filter<float>(context, call, std::as_const(there).view(), result.view());
  context.synchronize();  // before `there` goes
  return result;
}

Image<float> watermark(const FilterCall& call, Context& context, const OverlayRoom& room,
                       std::span<const std::byte> icc, const Limits& limits, Talk& talk) {
  Limits floats = limits;
  floats.admit = [&](RowFormat format) {
    format.channels = 4;
    format.sample_bytes = sizeof(float);
    if (limits.admit) limits.admit(format);
  };
  Picture read = read_picture(call.map_file, floats);
  talk.report(call.map_file, std::exchange(read.remarks, {}));
  Image<float> light = with_alpha(srgb_light(std::move(read)));
  if (!icc.empty() && !is_grey(icc) && !Profile(icc, 3).has_srgb_primaries())
    light = in_profile<float>(std::as_const(light).view(), icc);
  return fitted(context, std::move(light), room);
}

Image<float> words(const FilterCall& call, Context& context, const OverlayRoom& room, Talk& talk) {
  Letters letters =
      letters_of(call.map_file, {room.width, room.height, room.line, room.side}, call.font_file);
  if (!letters.missing.empty())
    talk.report(letters.font.string(),
                {{true, fmt::format("has no letters for {}", printable(letters.missing))}});
  return upload(context, std::move(letters.coverage));
}

}  // namespace

Image<float> load_overlay(const FilterCall& call, Context& context, const RowFormat& picture,
                          std::span<const std::byte> icc, const Limits& limits, Talk& talk) {
  const OverlayRoom room = overlay_room(call, picture);
  if (call.filter->map == MapKind::words) return words(call, context, room, talk);
  return watermark(call, context, room, icc, limits, talk);
}

std::int64_t overlay_bytes(const FilterCall& call, const RowFormat& picture) {
  const OverlayRoom room = overlay_room(call, picture);
  constexpr std::int64_t kSample = sizeof(float);
  if (call.filter->map != MapKind::words) return room.width * room.height * 4 * kSample;
  // Lines are as far apart as a font's heights, twice its letters' at most.
  const auto lines = 1 + std::count(call.map_file.begin(), call.map_file.end(), '\n') +
                     std::count(call.map_file.begin(), call.map_file.end(), '\\');
  return room.width *
         std::min(room.height, static_cast<std::int64_t>(2 * room.line * static_cast<double>(lines)) + 1) *
         kSample;
}

}  // namespace scanlens
