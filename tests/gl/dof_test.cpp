// Depth of field by the OpenGL shader, against the compute path, and the tables that OpenGL makes for it,
// against the scan library's bit for bit, on whatever OpenGL there is.
#include <cmath>

#include "app/apply_dof.h"
#include "app/gl_table.h"
#include "app/teapot_scene.h"
#include "core/sat.h"
#include "filters/depth_of_field.h"
#include "filters/lens.h"
#include "support.h"

namespace scanlens {
namespace {

std::vector<std::uint32_t> words_of(GLuint buffer, std::int64_t words) {
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  std::vector<std::uint32_t> read(static_cast<std::size_t>(words));
  glGetNamedBufferSubData(buffer, 0, words * 4, read.data());
  return read;
}

/// The table that `table` makes of `image`, its border of zeros included, against the library's.
void expect_the_library_s(const GlContext& gl, GlTable& table, const Image<std::uint8_t>& image) {
  const auto width = static_cast<int>(image.width()), height = static_cast<int>(image.height());
  const std::string size = std::to_string(width) + " x " + std::to_string(height);
  const Texture color = Texture::image_2d(GL_RGBA8, width, height);
  glTextureSubImage2D(color.id(), 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.view().data);
  table.make(color);
  const auto made = words_of(table.table(), GlTable::bytes(width, height) / 4);
  gl.check("reading the table");

  Context host = Context::open("cpu");
  Image<std::uint32_t> expected(width, height, 4);
  Terms terms = dof_terms<std::uint8_t>(host, 4);
  terms.weigh_by_alpha = false;
  summed_area_table<std::uint8_t, std::uint32_t>(host, image.view(), expected.view(), terms);
  for (int y = -1; y < height; ++y)
    for (int x = -1; x < width; ++x) {
      const std::int64_t at = (y + 1) * GlTable::pitch(width) + GlTable::block(x);
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(made[at + 32 * c], x < 0 || y < 0 ? 0 : expected.view()(x, y, c))
            << size << " at " << x << ", " << y << ", " << c;
    }
}

/// One OpenGL context and both computing devices, where they exist.
class GlDof : public test::OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!context) return;
    try {
      gl.emplace(GlContext::open(context->cuda_ordinal()));
    } catch (const Error& error) {
      SCANLENS_SKIP_OR_FAIL(error.what());
    }
    shader.emplace(*gl, *context);
    by_opengl.emplace(*gl, *context, ShaderSources{}, GlDepthOfField::TableBy::opengl);
    by_library.emplace(*gl, *context, ShaderSources{}, GlDepthOfField::TableBy::library);
  }

  template <class T>
  Image<T> with_shader(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                       std::optional<GlDepthOfField>& dof) {
    Picture picture{Image<T>(image.width(), image.height(), image.channels())};
    Context host = Context::open("cpu");
    copy(host, image.view(), std::get<Image<T>>(picture.samples).view());
    return std::get<Image<T>>(apply_dof(*gl, *dof, picture, disparity, blur).samples);
  }

  template <class T>
  void expect_agreement(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                        int tolerance) {
    Context host = Context::open("cpu");
    Image<T> by_compute(image.width(), image.height(), image.channels());
    depth_of_field<T>(host, image.view(), disparity.view(), blur, by_compute.view());
    for (auto* dof : {&by_opengl, &by_library}) {
      const Image<T> by_shader = with_shader(image, disparity, blur, *dof);
      for (std::int64_t i = 0; i < by_compute.view().extent(); ++i)
        ASSERT_LE(std::abs(by_shader.view().data[i] - by_compute.view().data[i]), tolerance)
            << "sample " << i << " of " << image.width() << " x " << image.height() << " x "
            << image.channels() << ", table by " << (dof == &by_opengl ? "OpenGL" : "the library");
    }
  }

  std::optional<GlContext> gl;
  std::optional<GlDepthOfField> shader, by_opengl, by_library;
};

TEST_P(GlDof, AgreesWithTheComputePathWithinOneCode) {
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : {std::pair{1, 1}, {17, 16}, {61, 47}, {320, 201}}) {
      const Image<float> disparity = test::random_image<float>(width, height);
      expect_agreement(test::random_image<std::uint8_t>(width, height, channels), disparity,
                       relative_blur(0.4, 11), 1);
      if (HasFatalFailure()) return;
    }
}

TEST_P(GlDof, AgreesWhereTheTableNeeds64Bits) {
  const Image<float> disparity = test::random_image<float>(400, 300);
  ASSERT_FALSE(fits_32_bits(relative_blur(0.4, 200), 1, 3));
  expect_agreement(test::random_image<std::uint8_t>(400, 300, 3), disparity, relative_blur(0.4, 200), 1);
}

TEST_P(GlDof, AgreesAtSixteenBits) {
  // GLSL's pow may be off by a few units in the last place of a float: 2^-16 of a code at 8 bits, a few
  // at 16.
  for (const int channels : {1, 3, 4})
    expect_agreement(test::random_image<std::uint16_t>(97, 61, channels), test::random_image<float>(97, 61),
                     relative_blur(0.4, 11), 8);
}

TEST_P(GlDof, ZeroApertureReproducesTheInput) {
  const Image<float> disparity = test::random_image<float>(129, 65);
  for (const int channels : {1, 3, 4})
    for (auto* dof : {&by_opengl, &by_library}) {
      const auto bytes = test::random_image<std::uint8_t>(129, 65, channels);
      test::expect_equal<std::uint8_t>(with_shader(bytes, disparity, relative_blur(0.4, 0), *dof).view(),
                                       bytes.view(), "8 bit");
      const auto words = test::random_image<std::uint16_t>(129, 65, channels);
      test::expect_equal<std::uint16_t>(with_shader(words, disparity, relative_blur(0.4, 0), *dof).view(),
                                        words.view(), "16 bit");
    }
}

TEST_P(GlDof, AConstantImageStaysConstant) {
  Image<float> disparity(90, 70);
  for (int i = 0; i < 90 * 70; ++i) disparity.view().data[i] = static_cast<float>(i % 90) / 89;
  for (auto* dof : {&by_opengl, &by_library})
    for (const double radius : {1.0, 7.5, 60.0, 300.0})
      for (const int code : {0, 1, 77, 255}) {
        Image<std::uint8_t> image(90, 70, 3);
        std::fill_n(image.view().data, image.view().extent(), static_cast<std::uint8_t>(code));
        test::expect_equal<std::uint8_t>(with_shader(image, disparity, relative_blur(0, radius), *dof).view(),
                                         image.view(), "constant");
      }
}

TEST_P(GlDof, BlursTheRenderedSceneLikeTheComputePath) {
  TeapotScene teapots(*gl);
  const RenderedScene scene = teapots.render(640, 400, Camera{});
  const Blur blur = bounded(thin_lens_blur({50, 1.4, 36, 1.5}, 640), 0.f, 3.f);
  const Image<std::uint8_t> sharp = download_texture<std::uint8_t>(*gl, scene.color, 4);
  Image<std::uint8_t> rgb = to_rgb8(Picture{download_texture<std::uint8_t>(*gl, scene.color, 4)});
  const Picture by_compute =
      apply_dof(*context, Picture{std::move(rgb)}, download_texture<float>(*gl, scene.disparity, 1), blur);
  const View<const std::uint8_t> expected = std::get<Image<std::uint8_t>>(by_compute.samples).view();
  for (auto* dof : {&by_opengl, &by_library}) {
    const Image<std::uint8_t> by_shader =
        download_texture<std::uint8_t>(*gl, (*dof)->run(scene.color, scene.disparity, 8, false, blur), 4);
    std::int64_t changed = 0;
    for (int y = 0; y < 400; ++y)
      for (int x = 0; x < 640; ++x)
        for (int c = 0; c < 3; ++c) {
          ASSERT_LE(std::abs(by_shader.view()(x, y, c) - expected(x, y, c)), 1)
              << x << ", " << y << ", " << c;
          changed += by_shader.view()(x, y, c) != sharp.view()(x, y, c);
        }
    EXPECT_GT(changed, 640 * 400 / 4) << "most of the scene is out of focus";
  }
}

TEST_P(GlDof, FramesIntoOneTextureAreAllAlike) {
  TeapotScene teapots(*gl);
  const Blur blur = bounded(thin_lens_blur({50, 1.4, 36, 1.5}, 200), 0.f, 3.f);
  // A row of 130 pixels ends within 16 bytes; the size changes from frame to frame.
  std::vector<Image<std::uint8_t>> first;
  for (int frame = 0; frame < 6; ++frame) {
    const int width = frame % 2 ? 130 : 200;
    const RenderedScene scene = teapots.render(width, 90, Camera{});
    const Texture result = Texture::image_2d(GL_RGBA8, width, 90);
    for (auto* dof : {&by_opengl, &by_library}) {
      for (int again = 0; again < 3; ++again)
        (*dof)->run(scene.color, scene.disparity, 8, false, blur, result);
      Image<std::uint8_t> pixels = download_texture<std::uint8_t>(*gl, result, 4);
      if (first.size() == static_cast<std::size_t>(frame))
        first.push_back(std::move(pixels));  // both tables are equal, and so are the pictures
      else
        test::expect_equal<std::uint8_t>(pixels.view(), first[frame % 2].view(), "frame");
    }
  }
}

TEST_P(GlDof, SharesBuffersExactlyWhereCudaAndOpenGlAreOnOneGpu) {
  EXPECT_EQ(shader->shares_buffers(), context->on_cuda() && gl->cuda_ordinal() == context->cuda_ordinal());
  if (test::gpu_required() && context->on_cuda()) {
    EXPECT_TRUE(shader->shares_buffers());
  }
}

TEST_P(GlDof, MakesTablesExactlyWhereOpenGlHasSubgroups) {
  EXPECT_EQ(shader->makes_tables(), GlTable::has_subgroups(*gl));
  EXPECT_TRUE(by_opengl->makes_tables());
  EXPECT_FALSE(by_library->makes_tables());
  if (test::gpu_required() && context->on_cuda()) {
    EXPECT_TRUE(shader->makes_tables());
  }
}

TEST_P(GlDof, RefusesATableThatDoesNotFit) {
  const std::int64_t side =
      1 + static_cast<std::int64_t>(std::sqrt(static_cast<double>(gl->max_ssbo_bytes()) / 16));
  const Blur blur = relative_blur(0.5, 10);
  EXPECT_FALSE(by_library->fits(side, side, 8, false, blur));
  EXPECT_TRUE(by_library->fits(side / 2, side / 2, 8, false, blur));
  // OpenGL's own table has 12 bytes a pixel where the library's has 16, and makes no others.
  EXPECT_TRUE(by_opengl->fits(side, side, 8, false, blur));
  EXPECT_FALSE(by_opengl->fits(side, side, 8, true, blur));
  EXPECT_FALSE(by_opengl->fits(side * 3 / 2, side, 8, false, blur));
  EXPECT_FALSE(by_opengl->fits(std::int64_t{1} << 40, 1, 8, false, blur));
  if (side > 4096) return;  // both textures at such a size would cost more than the check is worth
  const Texture color = Texture::image_2d(GL_RGBA8, 4096, 4096),
                disparity = Texture::image_2d(GL_R32F, 4096, 4096);
  EXPECT_THROW(by_library->run(color, disparity, 8, false, blur), Error);
}

TEST_P(GlDof, TablesByOpenGlEqualTheLibrarysOnEverySize) {
  GlTable table(*gl);
  constexpr std::pair<int, int> kSizes[] = {{1, 1},    {31, 3},   {32, 31},   {33, 32},
                                            {7, 63},   {127, 64}, {128, 65},  {129, 33},
                                            {7, 1000}, {1000, 7}, {257, 193}, {641, 389}};
  for (const auto& [width, height] : kSizes) {
    expect_the_library_s(*gl, table, test::random_image<std::uint8_t>(width, height, 4));
    if (HasFatalFailure()) return;
  }
}

TEST_P(GlDof, TablesByOpenGlEqualTheLibrarysWhereSumsPass32BitsAndTilesAreMany) {
  // More than 32 tiles across and more than 32 down, that is more than a subgroup takes at once.
  GlTable table(*gl);
  expect_the_library_s(*gl, table, test::random_image<std::uint8_t>(4231, 131, 4));
  expect_the_library_s(*gl, table, test::random_image<std::uint8_t>(149, 2239, 4));
}

SCANLENS_ON_EVERY_DEVICE(GlDof);

}  // namespace
}  // namespace scanlens
