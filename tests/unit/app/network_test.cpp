// Networks without ONNX Runtime: what models say of themselves, and what is made of that.
#include "app/depth/network/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// A field of a protobuf message that has a length, of fewer than 128 bytes.
std::string part(int number, const std::string& content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} + content;
}

std::string floats(int name_field, const std::string& name, const std::vector<float>& values) {
  std::string raw(values.size() * sizeof(float), '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  return std::string{0x10, 1} + part(name_field, name) + part(9, raw);
}

std::string node(const std::string& name, const std::string& a, const std::string& b,
                 const std::string& out) {
  return part(1, part(1, a) + part(1, b) + part(2, out) + part(4, name));
}

ModelFacts facts_of(const std::string& graph) {
  const std::string model = std::string{0x08, 0x08} + part(7, graph);
  const ProtoFile file("model", model.size(), [&](std::size_t at, std::span<std::byte> bytes) {
    std::memcpy(bytes.data(), model.data() + at, bytes.size());
  });
  return model_facts(file);
}

Convention convention_by(const std::string& name, std::vector<std::string> outputs = {},
                         const ConventionOptions& options = {}) {
  return convention_of({"/nowhere/at/" + name, {}, std::move(outputs)}, options);
}

TEST(Network, InputsAreThoseThatAreNoWeights) {
  const std::string graph = node("Conv", "image", "w", "depth") + part(5, floats(8, "w", {1, 2, 3, 4})) +
                            part(11, part(1, "w")) + part(11, part(1, "image"));
  EXPECT_EQ(facts_of(graph).inputs, std::vector<std::string>{"image"});
  EXPECT_FALSE(facts_of(graph).normalises);
}

TEST(Network, FirstStepsShowTheScaleOfPixels) {
  const auto scale = [](const std::string& step, float constant) {
    return facts_of(node(step, "image", "c", "x") + part(5, floats(8, "c", {constant})) +
                    part(11, part(1, "image")))
        .normalises;
  };
  EXPECT_EQ(scale("Sub", 0.485f), PixelScale::unit);
  EXPECT_EQ(scale("Sub", 123.675f), PixelScale::bytes);
  EXPECT_EQ(scale("Add", -123.675f), PixelScale::bytes);
  EXPECT_EQ(scale("Div", 255.f), PixelScale::bytes);
  EXPECT_EQ(scale("Div", 0.229f), PixelScale::unit);
  EXPECT_EQ(scale("Mul", 1 / 255.f), PixelScale::bytes);
  EXPECT_EQ(scale("Mul", 2.f), PixelScale::unit);
  EXPECT_EQ(scale("Conv", 2.f), std::nullopt);
}

TEST(Network, FamiliesHaveTheirConventions) {
  struct Row {
    const char* name;
    const char* family;
    std::int64_t width, height;
    int multiple;
    UsualPixels pixels;
    NetworkOutput output;
  };
  using enum UsualPixels;
  using enum NetworkOutput;
  for (const Row& row :
       {Row{"depth_anything_v2_vits.onnx", "Depth Anything", 518, 518, 14, imagenet, inverse},
        Row{"Depth-Anything-V2-Metric-Indoor-Small.onnx", "Depth Anything", 518, 518, 14, imagenet, metres},
        Row{"da3mono-large.onnx", "Depth Anything 3", 504, 504, 14, imagenet, distance},
        Row{"DA3METRIC-LARGE.onnx", "Depth Anything 3", 504, 504, 14, imagenet, canonical},
        Row{"dpt_hybrid-midas.onnx", "DPT", 384, 384, 32, half, inverse},
        Row{"midas_v2_1_small.onnx", "MiDaS small", 256, 256, 32, imagenet, inverse},
        Row{"model-f6b98070.onnx", "MiDaS", 384, 384, 32, imagenet, inverse},
        Row{"ZoeD_M12_NK.onnx", "ZoeDepth", 512, 384, 32, half, metres},
        Row{"zoe-nk.onnx", "ZoeDepth", 512, 384, 32, half, metres},
        Row{"metric3d_vit_small.onnx", "Metric3D", 1064, 616, 28, bytes, canonical},
        Row{"depth_pro.onnx", "Depth Pro", 1536, 1536, 1, half, metres},
        Row{"glpn-nyu.onnx", "GLPN", 640, 480, 32, unit, metres},
        Row{"5da30e.onnx", "", 518, 518, 14, imagenet, inverse}}) {
    const Convention found = convention_by(row.name);
    EXPECT_EQ(found.family, row.family) << row.name;
    EXPECT_EQ(found.width, row.width) << row.name;
    EXPECT_EQ(found.height, row.height) << row.name;
    EXPECT_EQ(found.multiple, row.multiple) << row.name;
    EXPECT_EQ(found.pixels, numbers_of(row.pixels)) << row.name;
    EXPECT_EQ(found.output, row.output) << row.name;
    EXPECT_TRUE(found.is_guess) << row.name;
  }
}

TEST(Network, OutputsGoBeforeTheName) {
  EXPECT_EQ(convention_by("depth_anything.onnx", {"predicted_depth", "focallength_px"}).family, "Depth Pro");
  EXPECT_EQ(convention_by("x.onnx", {"depth", "field_of_view"}).output, NetworkOutput::per_metre);
  EXPECT_FALSE(convention_by("x.onnx", {"depth", "sky"}).is_guess);
  EXPECT_THROW(convention_by("x.onnx", {"points", "mask"}), Error);
}

TEST(Network, OptionsGoBeforeAll) {
  const Convention found =
      convention_by("depth_pro.onnx", {"focallength_px"},
                    {std::pair(320, 240), 8, UsualPixels::bytes, NetworkOutput::distance});
  EXPECT_EQ(found.width, 320);
  EXPECT_EQ(found.height, 240);
  EXPECT_EQ(found.multiple, 8);
  EXPECT_EQ(found.pixels, numbers_of(UsualPixels::bytes));
  EXPECT_EQ(found.output, NetworkOutput::distance);
  EXPECT_EQ(found.decided_by, "--network-output");
}

TEST(Network, PhotosBecomePlanes) {
  Image<std::uint8_t> image(2, 1, 3);
  const std::uint8_t codes[] = {0, 51, 255, 102, 153, 204};
  std::copy_n(codes, 6, image.view().data);
  const Picture picture{std::move(image)};
  const NetworkImage plain =
      network_image(rows_of(picture), {2, 1, false, false}, numbers_of(UsualPixels::bytes));
  const std::vector<float> expected = {0, 102, 51, 153, 255, 204};
  ASSERT_EQ(plain.numbers.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(plain.numbers[i], expected[i], 1e-3) << i;

  // The photo lies in the middle of grey, in its own proportions.
  const NetworkImage padded =
      network_image(rows_of(picture), {2, 5, true, false}, numbers_of(UsualPixels::bytes));
  EXPECT_EQ(padded.left, 0);
  EXPECT_EQ(padded.top, 2);
  EXPECT_EQ(padded.width, 2);
  EXPECT_EQ(padded.height, 1);
  EXPECT_NEAR(padded.numbers[0], 123.675, 1e-3);
  EXPECT_NEAR(padded.numbers[4], 0, 1e-3);
  EXPECT_NEAR(padded.numbers[5], 102, 1e-3);

  const NetworkImage grown =
      network_image(rows_of(picture), {8, 4, false, false}, numbers_of(UsualPixels::bytes));
  EXPECT_LT(grown.numbers[0], grown.numbers[7]);
}

}  // namespace
}  // namespace scanlens
