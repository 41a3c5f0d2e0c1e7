// Measures depth of field: the scan library's, and the whole frame of an OpenGL renderer.
#include "app/gl/dof.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "app/gl/context.h"
#include "app/gl/download.h"
#include "app/gl/interop.h"
#include "app/gl/layered.h"
#include "app/scene/teapot.h"
#include "core/devices.h"
#include "core/error.h"
#include "filters/color_tables.h"
#include "filters/depth_of_field.h"
#include "filters/dof_shape.h"
#include "filters/lens.h"
#include "tests/bench/bench.h"
#include "tests/bench/cases/dof_peers.h"
#include "tests/bench/copy.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

constexpr int kRgb = 3, kRgba = 4;

/// Adds up the samples of a pixel's box one by one and returns their mean, taken in linear light.
int blurred_code(View<const std::uint8_t> image, const BoxKernel& kernel, int x, int y, int c) {
  const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
  const auto light = [&](const Box& box) {
    double sum = 0;
    for (int j = box.y0; j <= box.y1; ++j)
      for (int i = box.x0; i <= box.x1; ++i) sum += srgb8_to_linear16()[image(i, j, c)];
    return static_cast<float>(sum);
  };
  const Box inner = clipped_box(x, y, kernel.inner, width, height);
  const Box outer = clipped_box(x, y, kernel.inner + 1, width, height);
  const float sum = ring_sum(light(inner), light(outer) - light(inner), kernel);
  const float area = ring_sum(box_area(inner), box_area(outer) - box_area(inner), kernel);
  return linear16_to_srgb8()[static_cast<std::size_t>(std::min(sum / area, 65535.f) + 0.5f)];
}

/// Checks every sharp pixel, which is copied, and a few hundred others, to one code. Alpha is not looked
/// at.
std::string check(View<const std::uint8_t> image, View<const float> disparity, const Blur& blur,
                  View<const std::uint8_t> out) {
  FirstWrong wrong;
  const auto kernel_at = [&](std::int64_t x, std::int64_t y) {
    return box_of_equal_area(circle_of_confusion(disparity(x, y), blur));
  };
  tbb::parallel_for(std::int64_t{0}, image.height, [&](std::int64_t y) {
    for (std::int64_t x = 0; x < image.width; ++x)
      for (int c = 0; c < kRgb && is_sharp(kernel_at(x, y)); ++c)
        if (out(x, y, c) != image(x, y, c)) wrong.note(y * image.width + x);
  });
  for_some_pixels(image.width, image.height, [&](int x, int y) {
    const BoxKernel kernel = kernel_at(x, y);
    for (int c = 0; c < kRgb && !is_sharp(kernel); ++c)
      if (std::abs(out(x, y, c) - blurred_code(image, kernel, x, y, c)) > 1) wrong.note(y * image.width + x);
  });
  return wrong.text("pixel");
}

/// Makes a plane that slants through the one in focus, so that all radii up to the largest occur.
std::vector<float> slanted_plane(const Shape& shape) {
  std::vector<float> disparity(static_cast<std::size_t>(shape.width * shape.height));
  for (std::int64_t y = 0; y < shape.height; ++y)
    for (std::int64_t x = 0; x < shape.width; ++x)
      disparity[static_cast<std::size_t>(y * shape.width + x)] =
          (static_cast<float>(x) / static_cast<float>(shape.width) +
           static_cast<float>(y) / static_cast<float>(shape.height)) /
          2;
  return disparity;
}

void compute_path(Bench& bench, const Shape& shape) {
  constexpr double kRadius = 40;
  const std::int64_t pixels = shape.width * shape.height, samples = pixels * kRgb;
  const std::int64_t table_bytes = samples * 4;
  Case one;
  one.primitive = "dof";
  one.variant = fmt::format("RGB, radius {}", kRadius);
  one.type = "u8";
  one.size = shape_name(shape);
  one.elements = samples;
  one.bytes_read = samples + pixels * 4;
  one.bytes_written = table_bytes + samples;
  bench.attempt("dof " + one.size, [&] {
    if (std::max(shape.width, shape.height) > kMostDofSide)
      throw Error(ErrorKind::retry, fmt::format("more than {} pixels per side", kMostDofSide));
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const std::vector<float> plane = slanted_plane(shape);
    const auto in = bench.filled<std::uint8_t>(samples, Input::random());
    const auto depth = bench.uploaded(plane);
    const auto out = bench.target<std::uint8_t>(samples);
    bench.target<std::uint8_t>(table_bytes);  // the copy, the bound, needs room for as much
    const Blur blur = relative_blur(0.5, kRadius);
    const View<const std::uint8_t> image(in.data(), shape.width, shape.height, kRgb);
    const View<const float> disparity(depth.data(), shape.width, shape.height);
    const View<std::uint8_t> result(out.data(), shape.width, shape.height, kRgb);
    one.ours = [=, &context] { depth_of_field<std::uint8_t>(context, image, disparity, blur, result); };
    one.verify = [=, &bench, &plane] {
      std::vector<std::uint8_t> samples_in(in.size());
      tbb::parallel_for(std::size_t{0}, in.size(),
                        [&](std::size_t i) { samples_in[i] = Input::random().at<std::uint8_t>(i); });
      const auto view = [&](const auto* data, int channels) {
        return View(data, shape.width, shape.height, channels);
      };
      return check(view(samples_in.data(), kRgb), view(plane.data(), 1), blur,
                   view(bench.host(out).data(), kRgb));
    };
    bench.run(one);
  });
}

/// A style of layers, and the largest blurs that it is measured with.
struct Look {
  const char* name;
  DofStyle style;
  std::vector<float> radii;
};

/// Both qualities, of plain discs and of pupils.
std::vector<Look> looks() {
  constexpr DofQuality kGood = DofQuality::good, kBest = DofQuality::best;
  const std::vector<float> all = {4, 16, 40, 128}, few = {16, 128};
  return {{"good", {.quality = kGood}, all},
          {"best", {.quality = kBest}, all},
          {"good, cat's eye, swirl", {.quality = kGood, .cats_eye = 0.8f, .swirl = 0.5f}, few},
          {"best, cat's eye, swirl", {.quality = kBest, .cats_eye = 0.8f, .swirl = 0.5f}, few},
          {"good, bubbles", {.quality = kGood, .spherical = 1}, few},
          {"best, bubbles", {.quality = kBest, .spherical = 1}, few},
          {"good, mirror", {.quality = kGood, .mirror = 0.5f}, few},
          {"best, mirror", {.quality = kBest, .mirror = 0.5f}, few}};
}

/// Measures layers, of blurs up to `radius`. Not verified here: the tests hold them against the method done
/// directly.
void layers(Bench& bench, const Shape& shape, const Look& look, float radius) {
  const std::int64_t pixels = shape.width * shape.height, samples = pixels * kRgb;
  Case one;
  one.primitive = "dof";
  one.variant = fmt::format("RGB, {}, radius {}", look.name, radius);
  one.type = "u8";
  one.size = shape_name(shape);
  one.elements = samples;
  one.bytes_read = samples + pixels * 4;
  one.bytes_written = samples;
  bench.attempt("dof " + one.variant + " " + one.size, [&] {
    bench.reserve(one.bytes_read, one.bytes_written);
    Context& context = bench.context();
    const auto in = bench.filled<std::uint8_t>(samples, Input::random());
    const std::vector<float> plane = slanted_plane(shape);
    const auto depth = bench.uploaded(plane);
    const auto out = bench.target<std::uint8_t>(samples);
    const Blur blur = relative_blur(0.5, radius);
    const View<const std::uint8_t> image(in.data(), shape.width, shape.height, kRgb);
    const View<const float> disparity(depth.data(), shape.width, shape.height);
    const View<std::uint8_t> result(out.data(), shape.width, shape.height, kRgb);
    one.ours = [=, &context, style = look.style] {
      depth_of_field<std::uint8_t>(context, image, disparity, blur, result, {}, style);
    };
    if (!needs_pupils(look.style)) one.peers = dof_peers(bench, {image, disparity, blur, result}, plane);
    // The full gather takes up to half a second, and stands beside `good` alone.
    if (look.style.quality == DofQuality::best && !one.peers.empty()) one.peers.pop_back();
    one.verify = [] { return std::string(); };
    bench.run(one);
  });
}

/// Works for a second: a GPU that has waited for a check on the CPU has lowered its clock, and takes three
/// times as long at first.
void warm_up(const Bench& bench, const Work& work) {
  const std::chrono::milliseconds enough(bench.settings().quick ? 20 : 1000);
  for (const auto start = std::chrono::steady_clock::now();
       std::chrono::steady_clock::now() - start < enough;)
    work();
}

/// Times frames that are queued without a wait, by OpenGL's own clock.
Timing frame_times(const Bench& bench, const GlContext& gl, int frames, const Work& frame) {
  std::vector<GLuint> stamps(static_cast<std::size_t>(2 * frames));
  glCreateQueries(GL_TIMESTAMP, 2 * frames, stamps.data());
  warm_up(bench, [&] {
    for (int i = 0; i < frames; ++i) frame();
    glFinish();
  });
  for (std::size_t i = 0; i < stamps.size(); i += 2) {
    glQueryCounter(stamps[i], GL_TIMESTAMP);
    frame();
    glQueryCounter(stamps[i + 1], GL_TIMESTAMP);
  }
  std::vector<double> times;
  for (std::size_t i = 0; i < stamps.size(); i += 2) {
    GLuint64 start = 0, end = 0;
    glGetQueryObjectui64v(stamps[i], GL_QUERY_RESULT, &start);
    glGetQueryObjectui64v(stamps[i + 1], GL_QUERY_RESULT, &end);
    times.push_back(static_cast<double>(end - start) * 1e-6);
  }
  glDeleteQueries(2 * frames, stamps.data());
  gl.check("timing frames");
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

/// Times the fastest copy of as many bytes.
double copy_ms(Bench& bench, std::int64_t bytes_read, std::int64_t bytes_written) {
  constexpr int kCopies = 20;
  bench.reserve(bytes_read, bytes_written);
  const auto from = bench.filled<std::uint8_t>(bytes_read, Input::random());
  const auto to = bench.target<std::uint8_t>(bytes_written);
  double least = HUGE_VAL;
  for (int shape = 0; shape < copy_shapes(bench.context()); ++shape) {
    const Work copies = [&] {
      for (int i = 0; i < kCopies; ++i)
        move_bytes(bench.context(), shape, reinterpret_cast<const std::byte*>(from.data()), bytes_read,
                   reinterpret_cast<std::byte*>(to.data()), bytes_written);
    };
    warm_up(bench, [&] { bench.context().time(copies); });
    least = std::min(least, bench.context().time(copies) / kCopies);
  }
  return least;
}

/// Each pixel of a frame costs at least this: picture and disparity are read, the table and the result are
/// written.
constexpr int kFrameRead = kRgba + 4;
int frame_written(const GlDepthOfField& shader) {
  return 4 * (shader.makes_tables() ? kRgb : kRgba) + kRgba;
}

/// Measures the teapots, blurred up to `radius`: from the rendered picture and its disparity to the result,
/// all on the GPU.
void whole_frame(Bench& bench, const GlContext& gl, GlDepthOfField& shader, const RenderedScene& scene,
                 View<const float> disparity, float radius, double bound_ms) {
  constexpr int kFrames = 100;
  const std::int64_t pixels = disparity.width * disparity.height;
  const float focus = 1 / static_cast<float>(kSceneLens.focus_m);
  float reach = 0;
  for (std::int64_t i = 0; i < pixels; ++i) reach = std::max(reach, std::abs(disparity.data[i] - focus));
  const Blur blur{radius / reach, focus, radius};
  const Texture result = Texture::image_2d(GL_RGBA8, scene.width(), scene.height());
  const DofJob job{scene.width(), scene.height(), 8, kRgb, blur};
  const Work frame = [&] { shader.run(scene.color, scene.disparity, job, result); };

  Result line;
  line.primitive = "dof";
  line.variant = fmt::format("frame, table by {}, radius {}", shader.makes_tables() ? "GL" : "CUDA", radius);
  line.type = "u8";
  line.size = shape_name({disparity.width, disparity.height});
  line.device = bench.context().device().id;
  line.elements = pixels * kRgba;
  line.bytes = pixels * (kFrameRead + frame_written(shader));
  line.in_cache = line.bytes <= cache_bytes(bench.context());
  line.bound_ms = bound_ms;
  frame();
  line.wrong = check(download_texture<std::uint8_t>(gl, scene.color, kRgba).view(), disparity, blur,
                     download_texture<std::uint8_t>(gl, result, kRgba).view());
  if (line.verified()) line.ours = frame_times(bench, gl, kFrames, frame);
  bench.collect(std::move(line));
}

void whole_frames(Bench& bench, const GlContext& gl, const Shape& shape) {
  using TableBy = GlDepthOfField::TableBy;
  constexpr float kRadii[] = {4, 16, 40, 128};
  std::vector<GlDepthOfField> shaders;
  if (GlTable::has_subgroups(gl)) shaders.emplace_back(gl, bench.context(), ShaderSources{}, TableBy::opengl);
  shaders.emplace_back(gl, bench.context(), ShaderSources{}, TableBy::library);
  if (!shaders.front().fits({shape.width, shape.height, 8, kRgb, {1, 0, kRadii[3]}}))
    return bench.settings().say(
        fmt::format("dof {}: frames left out: too large for this OpenGL", shape_name(shape)));
  bench.attempt("dof frame " + shape_name(shape), [&] {
    const std::int64_t pixels = shape.width * shape.height;
    const RenderedScene scene =
        TeapotScene(gl).render(static_cast<int>(shape.width), static_cast<int>(shape.height), Camera{});
    const Image<float> disparity = download_texture<float>(gl, scene.disparity, 1);
    for (GlDepthOfField& shader : shaders) {
      const double bound_ms = copy_ms(bench, pixels * kFrameRead, pixels * frame_written(shader));
      for (const float radius : kRadii)
        whole_frame(bench, gl, shader, scene, disparity.view(), radius, bound_ms);
    }
  });
}

/// Checks every sample of layers against the library's, to one code. `image` and `disparity` lie where the
/// context works.
std::string check_layers(Context& context, const Image<std::uint8_t>& image, const Image<float>& disparity,
                         const Blur& blur, const DofStyle& style, View<const std::uint8_t> made) {
  Image<std::uint8_t> expected(context, image.width(), image.height(), kRgb);
  depth_of_field<std::uint8_t>(context, image.view(), disparity.view(), blur, expected.view(), {}, style);
  expected = download(context, std::move(expected));
  FirstWrong wrong;
  tbb::parallel_for(std::int64_t{0}, made.extent(), [&](std::int64_t i) {
    if (std::abs(made.data[i] - expected.view().data[i]) > 1) wrong.note(i);
  });
  return wrong.text("sample");
}

/// Measures layers made by OpenGL, of the picture and the blurs that layers() has.
void layered_frames(Bench& bench, const GlContext& gl, const Shape& shape) {
  constexpr int kFrames = 100;
  constexpr int kRead = kRgba + 4, kWritten = kRgba;
  GlLayeredDof shaders(gl);
  const std::int64_t pixels = shape.width * shape.height;
  for (const auto& [name, style, radii] : looks()) {
    if (!shaders.fits({shape.width, shape.height, 8, kRgb, {}, style})) {
      bench.settings().say(
          fmt::format("dof {}, {}: left out: too large for this OpenGL", shape_name(shape), name));
      continue;
    }
    bench.attempt(fmt::format("dof {} by GL {}", name, shape_name(shape)), [&] {
      const auto width = static_cast<int>(shape.width), height = static_cast<int>(shape.height);
      const Texture color = Texture::image_2d(GL_RGBA8, width, height),
                    disparity = Texture::image_2d(GL_R32F, width, height),
                    result = Texture::image_2d(GL_RGBA8, width, height);
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      Image<std::uint8_t> image(shape.width, shape.height, kRgb);
      tbb::parallel_for(std::int64_t{0}, image.view().extent(), [&](std::int64_t i) {
        image.view().data[i] = Input::random().at<std::uint8_t>(static_cast<std::uint64_t>(i));
      });
      Image<float> plane(shape.width, shape.height);
      std::copy_n(slanted_plane(shape).data(), pixels, plane.view().data);
      glTextureSubImage2D(color.id(), 0, 0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, image.view().data);
      glTextureSubImage2D(disparity.id(), 0, 0, 0, width, height, GL_RED, GL_FLOAT, plane.view().data);
      gl.check("uploading the picture");
      image = upload(bench.context(), std::move(image));
      plane = upload(bench.context(), std::move(plane));
      const double bound_ms = copy_ms(bench, pixels * kRead, pixels * kWritten);
      for (const float radius : radii) {
        const Blur blur = relative_blur(0.5, radius);
        const DofJob job{width, height, 8, kRgb, blur, style};
        const Work frame = [&] { shaders.run(color, disparity, job, result); };
        Result line;
        line.primitive = "dof";
        line.variant = fmt::format("frame, {} by GL, radius {}", name, radius);
        line.type = "u8";
        line.size = shape_name(shape);
        line.device = bench.context().device().id;
        line.elements = pixels * kRgb;
        line.bytes = pixels * (kRead + kWritten);
        line.in_cache = line.bytes <= cache_bytes(bench.context());
        line.bound_ms = bound_ms;
        frame();
        line.wrong = check_layers(bench.context(), image, plane, blur, style,
                                  download_texture<std::uint8_t>(gl, result, kRgb).view());
        if (line.verified()) line.ours = frame_times(bench, gl, kFrames, frame);
        bench.collect(std::move(line));
      }
    });
  }
}

/// Opens OpenGL on the GPU that computes, or returns nothing and says why.
std::optional<GlContext> open_opengl(Bench& bench) {
  std::string cause;
  try {
    GlContext gl = GlContext::open(bench.context().cuda_ordinal());
    if (can_share_buffers(bench.context(), gl, &cause)) return gl;
  } catch (const Error& error) {
    cause = error.what();
  }
  bench.settings().say("dof: frames left out: " + cause);
  return std::nullopt;
}

}  // namespace

void bench_dof(Bench& bench) {
  const std::vector<Shape> shapes = bench.settings().sizes.shapes_or({{1920, 1080}, {3840, 2160}});
  for (const Shape& shape : shapes) compute_path(bench, shape);
  for (const Shape& shape : shapes)
    for (const Look& look : looks())
      for (const float radius : look.radii) layers(bench, shape, look, radius);
  if (!bench.on_cuda()) return;
  const std::optional<GlContext> gl = open_opengl(bench);
  if (!gl) return;
  for (const Shape& shape : shapes) {
    whole_frames(bench, *gl, shape);
    layered_frames(bench, *gl, shape);
  }
}

}  // namespace scanlens::bench
