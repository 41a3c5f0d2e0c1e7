#include "app/photo/blur_photo.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/color/profile.h"
#include "app/gl/download.h"
#include "app/io/gain_map.h"
#include "app/io/text.h"
#include "app/photo/brightness.h"
#include "core/error.h"
#include "core/runtime/recently_used.h"
#include "filters/dof_shape.h"

namespace scanlens {
namespace {

constexpr int kRgba = 4;
constexpr int kFloatBits = 32;

/// Returns what a picture's samples stand for, and warns of those so bright that the blur takes them for
/// less.
LightRange light_of(const Picture& picture, const std::string& name, Talk& talk) {
  const Brightness brightness = brightness_of(picture);
  if (brightness.clipped > 0)
    talk.warn(fmt::format(
        "{}: {} brighter than {:.6g}, the most light that the blur can hold, and {} as that; the brightest,"
        " {:.6g}, is at pixel {},{}",
        name, brightness.clipped == 1 ? "1 sample is" : fmt::format("{} samples are", brightness.clipped),
        brightness.light.most, brightness.clipped == 1 ? "counts" : "count", brightness.brightest,
        brightness.x, brightness.y));
  return brightness.light;
}

/// Leaves out alpha.
Picture opaque(Image<std::uint8_t> rgba) {
  return Picture{to_rgb8(Picture{std::move(rgba)})};
}

/// Says why OpenGL does not blur.
std::string without_opengl(const GlContext& gl, const std::string& name, const Blur& blur,
                           const DofStyle& style) {
  if (needs_passes(blur, style))
    return name +
           ": OpenGL's shaders blur by one level plane, in one colour, without --recover and --grain; "
           "blurring without OpenGL";
  return fmt::format(
      "{}: too large for this OpenGL (textures of {} pixels per side, storage buffers of {}); "
      "blurring without it",
      name, gl.max_texture_size(), bytes_text(static_cast<std::size_t>(gl.max_ssbo_bytes())));
}

/// Blurs codes whose light no table holds: decoded to light, blurred, encoded by the same profile.
Picture blur_in_light(DofRenderer& renderer, Photo photo, const DofJob& job, const Profile& profile) {
  return std::visit(
      [&]<class T>(Image<T>& codes) -> Picture {
        if constexpr (std::is_floating_point_v<T>) {
          throw Error("the samples are light already");
        } else {
          Picture light{profile.to_light(std::as_const(codes).view())};
          DofJob of_light = job;
          of_light.light = brightness_of(light).light;
          of_light.light.known = job.light.known;
          light = renderer.run(std::move(light), std::move(photo.depth.disparity), of_light);
          profile.from_light(std::as_const(std::get<Image<float>>(light.samples)).view(), codes.view());
          return {std::move(codes)};
        }
      },
      photo.picture.samples);
}

/// The light of codes by a profile: sRGB's where both are empty.
struct PhotoLight {
  std::optional<CodeLight> codes;
  std::shared_ptr<const Profile> profile;  ///< of codes whose light no table holds

  std::size_t bytes() const {
    constexpr std::size_t kProfile = std::size_t{1} << 20;  // with its tables
    return (codes ? codes->bytes() : 0) + (profile ? kProfile : 0);
  }
};

PhotoLight light_by(std::span<const std::byte> icc, int channels, int sample_bytes) {
  auto profile = std::make_shared<const Profile>(icc, channels);
  if (profile->has_srgb_curves()) return {};
  const std::vector<std::vector<float>>& light = profile->light_of_codes();
  const bool one_curve = !light.empty() && std::all_of(light.begin(), light.end(),
                                                       [&](const auto& of) { return of == light.front(); });
  PhotoLight found;
  if (one_curve) found.codes = code_light(light.front(), sample_bytes);
  if (!found.codes) found.profile = std::move(profile);
  return found;
}

/// Returns the light of a picture's codes. The tables of the profiles that were asked for last are kept:
/// frames of a clip share one.
std::shared_ptr<const PhotoLight> light_of_codes(const Picture& picture) {
  static const auto of_srgb = std::make_shared<const PhotoLight>();
  const std::vector<std::byte>& icc = picture.metadata.icc;
  if (icc.empty() || std::holds_alternative<Image<float>>(picture.samples)) return of_srgb;
  const int channels = picture.channels(), sample_bytes = rows_of(picture).format.sample_bytes;
  using Key = std::tuple<std::vector<std::byte>, int, int>;
  constexpr std::size_t kMostBytes = std::size_t{8} << 20;
  static RecentlyUsed<Key, PhotoLight> kept(kMostBytes);
  return kept.get({icc, channels, sample_bytes}, [&] { return light_by(icc, channels, sample_bytes); });
}

/// Returns the job on a photo; of one with a profile that no table holds, on its light.
DofJob job_on(const Photo& photo, const PhotoLight& light) {
  DofJob job = dof_job(photo.picture, photo.blur, photo.style);
  if (light.profile) job.bits = kFloatBits;
  return job;
}

/// Returns the bytes of a photo that lie on a device already.
std::int64_t bytes_on_device(const Photo& photo) {
  const auto there = [](const auto& image) {
    return static_cast<std::int64_t>(image.backend() == Backend::cuda ? image.bytes() : 0);
  };
  const std::int64_t samples = std::visit(there, (photo.uploaded ? *photo.uploaded : photo.picture).samples);
  return samples + there(photo.depth.disparity);
}

std::int64_t samples_bytes(const DofJob& job) {
  return job.width * job.height * job.channels * (job.bits / 8);
}

Picture downloaded(Context& context, Picture picture) {
  return std::visit([&](auto& image) -> Picture { return {download(context, std::move(image))}; },
                    picture.samples);
}

/// Returns the light of a photo with a gain map, where the style recovers lamps: in the context's memory.
std::optional<Image<float>> known_light(Context& context, const Picture& picture, const DofStyle& style,
                                        const std::string& name, const Settings& settings) {
  if (!picture.metadata.gain || !(style.recover > 0)) return std::nullopt;
  settings.require_host_memory(name, light_bytes(picture.width() * picture.height() * picture.channels()));
  return upload(context, std::get<Image<float>>(light_of(picture.samples, picture.metadata).samples));
}

Picture blur_samples(Context& context, Photo photo, const GlContext* gl, const std::string& name,
                     DofNotes& notes, Talk& talk) {
  const std::shared_ptr<const PhotoLight> light = light_of_codes(photo.picture);
  DofJob job = job_on(photo, *light);
  job.notes = &notes;
  if (gl && (light->codes || light->profile)) {
    talk.warn(
        fmt::format("{}: OpenGL's shaders support only sRGB's tone curve; blurring without OpenGL", name));
    gl = nullptr;
  }
  const std::optional<Image<float>> known =
      known_light(context, photo.picture, job.style, name, talk.settings);
  if (light->profile) {
    talk.settings.require_memory(context, name, samples_bytes(job), DofRenderer::library_bytes(job));
    photo.picture = downloaded(context, std::move(photo.picture));
    DofRenderer library(context);
    if (known) job.light.known = known->view();
    return about(name, [&] { return blur_in_light(library, std::move(photo), job, *light->profile); });
  }
  if (gl && job.is_draft() && job.bits == kFloatBits)
    throw Error(ErrorKind::usage, name +
                                      ": --renderer gl cannot make drafts of float pictures; use --quality "
                                      "good, or --renderer compute");
  DofRenderer renderer = gl ? DofRenderer(context, *gl, ShadersFor::all) : DofRenderer(context);
  if (const DofShaders* shaders = renderer.shaders_for(job)) {
    require_memory(talk.settings, context, *gl, name, DofRenderer::memory(*shaders, job));
  } else {
    if (gl) talk.warn(without_opengl(*gl, name, job.blur, job.style));
    talk.settings.require_memory(context, name, 0, DofRenderer::library_bytes(job) - bytes_on_device(photo));
  }
  job.light = light_of(photo.picture, name, talk);
  if (known) job.light.known = known->view();
  if (light->codes) job.light.codes = &*light->codes;
  const bool of_device = photo.uploaded.has_value();
  Picture& samples = of_device ? *photo.uploaded : photo.picture;
  return about(name, [&] {
    Picture result = renderer.run(std::move(samples), std::move(photo.depth.disparity), job);
    return of_device ? downloaded(context, std::move(result)) : std::move(result);
  });
}

}  // namespace

GlContext open_opengl(const Context& context, Talk& talk) {
  const ShaderSources shaders_are_there;
  GlContext gl = GlContext::open(context.cuda_ordinal());
  talk.account.add_fact("opengl", gl.renderer());
  talk.say("OpenGL: " + gl.renderer());
  return gl;
}

Picture blur_photo(Context& context, Photo photo, const GlContext* gl, const std::string& name, Talk& talk) {
  if (const std::string hidden = hidden_shape(photo.blur, photo.style); !hidden.empty())
    talk.assume(fmt::format("{}: {}", name, hidden));
  Metadata metadata = photo.picture.metadata;
  DofNotes notes;
  Picture result = blur_samples(context, std::move(photo), gl, name, notes, talk);
  if (notes.no_grain) talk.warn(name + ": too little is sharp to measure its grain; --grain adds none");
  result.metadata = std::move(metadata);
  return result;
}

std::int64_t blur_photo_bytes(const Photo& photo) {
  const std::shared_ptr<const PhotoLight> light = light_of_codes(photo.picture);
  const DofJob job = job_on(photo, *light);
  return (light->profile ? samples_bytes(job) : 0) + DofRenderer::workspace(job);
}

std::optional<double> cpu_ms(const RowFormat& format, const DofStyle& style) {
  constexpr double kMsOfMegapixel = 70;  // 8.3 of them, radius 40: 410 to 600 ms (tests/bench/RESULTS.md)
  if (style.quality == DofQuality::draft || format.sample_bytes > 2) return std::nullopt;
  return static_cast<double>(format.width * format.height) * 1e-6 * kMsOfMegapixel;
}

void warm(Context& context, const DofStyle& style) {
  constexpr std::int64_t kSide = 64;
  Image<std::uint8_t> picture(kSide, kSide, 3);
  Image<float> disparity(kSide, kSide);
  std::fill_n(picture.view().data, kSide * kSide * 3, std::uint8_t{0});
  std::fill_n(disparity.view().data, kSide * kSide, 0.f);
  DofJob job{kSide, kSide, 8, 3, {}, style};
  DofRenderer(context).run(Picture{std::move(picture)}, std::move(disparity), job);
}

Picture blur_scene(Context& context, const GlContext& gl, const RenderedScene& scene, Image<float> disparity,
                   const Blur& blur, const DofStyle& style, const std::string& name, Talk& talk) {
  const bool codes = scene.samples == SceneSamples::codes;
  DofRenderer renderer(context, gl, codes ? ShadersFor::drafts : ShadersFor::nothing);
  DofJob job{scene.width(), scene.height(), codes ? 8 : kFloatBits, 3, blur, style};
  if (DofShaders* shaders = renderer.shaders_for(job)) {
    require_memory(talk.settings, context, gl, name, shaders->memory(job));
    return opaque(download_texture<std::uint8_t>(gl, shaders->run(scene.color, scene.disparity, job), kRgba));
  }
  if (codes && job.is_draft()) talk.assume(without_opengl(gl, name, blur, style));
  Picture picture = download_opaque(gl, scene);
  talk.settings.require_memory(context, name, 0, DofRenderer::library_bytes(job));
  job.light = brightness_of(picture).light;
  return renderer.run(std::move(picture), std::move(disparity), job);
}

Picture download_opaque(const GlContext& gl, const RenderedScene& scene) {
  if (scene.samples == SceneSamples::light) return {download_texture<float>(gl, scene.color, 3)};
  return opaque(download_texture<std::uint8_t>(gl, scene.color, kRgba));
}

}  // namespace scanlens
