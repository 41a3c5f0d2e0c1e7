// The box formulas as a shader computes them, against the same header compiled as C++.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "app/gl/context.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "core/error.h"
#include "core/sat_box_formula.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

constexpr int kTrials = 64;

/// Input and output of the probe for each trial.
struct Trial {
  double count, sum, squares, mean, variance;
  std::uint32_t corners[4], box_sum;
  int pixel[2], reach, size[2], clipped[4];
};

constexpr const char* kProbe = R"(#version 450 core
layout(local_size_x = 64) in;
#include "core/sat_box_formula.h"
struct Trial {
  double count, sum, squares, mean, variance;
  uint corners[4], box_sum;
  int pixel[2], reach, size[2], clipped[4];
};
layout(std430, binding = 0) buffer Trials { Trial trials[]; };
uint plus(uint a, uint b) { return a + b; }
uint minus(uint a, uint b) { return a - b; }
void main() {
  uint i = gl_GlobalInvocationID.x;
  Trial t = trials[i];
  trials[i].mean = mean_of_sum(t.count, t.sum);
  trials[i].variance = variance_of_sums(t.count, t.sum, t.squares);
  trials[i].box_sum = SCANLENS_BOX_SUM(plus, minus, t.corners[0], t.corners[1], t.corners[2], t.corners[3]);
  Box box = clipped_box(t.pixel[0], t.pixel[1], t.reach, t.size[0], t.size[1]);
  trials[i].clipped = int[4](box.x0, box.y0, box.x1, box.y1);
}
)";

TEST(BoxFormula, IsTheSameInAShader) {
  std::unique_ptr<GlContext> gl;
  try {
    gl = std::make_unique<GlContext>(GlContext::open());
  } catch (const Error& error) {
    SCANLENS_SKIP_OR_FAIL(error.what());
  }
  const auto below = [](std::uint64_t end) { return static_cast<int>(test::generator()() % end); };
  std::vector<Trial> trials(kTrials);
  for (Trial& trial : trials) {
    const int count = 1 + below(100000), offset = below(65000), spread = 1 + below(3);
    trial = {};
    trial.count = count;
    for (int i = 0; i < count; ++i) {
      const double sample = offset + below(static_cast<std::uint64_t>(spread));
      trial.sum += sample;
      trial.squares += sample * sample;
    }
    for (std::uint32_t& corner : trial.corners) corner = static_cast<std::uint32_t>(test::generator()());
    for (int axis = 0; axis < 2; ++axis) {
      trial.size[axis] = 1 + below(100);
      trial.pixel[axis] = below(static_cast<std::uint64_t>(trial.size[axis]));
    }
    trial.reach = below(60);
  }

  const test::TemporaryFolder folder;
  test::save(folder / "probe.comp", kProbe);
  const GlProgram program(ShaderSources(folder.path()), {{GL_COMPUTE_SHADER, "probe.comp"}});
  const Buffer buffer = Buffer::create();
  const auto bytes = static_cast<GLsizeiptr>(sizeof(Trial) * kTrials);
  glNamedBufferStorage(buffer.id(), bytes, trials.data(), 0);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer.id());
  program.use();
  glDispatchCompute(1, 1, 1);
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  std::vector<Trial> made(kTrials);
  glGetNamedBufferSubData(buffer.id(), 0, bytes, made.data());
  gl->check("the probe");

  for (int i = 0; i < kTrials; ++i) {
    const Trial &given = trials[i], &result = made[i];
    EXPECT_DOUBLE_EQ(result.mean, mean_of_sum(given.count, given.sum));
    EXPECT_DOUBLE_EQ(result.variance, variance_of_sums(given.count, given.sum, given.squares));
    EXPECT_EQ(result.box_sum, given.corners[0] - given.corners[1] - given.corners[2] + given.corners[3]);
    const Box box = clipped_box(given.pixel[0], given.pixel[1], given.reach, given.size[0], given.size[1]);
    EXPECT_TRUE(result.clipped[0] == box.x0 && result.clipped[1] == box.y0 && result.clipped[2] == box.x1 &&
                result.clipped[3] == box.y1);
  }
}

}  // namespace
}  // namespace scanlens
