// Tests that need OpenGL without a window, and what scenes render, downloaded.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "app/gl/context.h"
#include "app/gl/download.h"
#include "app/scene/scene.h"
#include "core/error.h"
#include "tests/unit/support/support.h"

namespace scanlens {

class GlTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      context_ = std::make_unique<GlContext>(GlContext::open());
    } catch (const Error& error) {
      SCANLENS_SKIP_OR_FAIL(error.what());
    }
  }

  std::unique_ptr<GlContext> context_;
};

/// A picture of codes.
struct CodePicture {
  Image<std::uint8_t> color;
  Image<float> disparity;
};

inline CodePicture fetched(const GlContext& context, const RenderedScene& scene) {
  return {download_texture<std::uint8_t>(context, scene.color, 4),
          download_texture<float>(context, scene.disparity, 1)};
}

/// A picture of light.
struct LightPicture {
  Image<float> light, disparity;
};

inline LightPicture fetched_light(const GlContext& context, const RenderedScene& scene) {
  EXPECT_EQ(scene.samples, SceneSamples::light);
  return {download_texture<float>(context, scene.color, 4),
          download_texture<float>(context, scene.disparity, 1)};
}

template <class T>
bool same(const Image<T>& a, const Image<T>& b) {
  return a.view().extent() == b.view().extent() &&
         std::equal(a.view().data, a.view().data + a.view().extent(), b.view().data);
}

}  // namespace scanlens
