// Depth among the channels of an OpenEXR file: by the names of renderers, and never a vector's component.
#include <gtest/gtest.h>

#include "app/depth/files/exr_channels.h"
#include "tests/unit/support/depth.h"

namespace scanlens::test {
namespace {

using Names = std::vector<std::string>;

std::vector<ExrChannel> channels(const Names& names) {
  std::vector<ExrChannel> found;
  for (const std::string& name : names) found.push_back({0, "", name});
  return found;
}

/// Returns the names with red, green and blue, in the library's order.
Names with_colours(Names names) {
  for (const char* color : {"B", "G", "R"}) names.emplace_back(color);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<ExrDepth> found(const Names& names, const std::string& wanted = "", ExrUse use = ExrUse::map) {
  return find_exr_depth(channels(names), wanted, use, "a.exr");
}

TEST(DepthChannels, NamesThatRenderersWrite) {
  for (const char* name :
       {"Z", "z", "depth.Z", "depth.z", "Depth", "depth.V", "ViewLayer.Depth.Z", "View Layer.Depth.V", "Pz",
        "ZDepth.Y", "Z-depth.R", "volume_Z", "RenderLayer.Depth.Z", "custom.Z"}) {
    const std::optional<ExrDepth> depth = found(with_colours({name, "A"}));
    ASSERT_TRUE(depth) << name;
    EXPECT_EQ(depth->channels, Names{name});
    EXPECT_EQ(depth->meaning, ExrMeaning::distance) << name;
    EXPECT_TRUE(depth->remarks.empty()) << name;
  }
  EXPECT_EQ(found(with_colours({"disparity"}))->meaning, ExrMeaning::inverse);
  EXPECT_EQ(found(with_colours({"ViewLayer.Mist.Z"}))->meaning, ExrMeaning::mist);
  EXPECT_EQ(found(with_colours({"ViewLayer.Mist.V"}))->meaning, ExrMeaning::mist);
  EXPECT_EQ(found({"mist"})->meaning, ExrMeaning::mist);
}

TEST(DepthChannels, ThreeEqualOnesAreALayer) {
  for (const std::string layer : {"VRayZDepth", "FinalImageMovieRenderQueue_WorldDepth", "ViewLayer.Depth"}) {
    const std::optional<ExrDepth> depth =
        found(with_colours({layer + ".A", layer + ".B", layer + ".G", layer + ".R"}));
    ASSERT_TRUE(depth) << layer;
    EXPECT_EQ(depth->name, layer);
    EXPECT_EQ(depth->channels, (Names{layer + ".R", layer + ".G", layer + ".B"}));
    EXPECT_EQ(depth->of_unreal, layer.find("WorldDepth") != std::string::npos);
  }
  EXPECT_EQ(found({"B", "G", "R"})->channels.size(), 3u);
  EXPECT_EQ(found({"A", "B", "G", "R"})->meaning, ExrMeaning::unnamed);
  EXPECT_EQ(found({"A", "Y"})->channels, Names{"Y"});
}

TEST(DepthChannels, VectorsAreNoDepth) {
  EXPECT_FALSE(found(with_colours({"N.X", "N.Y", "N.Z", "P.X", "P.Y", "P.Z"})));
  EXPECT_FALSE(found(with_colours({"Px", "Py", "Pz"})));
  EXPECT_FALSE(found(with_colours({"View.Position.X", "View.Position.Y", "View.Position.Z"})));
  EXPECT_FALSE(found({"X", "Y", "Z"}));
  EXPECT_FALSE(found(with_colours({"Normal.Z"}))) << "by its name";
  EXPECT_EQ(found(with_colours({"N.X", "N.Y", "N.Z", "Z"}))->name, "Z");
}

TEST(DepthChannels, SeveralAreNamedAndTheChoiceIsSaid) {
  const std::optional<ExrDepth> two = found({"Bg.Depth.Z", "Fg.Depth.Z"});
  EXPECT_EQ(two->name, "Bg.Depth.Z");
  EXPECT_TRUE(warned(*two, "Bg.Depth.Z, Fg.Depth.Z"));
  EXPECT_TRUE(warned(*two, "--depth-channel"));
  const std::optional<ExrDepth> arnold = found(with_colours({"Z", "volume_Z"}));
  EXPECT_EQ(arnold->name, "Z");
  EXPECT_TRUE(remarked(*arnold, "volume_Z"));
  EXPECT_EQ(
      found({"A.Combined.B", "A.Combined.G", "A.Combined.R", "A.Depth.Z", "A.Denoising Depth.Z", "A.Mist.Z"})
          ->name,
      "A.Depth.Z");
  EXPECT_EQ(found({"B.Combined.B", "B.Combined.G", "B.Combined.R", "A.Depth.Z", "B.Depth.Z"})->name,
            "B.Depth.Z")
      << "the depth of the picture";
  const std::vector<ExrChannel> views = {
      {0, "left", "R"}, {0, "left", "Z"}, {1, "right", "R"}, {1, "right", "Z"}};
  const std::optional<ExrDepth> left = find_exr_depth(views, "", ExrUse::map, "a.exr");
  EXPECT_EQ(left->name, "left.Z");
  EXPECT_TRUE(warned(*left, "left.Z, right.Z"));
  EXPECT_EQ(find_exr_depth(views, "right.Z", ExrUse::map, "a.exr")->part, 1);
}

TEST(DepthChannels, TheOptionChooses) {
  const Names names =
      with_colours({"Fg.Depth.Z", "Bg.Depth.Z", "P.X", "P.Y", "P.Z", "Mist.Z", "V.R", "V.G", "V.B"});
  EXPECT_EQ(found(names, "Fg.Depth.Z")->channels, Names{"Fg.Depth.Z"});
  EXPECT_TRUE(found(names, "Fg.Depth.Z")->remarks.empty());
  EXPECT_EQ(found(names, "fg.depth.z")->channels, Names{"Fg.Depth.Z"});
  EXPECT_EQ(found(names, "Fg.Depth")->channels, Names{"Fg.Depth.Z"});
  EXPECT_EQ(found(names, "V")->channels.size(), 3u);
  EXPECT_EQ(found(names, "V.R")->channels, Names{"V.R"});
  EXPECT_EQ(found(names, "P.Z")->meaning, ExrMeaning::unnamed);
  EXPECT_EQ(found(names, "Mist")->meaning, ExrMeaning::mist);
  expect_failure(failure_of([&] { found(names, "Q"); }), "it has B, Bg.Depth.Z", ErrorKind::usage);
}

TEST(DepthChannels, APhotosOwnDepth) {
  const auto own = [](const Names& names) { return found(names, "", ExrUse::photo); };
  EXPECT_EQ(own(with_colours({"Z"}))->name, "Z");
  EXPECT_EQ(own(with_colours({"Mist.Z"}))->meaning, ExrMeaning::mist);
  EXPECT_FALSE(own({"B", "G", "R"})) << "a grey picture is no depth";
  EXPECT_FALSE(own({"Y"}));
  EXPECT_FALSE(own(with_colours({"custom.Z"}))) << "whose name says too little";
}

}  // namespace
}  // namespace scanlens::test
