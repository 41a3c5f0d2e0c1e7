// Scenes frame after frame: pictures that the caller keeps.
#include "app/scene/lights.h"
#include "app/scene/teapot.h"
#include "tests/gl/scene_fixture.h"

namespace scanlens {
namespace {

using SceneFrames = GlTest;

int objects_of_opengl() {
  int count = 0;
  for (GLuint id = 1; id < 1000; ++id)
    count += glIsTexture(id) + glIsFramebuffer(id) + glIsBuffer(id) + glIsRenderbuffer(id);
  return count;
}

TEST_F(SceneFrames, AKeptPictureIsThatWhichIsReturned) {
  TeapotScene scene(*context_);
  RenderedScene kept;
  Camera camera;
  scene.render(kept, 160, 100, camera);
  const GLuint color = kept.color.id(), disparity = kept.disparity.id(), drawn = kept.framebuffer.id();
  const int objects = objects_of_opengl();
  for (int frame = 0; frame < 3; ++frame) {
    camera.azimuth_deg += 10;
    scene.render(kept, 160, 100, camera);
    EXPECT_EQ(kept.color.id(), color);
    EXPECT_EQ(kept.disparity.id(), disparity);
    EXPECT_EQ(kept.framebuffer.id(), drawn);
    EXPECT_EQ(objects_of_opengl(), objects);
    const CodePicture ours = fetched(*context_, kept);
    const CodePicture fresh = fetched(*context_, scene.render(160, 100, camera));
    EXPECT_TRUE(same(ours.color, fresh.color));
    EXPECT_TRUE(same(ours.disparity, fresh.disparity));
  }
}

TEST_F(SceneFrames, AKeptPictureTakesOtherSizesAndSamples) {
  TeapotScene teapots(*context_);
  LightsScene lights(*context_);
  RenderedScene kept;
  for (const auto& [width, height] : {std::pair{64, 40}, {65, 40}, {65, 41}}) {
    teapots.render(kept, width, height, Camera{});
    ASSERT_EQ(kept.width(), width);
    ASSERT_EQ(kept.disparity.height(), height);
    EXPECT_TRUE(same(fetched(*context_, kept).color,
                     fetched(*context_, teapots.render(width, height, Camera{})).color));
  }
  lights.render(kept, 65, 41, kGardenCamera);
  EXPECT_TRUE(same(fetched_light(*context_, kept).light,
                   fetched_light(*context_, lights.render(65, 41, kGardenCamera)).light));
  const GLuint color = kept.color.id();
  EXPECT_THROW(lights.render(kept, 0, 41, kGardenCamera), Error);
  EXPECT_EQ(kept.color.id(), color);
}

}  // namespace
}  // namespace scanlens
