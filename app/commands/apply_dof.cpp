#include "app/commands/apply_dof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "app/color/profile.h"
#include "app/gl/download.h"
#include "app/gl/shader_sources.h"
#include "app/gl/upload.h"
#include "app/io/text.h"
#include "app/session/brightness.h"
#include "core/error.h"
#include "filters/depth_of_field.h"

namespace scanlens {
namespace {

constexpr int kRgba = 4;

std::int64_t pixels_of(const Picture& picture) {
  return picture.width() * picture.height();
}

int sample_bytes_of(const Picture& picture) {
  return static_cast<int>(picture.bytes() /
                          static_cast<std::size_t>(pixels_of(picture) * picture.channels()));
}

/// Returns what a picture's samples stand for, and warns of those so bright that the blur takes them for
/// less.
LightRange light_of(const Picture& picture, const std::string& name, const Session& session) {
  const Brightness brightness = brightness_of(picture);
  if (brightness.clipped > 0)
    session.warn(fmt::format(
        "{}: {} brighter than {:.6g}, the most light that the blur can hold, and {} as that; the brightest,"
        " {:.6g}, is at pixel {},{}",
        name, brightness.clipped == 1 ? "1 sample is" : fmt::format("{} samples are", brightness.clipped),
        brightness.light.most, brightness.clipped == 1 ? "counts" : "count", brightness.brightest,
        brightness.x, brightness.y));
  return brightness.light;
}

/// Blurs by the library.
Picture blur_by_library(Context& context, Picture picture, Image<float> disparity, const Blur& blur,
                        const LightRange& light, const DofStyle& style) {
  const Image<float> depth = upload(context, std::move(disparity));
  return std::visit(
      [&]<class T>(Image<T>&& image) {
        Image<T> work = upload(context, std::move(image));
        depth_of_field<T>(context, work.view(), depth.view(), blur, work.view(), light, style);
        return Picture{download(context, std::move(work))};
      },
      std::move(picture.samples));
}

/// Brings the picture and its disparity to textures, and the one that run(color, disparity) returns back.
template <class T, class Run>
Image<T> blur_in_textures(const GlContext& gl, const Image<T>& image, const Image<float>& disparity,
                          const Run& run) {
  const Texture color = upload_rgba(gl, image), depth = upload_disparity(gl, disparity);
  return download_texture<T>(gl, run(color, depth), image.channels());
}

/// Leaves out alpha.
Picture opaque(Image<std::uint8_t> rgba) {
  return Picture{to_rgb8(Picture{std::move(rgba)})};
}

/// Drafts' tables of floats have sums of 64 bits, which shaders do not gather.
void require_codes(const Picture& picture) {
  if (std::holds_alternative<Image<float>>(picture.samples))
    throw Error(
        ErrorKind::usage,
        "--renderer gl cannot make drafts of float pictures; use --quality good, or --renderer compute");
}

template <class Run>
Picture blur_in_textures(const GlContext& gl, const Picture& picture, const Image<float>& disparity,
                         const Run& run) {
  return std::visit(
      [&]<class T>(const Image<T>& image) -> Picture {
        return Picture{blur_in_textures(gl, image, disparity, run)};
      },
      picture.samples);
}

/// Chooses between OpenGL and the scan library: returns whether OpenGL's textures and buffers hold the
/// picture and what is made of it; where they do not, says so, and the library blurs. `asked_for` makes that
/// a warning.
bool opengl_holds(bool fits, const GlContext& gl, const std::string& name, bool asked_for,
                  const Session& session) {
  if (fits) return true;
  const std::string line = fmt::format(
      "{}: too large for this OpenGL (textures of {} pixels per side, storage buffers of {}); "
      "blurring without it",
      name, gl.max_texture_size(), bytes_text(static_cast<std::size_t>(gl.max_ssbo_bytes())));
  asked_for ? session.warn(line) : session.assume(line);
  return false;
}

/// Blurs a photo by OpenGL, or returns nothing where it does not fit.
std::optional<Picture> blur_by_opengl(Context& context, const GlContext& gl, const Picture& picture,
                                      const Image<float>& disparity, const Blur& blur, const DofStyle& style,
                                      const std::string& name, const Session& session) {
  const std::int64_t width = picture.width(), height = picture.height();
  const int channels = picture.channels();
  if (style.quality != DofQuality::draft) {
    GlLayeredDof layered(gl);
    if (!opengl_holds(layered.fits(width, height, channels, style), gl, name, true, session))
      return std::nullopt;
    session.require_memory(context, gl, name, apply_dof_bytes(layered, picture, blur, style));
    const LightRange light = light_of(picture, name, session);
    return about(name, [&] { return apply_dof(gl, layered, picture, disparity, blur, style, light); });
  }
  GlDepthOfField draft(gl, context);
  if (!opengl_holds(draft.fits(width, height, 8 * sample_bytes_of(picture), channels == kRgba, blur), gl,
                    name, true, session))
    return std::nullopt;
  session.require_memory(context, gl, name, apply_dof_bytes(draft, picture, blur));
  return about(name, [&] { return apply_dof(gl, draft, picture, disparity, blur); });
}

}  // namespace

GlContext open_opengl(const Context& context, const Session& session) {
  const ShaderSources shaders_are_there;
  GlContext gl = GlContext::open(context.cuda_ordinal());
  session.account.add_fact("opengl", gl.renderer());
  session.say("OpenGL: " + gl.renderer());
  return gl;
}

namespace {

/// Blurs codes whose light is not sRGB's: decoded to light, blurred, encoded by the same profile.
Picture blur_in_light(Context& context, Photo photo, const DofStyle& style, const Profile& profile) {
  return std::visit(
      [&]<class T>(Image<T>& codes) -> Picture {
        if constexpr (std::is_floating_point_v<T>) {
          throw Error("the samples are light already");
        } else {
          Picture light{profile.to_light(std::as_const(codes).view())};
          light = apply_dof(context, std::move(light), std::move(photo.depth.disparity), photo.blur, style);
          profile.from_light(std::as_const(std::get<Image<float>>(light.samples)).view(), codes.view());
          return {std::move(codes)};
        }
      },
      photo.picture.samples);
}

/// Takes the profile of a photo whose codes are not sRGB's light; others are blurred as they are.
std::optional<Profile> profile_of_codes(const Picture& picture) {
  if (picture.metadata.icc.empty() || std::holds_alternative<Image<float>>(picture.samples))
    return std::nullopt;
  Profile profile(picture.metadata.icc, picture.channels());
  if (profile.has_srgb_curves()) return std::nullopt;
  return profile;
}

Picture blur_samples(Context& context, Photo photo, const DofStyle& style, const GlContext* gl,
                     const std::string& name, const Session& session) {
  const Picture& picture = photo.picture;
  if (const std::optional<Profile> profile = profile_of_codes(picture)) {
    if (gl)
      session.warn(
          fmt::format("{}: OpenGL's shaders support only sRGB's tone curve; blurring without OpenGL", name));
    constexpr std::int64_t kBytes = sizeof(float);
    const std::int64_t light = pixels_of(picture) * picture.channels() * kBytes;
    session.require_memory(context, name, light,
                           light + pixels_of(picture) * kBytes +
                               depth_of_field_workspace(picture.width(), picture.height(), picture.channels(),
                                                        sizeof(float), photo.blur, style));
    return about(name, [&] { return blur_in_light(context, std::move(photo), style, *profile); });
  }
  if (gl) {
    if (style.quality == DofQuality::draft) about(name, [&] { require_codes(picture); });
    std::optional<Picture> blurred =
        blur_by_opengl(context, *gl, picture, photo.depth.disparity, photo.blur, style, name, session);
    if (blurred) return std::move(*blurred);
  }
  session.require_memory(context, name, 0, apply_dof_bytes(picture, photo.blur, style));
  const LightRange light = light_of(picture, name, session);
  return about(name, [&] {
    return blur_by_library(context, std::move(photo.picture), std::move(photo.depth.disparity), photo.blur,
                           light, style);
  });
}

}  // namespace

Picture blur_photo(Context& context, Photo photo, const DofStyle& style, const GlContext* gl,
                   const std::string& name, const Session& session) {
  Metadata metadata = photo.picture.metadata;
  Picture result = blur_samples(context, std::move(photo), style, gl, name, session);
  result.metadata = std::move(metadata);
  return result;
}

std::int64_t blur_photo_bytes(const Photo& photo, const DofStyle& style) {
  const Picture& picture = photo.picture;
  const bool to_light = profile_of_codes(picture).has_value();
  constexpr int kBytes = sizeof(float);
  return (to_light ? pixels_of(picture) * picture.channels() * kBytes : 0) +
         depth_of_field_workspace(picture.width(), picture.height(), picture.channels(),
                                  to_light ? kBytes : sample_bytes_of(picture), photo.blur, style);
}

Picture blur_scene(Context& context, const GlContext& gl, const RenderedScene& scene, Image<float> disparity,
                   const Blur& blur, const DofStyle& style, const std::string& name, const Session& session) {
  constexpr int kBits = 8;
  const int width = scene.width(), height = scene.height();
  if (scene.samples == SceneSamples::codes && style.quality == DofQuality::draft) {
    GlDepthOfField shader(gl, context);
    if (opengl_holds(shader.fits(width, height, kBits, false, blur), gl, name, false, session)) {
      session.require_memory(context, gl, name, shader.memory(width, height, kBits, false, blur));
      return opaque(download_texture<std::uint8_t>(
          gl, shader.run(scene.color, scene.disparity, kBits, false, blur), kRgba));
    }
  }
  Picture picture = download_opaque(gl, scene);
  session.require_memory(context, name, 0, apply_dof_bytes(picture, blur, style));
  return apply_dof(context, std::move(picture), std::move(disparity), blur, style);
}

Picture download_opaque(const GlContext& gl, const RenderedScene& scene) {
  if (scene.samples == SceneSamples::light) return {download_texture<float>(gl, scene.color, 3)};
  return opaque(download_texture<std::uint8_t>(gl, scene.color, kRgba));
}

Picture apply_dof(Context& context, Picture picture, Image<float> disparity, const Blur& blur,
                  const DofStyle& style) {
  const LightRange light = brightness_of(picture).light;
  return blur_by_library(context, std::move(picture), std::move(disparity), blur, light, style);
}

Picture apply_dof(const GlContext& gl, GlDepthOfField& shader, const Picture& picture,
                  const Image<float>& disparity, const Blur& blur) {
  require_codes(picture);
  return blur_in_textures(gl, picture, disparity, [&](const Texture& color, const Texture& depth) {
    return shader.run(color, depth, 8 * sample_bytes_of(picture), picture.channels() == kRgba, blur);
  });
}

Picture apply_dof(const GlContext& gl, GlLayeredDof& shaders, const Picture& picture,
                  const Image<float>& disparity, const Blur& blur, const DofStyle& style,
                  const LightRange& light) {
  return blur_in_textures(gl, picture, disparity, [&](const Texture& color, const Texture& depth) {
    return shaders.run(color, depth, 8 * sample_bytes_of(picture), picture.channels(), blur, style, light);
  });
}

std::int64_t apply_dof_bytes(const Picture& picture, const Blur& blur, const DofStyle& style) {
  return static_cast<std::int64_t>(picture.bytes() +
                                   static_cast<std::size_t>(pixels_of(picture)) * sizeof(float)) +
         depth_of_field_workspace(picture.width(), picture.height(), picture.channels(),
                                  sample_bytes_of(picture), blur, style);
}

namespace {

/// Adds what the picture takes on its way through textures to what blurring it takes.
GlMemory with_textures(GlMemory memory, const Picture& picture) {
  const std::int64_t pixels = pixels_of(picture), rgba = pixels * kRgba * sample_bytes_of(picture);
  // The host holds, one after the other, the picture as RGBA, what the table takes, and the result.
  memory.host = std::max(memory.host, rgba);
  // OpenGL holds textures of the picture, its disparity and the result.
  memory.opengl += 2 * rgba + pixels * static_cast<std::int64_t>(sizeof(float));
  return memory;
}

}  // namespace

GlMemory apply_dof_bytes(const GlDepthOfField& shader, const Picture& picture, const Blur& blur) {
  return with_textures(shader.memory(picture.width(), picture.height(), 8 * sample_bytes_of(picture),
                                     picture.channels() == kRgba, blur),
                       picture);
}

GlMemory apply_dof_bytes(const GlLayeredDof& shaders, const Picture& picture, const Blur& blur,
                         const DofStyle& style) {
  return with_textures(shaders.memory(picture.width(), picture.height(), 8 * sample_bytes_of(picture),
                                      picture.channels(), blur, style),
                       picture);
}

}  // namespace scanlens
