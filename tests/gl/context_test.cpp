// The OpenGL context without a window, and shader programs.
#include "app/gl/context.h"

#include <algorithm>
#include <string>

#include "app/gl/program.h"
#include "core/error.h"
#include "tests/gl/scene_fixture.h"
#include "tests/unit/support/files.h"

namespace scanlens {
namespace {

using ContextTest = GlTest;
using ProgramTest = GlTest;

constexpr const char* kTriangle = "#version 450 core\nvoid main() { gl_Position = vec4(0.0); }\n";

TEST_F(ContextTest, TellsWhatItIs) {
  EXPECT_FALSE(context_->vendor().empty());
  EXPECT_FALSE(context_->renderer().empty());
  EXPECT_EQ(context_->version().substr(0, 1), "4");
  EXPECT_GE(context_->max_texture_size(), 16384);
  EXPECT_GE(context_->max_ssbo_bytes(), 1 << 27);
  if (context_->software()) {
    EXPECT_EQ(context_->cuda_ordinal(), -1);
  }
}

TEST_F(ContextTest, ReportsErrorsOnceAndMoves) {
  glEnable(GL_TEXTURE_2D_ARRAY + 0x7000);
  try {
    context_->check("enabling nonsense");
    FAIL() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("enabling nonsense"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("GL_INVALID_ENUM"), std::string::npos);
  }
  GlContext moved = std::move(*context_);
  EXPECT_NO_THROW(moved.check("nothing"));
  const GlContext second = GlContext::open();
  moved.make_current();
  EXPECT_NO_THROW(moved.check("switching contexts"));
}

TEST_F(ProgramTest, ErrorsNameFileAndLine) {
  const test::TemporaryFolder folder;
  test::save(folder / "triangle.vert", kTriangle);
  test::save(folder / "helper.glsl", "// one\n// two\nfloat helper() { return missing_name; }\n");
  test::save(folder / "broken.frag", "#version 450 core\n#include \"helper.glsl\"\nvoid main() {}\n");
  test::save(folder / "late.frag",
             "#version 450 core\n#include \"filters/color.h\"\n\nvoid main() { also_missing; }\n");
  test::save(folder / "lost.frag", "#version 450 core\n\n#include \"nowhere.glsl\"\n");
  const ShaderSources sources(folder.path());
  const auto message = [&](const char* fragment) {
    try {
      GlProgram(sources, {{GL_VERTEX_SHADER, "triangle.vert"}, {GL_FRAGMENT_SHADER, fragment}},
                {{"ONE", "1"}});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("broken.frag").find("helper.glsl:3"), std::string::npos) << message("broken.frag");
  EXPECT_NE(message("late.frag").find("late.frag:4"), std::string::npos) << message("late.frag");
  EXPECT_NE(message("lost.frag").find("lost.frag:3"), std::string::npos) << message("lost.frag");
  EXPECT_NE(message("lost.frag").find("nowhere.glsl"), std::string::npos);
  EXPECT_EQ(message("broken.frag").find('\n'), std::string::npos);
}

TEST_F(ProgramTest, BrokenReloadKeepsTheOldProgram) {
  const test::TemporaryFolder folder;
  test::save(folder / "triangle.vert", kTriangle);
  test::save(folder / "plain.frag", "#version 450 core\nout vec4 c;\nvoid main() { c = vec4(VALUE); }\n");
  const ShaderSources sources(folder.path());
  GlProgram program(sources, {{GL_VERTEX_SHADER, "triangle.vert"}, {GL_FRAGMENT_SHADER, "plain.frag"}},
                    {{"VALUE", "0.5"}});
  const GLuint before = program.id();
  test::save(folder / "plain.frag", "#version 450 core\nout vec4 c;\nvoid main() { c = nonsense; }\n");
  EXPECT_THROW(program.reload(sources), Error);
  EXPECT_EQ(program.id(), before);
  program.use();
  EXPECT_NO_THROW(context_->check("using the program"));
  test::save(folder / "plain.frag", "#version 450 core\nout vec4 c;\nvoid main() { c = vec4(1.0); }\n");
  EXPECT_NO_THROW(program.reload(sources));
  EXPECT_NE(program.id(), 0u);
}

TEST_F(ProgramTest, SharedFormulasAgreeWithTheirHeader) {
  const ShaderText text = ShaderSources(std::filesystem::path()).load("scene/encode.frag");
  EXPECT_NE(std::find(text.files.begin(), text.files.end(), "filters/color.h"), text.files.end());
  EXPECT_NE(text.text.find("linear_to_srgb"), std::string::npos);
  EXPECT_EQ(text.text.find("<cmath>"), std::string::npos);
}

}  // namespace
}  // namespace scanlens
