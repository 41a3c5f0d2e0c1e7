#include "app/viewer/model/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <type_traits>
#include <utility>

#include "app/gl/download.h"
#include "app/gl/upload.h"
#include "app/photo/brightness.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Distances beyond this are shown, and focused on, as infinity.
constexpr double kFarthest = 1e6;

/// The brightest light of a scene's lamps; white is 1.
constexpr float kBrightestLamp = 1024;

/// Returns the mean of every square of `divisor` pixels a side.
template <class T>
Image<T> smaller(const Image<T>& image, int divisor) {
  const auto side = [&](std::int64_t pixels) { return std::max<std::int64_t>(1, pixels / divisor); };
  Image<T> result(side(image.width()), side(image.height()), image.channels());
  const auto as_mat = [](const Image<T>& of) {
    const int type = CV_MAKETYPE(cv::DataType<T>::depth, of.channels());
    return cv::Mat(static_cast<int>(of.height()), static_cast<int>(of.width()), type,
                   const_cast<T*>(of.view().data));
  };
  cv::Mat to = as_mat(result);
  cv::resize(as_mat(image), to, to.size(), 0, 0, cv::INTER_AREA);
  return result;
}

/// Returns the disparity of one pixel of each square: a mean of near and far would be a place where nothing
/// is.
Image<float> fewer(const Image<float>& disparity, int divisor) {
  Image<float> result(std::max<std::int64_t>(1, disparity.width() / divisor),
                      std::max<std::int64_t>(1, disparity.height() / divisor), 1);
  for (std::int64_t y = 0; y < result.height(); ++y)
    for (std::int64_t x = 0; x < result.width(); ++x)
      result.view()(x, y) = disparity.view()(std::min(x * divisor + divisor / 2, disparity.width() - 1),
                                             std::min(y * divisor + divisor / 2, disparity.height() - 1));
  return result;
}

}  // namespace

Picture smaller(const Picture& picture, int divisor) {
  Picture small;
  std::visit([&](const auto& samples) { small.samples = smaller(samples, divisor); }, picture.samples);
  small.metadata.icc = picture.metadata.icc;
  return small;
}

ViewedImage image_of_photo(const GlContext& gl, const Picture& picture, const Depth* depth, int divisor) {
  ViewedImage image;
  image.channels = picture.channels();
  image.light = brightness_of(picture).light;
  image.brightest = std::max({1.f, image.light.most, image.light.lamps});
  std::visit(
      [&]<class T>(const Image<T>& samples) {
        image.bits = 8 * sizeof(T);
        Image<T> shrunk;
        if (divisor > 1) shrunk = smaller(samples, divisor);
        image.textures.color = upload_rgba(gl, divisor > 1 ? shrunk : samples);
        if (divisor > 1) image.picture = Picture{std::move(shrunk)};
      },
      picture.samples);
  set_depth(gl, image, depth, divisor);
  return image;
}

void set_depth(const GlContext& gl, ViewedImage& image, const Depth* depth, int divisor) {
  image.depth.reset();
  image.textures.disparity = {};
  image.metric = depth && depth->metric;
  if (!depth) return;
  image.least = depth->least;
  image.most = depth->most;
  if (divisor > 1) image.depth = fewer(depth->disparity, divisor);
  image.textures.disparity = upload_disparity(gl, divisor > 1 ? *image.depth : depth->disparity);
}

void bring_to_host(const GlContext& gl, ViewedImage& image) {
  if (!image.picture) {
    image.picture.emplace();
    if (image.bits == 32)
      image.picture->samples = download_texture<float>(gl, image.color(), image.channels);
    else if (image.bits == 16)
      image.picture->samples = download_texture<std::uint16_t>(gl, image.color(), image.channels);
    else
      image.picture->samples = download_texture<std::uint8_t>(gl, image.color(), image.channels);
  }
  if (!image.depth && image.has_depth()) image.depth = download_texture<float>(gl, image.disparity(), 1);
}

LiveScene::LiveScene(const GlContext& gl, const SceneTraits& traits, const ShaderSources& sources)
    : gl_(gl),
      traits_(traits),
      scene_(traits.open(gl, sources)),
      extremes_(sources, {{GL_COMPUTE_SHADER, "viewer/extremes.comp"}}),
      found_(Buffer::create()) {
  glNamedBufferStorage(found_.id(), 2 * sizeof(std::uint32_t), nullptr, GL_DYNAMIC_STORAGE_BIT);
}

void LiveScene::reload(const ShaderSources& sources) {
  GlProgram extremes(sources, {{GL_COMPUTE_SHADER, "viewer/extremes.comp"}});
  scene_->reload(sources);
  extremes_ = std::move(extremes);
}

ThinLens LiveScene::lens(const ViewState& state) {
  ThinLens lens = kSceneLens;
  lens.focal_length_mm = state.focal_length;
  lens.sensor_width_mm = state.sensor_width;
  lens.f_number = state.f_number;
  return lens;
}

/// Finds the least and the greatest disparity. Disparities are not negative, so that their bits are ordered
/// as they are.
void LiveScene::find_extremes() {
  const std::uint32_t nothing[] = {std::bit_cast<std::uint32_t>(std::numeric_limits<float>::max()), 0};
  glNamedBufferSubData(found_.id(), 0, sizeof nothing, nothing);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, found_.id());
  glBindTextureUnit(0, image_.disparity().id());
  glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
  extremes_.use();
  dispatch(image_.width(), image_.height(), 16, 16);
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  float found[2];
  glGetNamedBufferSubData(found_.id(), 0, sizeof found, found);
  gl_.check("finding how near and how far the scene is");
  image_.least = std::min(found[0], found[1]);
  image_.most = found[1];
}

ViewedImage& LiveScene::render(const ViewState& state, int width, int height, SceneDetail detail) {
  scene_->set_time(state.time, detail);
  scene_->render(image_.textures, width, height, camera_of(state), lens(state));
  image_.metric = true;
  image_.bits = traits_.samples == SceneSamples::light ? 32 : 8;
  image_.light.most = image_.is_light() ? kBrightestLamp : 1;
  image_.picture.reset();
  image_.depth.reset();
  find_extremes();
  return image_;
}

Texture LiveScene::reference(const ViewState& state, int width, int height, const Blur& blur, int views) {
  scene_->set_time(state.time);
  return std::move(
      scene_->render_reference(width, height, camera_of(state), lens_of_blur(lens(state), blur, width), views)
          .color);
}

Camera camera_of(const ViewState& state) {
  const auto metres = [](double x, double y, double z) {
    return glm::vec3(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
  };
  return {.target = metres(state.target_x, state.target_y, state.target_z),
          .distance_m = static_cast<float>(state.distance),
          .azimuth_deg = static_cast<float>(state.azimuth),
          .elevation_deg = static_cast<float>(state.elevation)};
}

void set_camera(ViewState& state, const Camera& camera) {
  state.target_x = camera.target.x;
  state.target_y = camera.target.y;
  state.target_z = camera.target.z;
  state.azimuth = camera.azimuth_deg;
  state.elevation = camera.elevation_deg;
  state.distance = camera.distance_m;
}

double nearest_focus(const ViewState& state) {
  return 1.02e-3 * state.focal_length;
}

Blur blur_of(const ViewState& state, float focus_disparity, const ViewedImage& image) {
  const DepthSpan depth{image.metric, image.least, image.most};
  if (image.metric)
    return bounded(blur_of(state, std::min(static_cast<double>(focus_disparity), 1 / nearest_focus(state)),
                           depth, image.width(), std::nullopt),
                   image.least, image.most);
  const Blur blur = blur_of(state, std::clamp(focus_disparity, 0.f, 1.f), depth, image.width(),
                            state.blur / 100 * image.width());
  return bounded(blur, image.least, image.most);
}

LayerCuts cuts_of(const ViewedImage& image, const LayeredLens& lens, DofQuality quality) {
  return layer_cuts(layers_of(quality), signed_circle(image.least, lens), signed_circle(image.most, lens));
}

float focus_disparity(const ViewState& state, bool metric) {
  if (!metric) return static_cast<float>(std::clamp(state.focus, 0.0, 1.0));
  return state.focus >= kFarthest ? 0.f : static_cast<float>(1 / std::max(state.focus, 1e-3));
}

double focus_value(float disparity, bool metric) {
  if (!metric) return std::clamp(static_cast<double>(disparity), 0.0, 1.0);
  return disparity > 0 ? std::min(1.0 / disparity, kFarthest) : kFarthest;
}

}  // namespace scanlens
