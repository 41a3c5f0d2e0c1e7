// Depth of field by the OpenGL shader, against the compute path. The tables that OpenGL makes for it, against
// the scan library's, bit for bit. On whatever OpenGL there is.
#include "app/gl/dof.h"

#include <sys/resource.h>

#include <cmath>
#include <fstream>

#include "app/gl/table.h"
#include "app/photo/dof_renderer.h"
#include "app/scene/teapot.h"
#include "app/session/session.h"
#include "core/sat.h"
#include "filters/depth_of_field.h"
#include "filters/lens.h"
#include "tests/gl/buffers.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

DofJob codes(std::int64_t width, std::int64_t height, const Blur& blur, int channels = 3) {
  return {width, height, 8, channels, blur};
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

/// Tables that OpenGL makes need no computing device.
class GlTables : public testing::Test {
 protected:
  void SetUp() override {
    try {
      gl.emplace(GlContext::open());
    } catch (const Error& error) {
      SCANLENS_SKIP_OR_FAIL(error.what());
    }
  }
  std::optional<GlContext> gl;
};

TEST_F(GlTables, EqualTheLibrarysOnEverySize) {
  GlTable table(*gl);
  constexpr std::pair<int, int> kSizes[] = {{1, 1},    {31, 3},   {32, 31},   {33, 32},
                                            {7, 63},   {127, 64}, {128, 65},  {129, 33},
                                            {7, 1000}, {1000, 7}, {257, 193}, {641, 389}};
  for (const auto& [width, height] : kSizes) {
    expect_the_library_s(*gl, table, test::random_image<std::uint8_t>(width, height, 4));
    if (HasFatalFailure()) return;
  }
}

TEST_F(GlTables, EqualTheLibrarysWhereSumsPass32BitsAndTilesAreMany) {
  // More than 32 tiles across and more than 32 down, that is more than a subgroup takes at once.
  GlTable table(*gl);
  expect_the_library_s(*gl, table, test::random_image<std::uint8_t>(4231, 131, 4));
  expect_the_library_s(*gl, table, test::random_image<std::uint8_t>(149, 2239, 4));
}

#ifndef __SANITIZE_ADDRESS__  // whose malloc ends the program instead
/// As long as it lives the process gets at most `bytes` more of memory.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t bytes) {
    std::ifstream status("/proc/self/status");
    std::uint64_t taken_kib = 0;
    for (std::string word; status >> word;)
      if (word == "VmData:") status >> taken_kib;
    getrlimit(RLIMIT_DATA, &before_);
    const rlimit limit{taken_kib * 1024 + bytes, before_.rlim_max};
    setrlimit(RLIMIT_DATA, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_DATA, &before_); }

 private:
  rlimit before_ = {};
};

TEST_F(GlTables, AreMadeOnceThereIsMemory) {
  if (!gl->software()) GTEST_SKIP() << "only what OpenGL takes of the host's memory can be limited";
  GlTable table(*gl);
  const auto image = test::random_image<std::uint8_t>(1777, 1531, 4);
  const Texture color = Texture::image_2d(GL_RGBA8, 1777, 1531);
  {
    const MemoryLimit limit(8 << 20);
    try {
      table.make(color);
      ADD_FAILURE() << "there was no memory for " << GlTable::memory(1777, 1531) << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::retry);
      EXPECT_NE(std::string(error.what()).find("GL_OUT_OF_MEMORY"), std::string::npos) << error.what();
    }
  }
  expect_the_library_s(*gl, table, image);
}
#endif

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
    return std::get<Image<T>>(
        run_in_textures(*gl, *dof, picture, disparity, dof_job(picture, blur, {})).samples);
  }

  /// The one that makes tables where it can, and where it does, the one that makes none.
  std::vector<std::optional<GlDepthOfField>*> with_all_tables(int sample_bytes, int channels,
                                                              const Blur& blur) {
    if (fits_32_bits(blur, sample_bytes, channels)) return {&by_opengl, &by_library};
    return {&by_opengl};
  }

  template <class T>
  void expect_agreement(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                        int tolerance) {
    Context host = Context::open("cpu");
    Image<T> by_compute(image.width(), image.height(), image.channels());
    depth_of_field<T>(host, image.view(), disparity.view(), blur, by_compute.view());
    for (auto* dof : with_all_tables(sizeof(T), image.channels(), blur)) {
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

TEST_P(GlDof, AgreesWithAZoneInFocus) {
  expect_agreement(test::random_image<std::uint8_t>(61, 47, 3), test::random_image<float>(61, 47),
                   relative_blur(0.4, 11, 0.3), 1);
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
  const Blur none = relative_blur(0.4, 0);
  for (const int channels : {1, 3, 4}) {
    const auto bytes = test::random_image<std::uint8_t>(129, 65, channels);
    for (auto* dof : with_all_tables(1, channels, none))
      test::expect_equal<std::uint8_t>(with_shader(bytes, disparity, none, *dof).view(), bytes.view(),
                                       "8 bit");
    const auto words = test::random_image<std::uint16_t>(129, 65, channels);
    test::expect_equal<std::uint16_t>(with_shader(words, disparity, none, by_opengl).view(), words.view(),
                                      "16 bit");
  }
}

TEST_P(GlDof, AConstantImageStaysConstant) {
  Image<float> disparity(90, 70);
  for (int i = 0; i < 90 * 70; ++i) disparity.view().data[i] = static_cast<float>(i % 90) / 89;
  for (const double radius : {1.0, 7.5, 60.0, 300.0})
    for (auto* dof : with_all_tables(1, 3, relative_blur(0, radius)))
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
  const DofJob job = codes(640, 400, blur);
  Image<std::uint8_t> rgb = to_rgb8(Picture{download_texture<std::uint8_t>(*gl, scene.color, 4)});
  const Picture by_compute = DofRenderer(*context).run(Picture{std::move(rgb)},
                                                       download_texture<float>(*gl, scene.disparity, 1), job);
  const View<const std::uint8_t> expected = std::get<Image<std::uint8_t>>(by_compute.samples).view();
  for (auto* dof : {&by_opengl, &by_library}) {
    const Image<std::uint8_t> by_shader =
        download_texture<std::uint8_t>(*gl, (*dof)->run(scene.color, scene.disparity, job), 4);
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
        (*dof)->run(scene.color, scene.disparity, codes(width, 90, blur), result);
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

TEST_P(GlDof, UploadsToBuffersThatAreRefused) {
  const auto refuse = [](Context&, GLuint) -> SharedBuffer { throw Error("no buffer is shared"); };
  GlDepthOfField uploading(*gl, *context, {}, GlDepthOfField::TableBy::library, refuse);
  TeapotScene teapots(*gl);
  const RenderedScene scene = teapots.render(200, 90, Camera{});
  const DofJob job = codes(200, 90, bounded(thin_lens_blur({50, 1.4, 36, 1.5}, 200), 0.f, 3.f));
  for (int frame = 0; frame < 2; ++frame) {
    const Image<std::uint8_t> uploaded =
        download_texture<std::uint8_t>(*gl, uploading.run(scene.color, scene.disparity, job), 4);
    const Image<std::uint8_t> usual =
        download_texture<std::uint8_t>(*gl, by_library->run(scene.color, scene.disparity, job), 4);
    test::expect_equal<std::uint8_t>(uploaded.view(), usual.view(), "frame");
    EXPECT_FALSE(uploading.shares_buffers());
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
  EXPECT_FALSE(by_library->fits(codes(side, side, blur)));
  EXPECT_TRUE(by_library->fits(codes(side / 2, side / 2, blur)));
  // OpenGL's own table has 12 bytes a pixel where the library's has 16, and makes no others.
  EXPECT_TRUE(by_opengl->fits(codes(side, side, blur)));
  EXPECT_FALSE(by_opengl->fits(codes(side, side, blur, 4)));
  EXPECT_FALSE(by_opengl->fits(codes(side * 3 / 2, side, blur)));
  EXPECT_FALSE(by_opengl->fits(codes(std::int64_t{1} << 40, 1, blur)));
  if (side > 4096) return;  // both textures at such a size would cost more than the check is worth
  const Texture color = Texture::image_2d(GL_RGBA8, 4096, 4096),
                disparity = Texture::image_2d(GL_R32F, 4096, 4096);
  EXPECT_THROW(by_library->run(color, disparity, codes(4096, 4096, blur)), Error);
}

TEST_P(GlDof, ItsBuffersTakeTheMemoryItPromises) {
  using TableBy = GlDepthOfField::TableBy;
  const auto check = [&](TableBy table_by, int bits, bool alpha, float radius) {
    constexpr int kWidth = 333, kHeight = 129;
    const Texture color = Texture::image_2d(bits == 8 ? GL_RGBA8 : GL_RGBA16, kWidth, kHeight),
                  disparity = Texture::image_2d(GL_R32F, kWidth, kHeight);
    const DofJob job{kWidth, kHeight, bits, alpha ? 4 : 3, {radius, 0, radius}};
    const std::int64_t before = bytes_of_all_buffers();
    GlDepthOfField dof(*gl, *context, {}, table_by);
    dof.run(color, disparity, job);
    EXPECT_EQ(dof.memory(job).opengl, bytes_of_all_buffers() - before)
        << bits << " bits, alpha " << alpha << ", radius " << radius;
  };
  for (const TableBy table_by : {TableBy::opengl, TableBy::library}) check(table_by, 8, false, 5);
  check(TableBy::library, 8, false, 200);
  check(TableBy::library, 8, true, 5);
  check(TableBy::library, 16, false, 5);
}

TEST_P(GlDof, TakesHostMemoryWhereItWorksThere) {
  constexpr std::int64_t kWidth = 640, kHeight = 480, kRgba = kWidth * kHeight * 4;
  const DofJob job = codes(kWidth, kHeight, relative_blur(0.4, 11));
  const GlMemory own = DofRenderer::memory(*by_opengl, job);
  EXPECT_EQ(own.host, kRgba) << "the picture on its way, and no table";
  EXPECT_EQ(own.device, 0);
  const std::int64_t textures = own.opengl - by_opengl->memory(job).opengl;
  EXPECT_EQ(textures, 3 * kRgba) << "picture, disparity and result";

  constexpr std::int64_t kTable = 4 * kRgba;  // 32 bits a channel
  const GlMemory library = DofRenderer::memory(*by_library, job);
  if (by_library->shares_buffers()) {
    EXPECT_EQ(library.host, kRgba);
    EXPECT_GT(library.device, 0);
    EXPECT_GE(library.opengl, kTable + kRgba + textures);
  } else if (context->on_cuda()) {
    EXPECT_EQ(library.host, kTable);
    EXPECT_GT(library.device, kTable + kRgba);
    EXPECT_EQ(library.opengl, kTable + textures);
  } else {
    EXPECT_GT(library.host, kTable + kRgba);
    EXPECT_LT(library.host, kTable + 2 * kRgba);
    EXPECT_EQ(library.device, 0);
    EXPECT_EQ(library.opengl, kTable + textures);
  }
}

TEST_P(GlDof, OpenGlsMemoryCountsWhereOpenGlWorks) {
  const auto fits_within = [&](std::uint64_t limit, const GlMemory& bytes) {
    Settings settings;
    settings.max_memory = limit;
    try {
      require_memory(settings, *context, *gl, "photo.png", bytes);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::retry);
      EXPECT_EQ(std::string(error.what()).rfind("photo.png: ", 0), 0u) << error.what();
      return false;
    }
  };
  EXPECT_TRUE(fits_within(1000, {600, 0, 400}));
  EXPECT_FALSE(fits_within(999, {1000, 0, 0}));
  EXPECT_FALSE(fits_within(999, {0, 0, 1000}));
  EXPECT_EQ(fits_within(999, {600, 0, 400}), !gl->software());
  if (context->on_cuda()) {
    EXPECT_EQ(fits_within(999, {0, 600, 400}), !shader->shares_buffers());
  }
}

SCANLENS_ON_EVERY_DEVICE(GlDof);

}  // namespace
}  // namespace scanlens
