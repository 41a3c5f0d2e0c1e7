#include "tests/bench/quality/references.h"

#include <fmt/format.h>

#include <utility>

#include "app/depth/depth.h"
#include "app/gl/download.h"
#include "core/error.h"
#include "filters/lens.h"

namespace scanlens::bench {
namespace {

constexpr int kRgb = 3;

Picture downloaded(const GlContext& gl, const RenderedScene& scene) {
  if (scene.samples == SceneSamples::light) return {download_texture<float>(gl, scene.color, kRgb)};
  return {download_texture<std::uint8_t>(gl, scene.color, kRgb)};
}

void require_shape(const std::filesystem::path& path, std::int64_t width, std::int64_t height, Shape shape) {
  if (width != shape.width || height != shape.height)
    throw Error(fmt::format("{}: has {} x {} pixels, not {} x {}", path.string(), width, height, shape.width,
                            shape.height));
}

}  // namespace

std::string QualityCase::name() const {
  return fmt::format("{}_{}_focus{:g}_blur{}", scene.name, shape_name(shape), focus_m, circle);
}

References::References(std::filesystem::path folder, int cuda_ordinal, Progress progress)
    : folder_(std::move(folder)), cuda_ordinal_(cuda_ordinal), progress_(std::move(progress)) {
  if (!folder_.empty()) make_folder(folder_);
}

std::filesystem::path References::path_of(const std::string& name, SceneSamples samples) const {
  return folder_ / (name + (samples == SceneSamples::light ? ".exr" : ".png"));
}

Picture References::kept(const std::filesystem::path& path, Shape shape) const {
  Picture picture = read_picture(path, {});
  require_shape(path, picture.width(), picture.height(), shape);
  if (picture.channels() != kRgb) throw Error(path.string() + ": is not an RGB picture");
  return picture;
}

Scene& References::opened(const SceneTraits& scene) {
  if (!gl_) gl_ = GlContext::open(cuda_ordinal_);
  gl_->make_current();
  std::unique_ptr<Scene>& place = scenes_[scene.name];
  if (!place) place = scene.open(*gl_, {});
  return *place;
}

SharpScene References::sharp(const SceneTraits& scene, Shape shape) {
  const std::string name = fmt::format("{}_{}", scene.name, shape_name(shape));
  const std::filesystem::path picture_path = path_of(name + "_sharp", scene.samples);
  const std::filesystem::path depth_path = folder_ / (name + "_depth.exr");
  const bool keeps = !folder_.empty();
  if (!keeps || !exists(picture_path) || !exists(depth_path)) {
    if (progress_) progress_(name);
    Scene& drawing = opened(scene);
    const RenderedScene rendered =
        drawing.render(static_cast<int>(shape.width), static_cast<int>(shape.height), scene.camera);
    SharpScene result{downloaded(*gl_, rendered), download_texture<float>(*gl_, rendered.disparity, 1)};
    if (!keeps) return result;
    write_depth(depth_path, result.disparity.view());
    write_picture(picture_path, result.picture);
  }
  // A kept reference is measured from the first time on: a depth that was written and read is off by a
  // rounding.
  DepthOptions metres;
  metres.kind = DepthKind::depth;
  Image<float> disparity = read_depth(depth_path, metres, {}).disparity;
  require_shape(depth_path, disparity.width(), disparity.height(), shape);
  return {kept(picture_path, shape), std::move(disparity)};
}

Picture References::truth(const QualityCase& one, const Blur& blur, int views) {
  const std::string name = fmt::format("{}_views{}", one.name(), views);
  const std::filesystem::path path = path_of(name, one.scene.samples);
  if (!folder_.empty() && exists(path)) return kept(path, one.shape);
  Scene& drawing = opened(one.scene);
  int drawn = 0;
  const auto tell = [&](double share) {
    // OpenGL works behind the calls: without waiting now and then, all would be asked for at once.
    constexpr int kMostAhead = 16;
    if (++drawn % kMostAhead != 0) return;
    glFinish();
    if (progress_) progress_(fmt::format("{}: {:.0f} %", name, 100 * share));
  };
  const auto width = static_cast<int>(one.shape.width), height = static_cast<int>(one.shape.height);
  Picture picture =
      downloaded(*gl_, drawing.render_reference(width, height, one.scene.camera,
                                                lens_of_blur(kSceneLens, blur, width), views, tell));
  if (!folder_.empty()) write_picture(path, picture);
  return picture;
}

}  // namespace scanlens::bench
