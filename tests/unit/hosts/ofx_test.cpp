// The OpenFX plug-in in a host of the tests, held against the library's own depth of field.
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/half.h"
#include "filters/brightness.h"
#include "filters/color.h"
#include "filters/dof_params.h"
#include "tests/unit/hosts/ofx_host.h"
#include "tests/unit/support/support.h"

namespace scanlens::test {
namespace {

using namespace hosts::ofx;
using Layout = HostPicture::Layout;

constexpr RectI kBounds{-13, 7, 84, 68};  // no side is even, no corner at the origin
constexpr const char *kByte = "OfxBitDepthByte", *kShort = "OfxBitDepthShort", *kHalf = "OfxBitDepthHalf",
                     *kFloat = "OfxBitDepthFloat";
constexpr const char *kRgb = "OfxImageComponentRGB", *kRgba = "OfxImageComponentRGBA",
                     *kAlphaOnly = "OfxImageComponentAlpha";

/// Noise from 0 to 1.
void fill_with_noise(HostPicture& picture) {
  std::uniform_real_distribution<float> value(0, 1);
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x)
      for (int c = 0; c < picture.channels(); ++c) picture.set(x, y, c, c == 3 ? 1 : value(generator()));
}

float step_of_depth(int x, int y) {
  return static_cast<float>((x / 16 + y / 16) % 5) / 4;
}

/// Steps of depth in all channels.
void fill_with_steps(HostPicture& map) {
  for (int y = 0; y < map.height(); ++y)
    for (int x = 0; x < map.width(); ++x)
      for (int c = 0; c < map.channels(); ++c) map.set(x, y, c, step_of_depth(x, y));
}

/// A photo, its depth and the result in an instance.
struct Scene {
  explicit Scene(const OfxHost& host, const Layout& layout = {.bounds = kBounds},
                 const Layout& depth_layout = {.bounds = kBounds}, const std::string& context = "General")
      : effect(host.instance(context)), source(layout), depth(depth_layout), output(layout) {
    fill_with_noise(source);
    fill_with_steps(depth);
    source.show(effect->clips.at("Source"));
    output.show(effect->clips.at("Output"));
    if (context == "General") depth.show(effect->clips.at("Depth"));
    set("blur", 7);
    set("focus", 0.6);
    set("in_focus", 0.1);
  }
  void set(const std::string& name, double value) { effect->params.all.at(name).values.at(0) = value; }

  std::unique_ptr<Effect> effect;
  HostPicture source, depth, output;
};

/// The library's result from the same samples, whose rows begin at the top.
template <class T>
Image<T> expected(Scene& scene, const std::function<T(int, int, int)>& sample, double width,
                  DofStyle style = {}) {
  HostPicture& source = scene.source;
  Image<T> picture(source.width(), source.height(), source.channels());
  Image<float> map(source.width(), source.height());
  for (int y = 0; y < source.height(); ++y)
    for (int x = 0; x < source.width(); ++x) {
      map.view()(x, y) = scene.depth.get(x, y, 0);
      for (int c = 0; c < source.channels(); ++c) picture.view()(x, y, c) = sample(x, y, c);
    }
  Context context = Context::open("auto");
  style.quality = DofQuality::good;
  LightRange light;
  if constexpr (std::is_same_v<T, float>) light = brightness_of(std::as_const(picture).view()).light;
  picture = upload(context, std::move(picture));
  map = upload(context, std::move(map));
  depth_of_field<T>(context, std::as_const(picture).view(), std::as_const(map).view(),
                    relative_blur(0.6, 0.07 * width, 0.1), picture.view(), light, style);
  return download(context, std::move(picture));
}

template <class T>
void expect_bits(Scene& scene, const Image<T>& picture) {
  int wrong = 0;
  for (int y = 0; y < scene.output.height(); ++y)
    for (int x = 0; x < scene.output.width(); ++x)
      for (int c = 0; c < scene.output.channels(); ++c)
        wrong += scene.output.at<T>(x, y, c) != picture.view()(x, y, c);
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(scene.output.is_guarded());
  EXPECT_EQ(scene.effect->images, 0);
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  for (int byte; (byte = std::fgetc(pipe)) != EOF;) text += static_cast<char>(byte);
  pclose(pipe);
  return text;
}

std::size_t count_threads() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

class OfxPlugin : public testing::Test {
 protected:
  void expect_ok(Scene& scene, const RectI& window = kBounds) const {
    EXPECT_EQ(host.render(*scene.effect, window), kOk) << scene.effect->message;
  }
  bool is_source(Scene& scene) const {
    Properties in, out;
    const Status status = host.act("OfxImageEffectActionIsIdentity", scene.effect.get(), &in, &out);
    return status == kOk && out.strings.at("OfxPropName") == std::vector<std::string>{"Source"};
  }
  OfxHost host{SCANLENS_OFX};
};

TEST_F(OfxPlugin, ShowsThreeNamesAndCannotEndTheHost) {
  std::set<std::string> shown;
  const std::string file = std::string("'") + SCANLENS_OFX + "'";
  std::istringstream names(output_of("nm -D --defined-only --format=just-symbols " + file));
  for (std::string name; names >> name;) shown.insert(name);
  EXPECT_EQ(shown, (std::set<std::string>{"OfxGetNumberOfPlugins", "OfxGetPlugin", "OfxSetHost"}));
#if !SCANLENS_WITH_CUDA  // NVIDIA's runtime, which is linked in, refers to exit
  std::istringstream taken(output_of("nm -D --undefined-only --format=just-symbols " + file));
  for (std::string name; taken >> name;)
    EXPECT_FALSE(name.starts_with("exit") || name.starts_with("_exit") || name.starts_with("quick_exit"))
        << name;
#endif
}

TEST_F(OfxPlugin, LoadsWithoutThreadsAndDriver) {
  const std::size_t before = count_threads();
  {
    const OfxHost another{SCANLENS_OFX};
    EXPECT_TRUE(another.instance("Filter"));
  }
  EXPECT_EQ(count_threads(), before);
  std::ifstream mapped("/proc/self/maps");
  for (std::string line; std::getline(mapped, line);) EXPECT_EQ(line.find("libcuda.so"), std::string::npos);
}

TEST_F(OfxPlugin, SaysWhatItCan) {
  EXPECT_EQ(host.descriptor.strings.at("OfxImageEffectPluginRenderThreadSafety").at(0),
            "OfxImageEffectRenderFullySafe");
  EXPECT_EQ(host.descriptor.numbers.at("OfxImageEffectPropSupportsTiles").at(0), 0);
  Scene scene(host);
  Properties in, out;
  in.numbers["OfxImageEffectPropRegionOfInterest"] = {0, 10, 1, 11};
  EXPECT_EQ(host.act("OfxImageEffectActionGetRegionsOfInterest", scene.effect.get(), &in, &out), kOk);
  EXPECT_EQ(host.act("OfxImageEffectActionGetRegionOfDefinition", scene.effect.get(), &in, &out), kOk);
  const std::vector<double> whole{-13, 7, 84, 68};
  EXPECT_EQ(out.numbers.at("OfxImageClipPropRoI_Source"), whole);
  EXPECT_EQ(out.numbers.at("OfxImageClipPropRoI_Depth"), whole);
  EXPECT_EQ(out.numbers.at("OfxImageEffectPropRegionOfDefinition"), whole);
  EXPECT_EQ(host.act("OfxActionOfTheFuture", scene.effect.get(), &in, &out), kReplyDefault);
}

TEST_F(OfxPlugin, HasEveryDeclaredParameter) {
  const std::unique_ptr<Effect> effect = host.instance("General");
  for (const DofParam& declared : kDofParams) {
    std::string name(declared.name);
    std::replace(name.begin(), name.end(), '-', '_');
    ASSERT_TRUE(effect->params.all.contains(name)) << name;
    Properties& of = effect->params.all.at(name).properties;
    EXPECT_EQ(of.strings["OfxParamPropChoiceOption"].size(), declared.names.size());
    EXPECT_EQ(of.numbers.at("OfxParamPropDefault").at(0), declared.value);
    if (!declared.names.empty()) continue;
    for (const char* limit : {"Min", "Max", "DisplayMin", "DisplayMax"})
      EXPECT_TRUE(std::isfinite(of.numbers.at(std::string("OfxParamProp") + limit).at(0))) << name << limit;
  }
}

TEST_F(OfxPlugin, RendersTheBitsOfTheLibrary) {
  for (const bool is_flipped : {false, true})
    for (const char* components : {kRgb, kRgba}) {
      SCOPED_TRACE(components);
      const auto layout = [&](const char* depth) {
        return Layout{depth, components, kBounds, 12, is_flipped};
      };
      Scene bytes(host, layout(kByte)), shorts(host, layout(kShort)), floats(host, layout(kFloat)),
          halves(host, layout(kHalf));
      for (Scene* scene : {&bytes, &shorts, &floats, &halves}) expect_ok(*scene);
      expect_bits(bytes, expected<std::uint8_t>(
                             bytes, [&](auto... at) { return bytes.source.at<std::uint8_t>(at...); }, 97));
      expect_bits(shorts,
                  expected<std::uint16_t>(
                      shorts, [&](auto... at) { return shorts.source.at<std::uint16_t>(at...); }, 97));
      expect_bits(floats, expected<float>(
                              floats, [&](auto... at) { return floats.source.at<float>(at...); }, 97));
      const Image<float> wide = expected<float>(
          halves, [&](auto... at) { return halves.source.get(at...); }, 97);
      for (int y = 0; y < halves.output.height(); ++y)
        for (int x = 0; x < halves.output.width(); ++x)
          ASSERT_EQ(halves.output.at<Half>(x, y, 1).bits, Half(wide.view()(x, y, 1)).bits);
      EXPECT_TRUE(halves.output.is_guarded());
    }
}

TEST_F(OfxPlugin, RendersAnyWindowAsThatOfTheWhole) {
  Scene scene(host, {kByte, kRgba, kBounds, 3});
  expect_ok(scene);
  Effect& effect = *scene.effect;
  for (const RectI& window :
       {RectI{-13, 7, -12, 8}, RectI{-2, 20, 31, 53}, RectI{60, 60, 84, 68}, RectI{0, 20, 0, 20}}) {
    // An output that holds the window alone, and one that holds more, which stays as it is.
    HostPicture part({kByte, kRgba, window, 5}), larger({kByte, kRgba, {-20, 0, 90, 70}});
    for (HostPicture* picture : {&part, &larger}) {
      if (picture->width() == 0) continue;
      picture->show(effect.clips.at("Output"));
      expect_ok(scene, window);
      const RectI held = picture->layout().bounds;
      for (int y = 0; y < picture->height(); ++y)
        for (int x = 0; x < picture->width(); ++x) {
          const int at_x = held.x1 + x, at_y = held.y2 - 1 - y;
          const bool is_inside =
              at_x >= window.x1 && at_x < window.x2 && at_y >= window.y1 && at_y < window.y2;
          ASSERT_EQ(int{picture->at<std::uint8_t>(x, y, 0)},
                    is_inside
                        ? int{scene.output.at<std::uint8_t>(at_x - kBounds.x1, kBounds.y2 - 1 - at_y, 0)}
                        : 0xA5);
        }
      EXPECT_TRUE(picture->is_guarded());
    }
  }
}

TEST_F(OfxPlugin, HasNoSeamBeyond4096Pixels) {
  // Columns repeat every 512 pixels, so that far from the ends the result does, too.
  constexpr RectI kWide{0, 0, 8192, 24};
  Scene scene(host, {kByte, kRgb, kWide}, {kByte, kAlphaOnly, kWide});
  scene.set("blur", 0.1);
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 8192; ++x) {
      scene.depth.set(x, y, 0, step_of_depth(x % 512, y));
      for (int c = 0; c < 3 && x >= 512; ++c)
        scene.source.at<std::uint8_t>(x, y, c) = scene.source.at<std::uint8_t>(x - 512, y, c);
    }
  expect_ok(scene, kWide);
  int changed = 0;
  for (int y = 0; y < 24; ++y)
    for (int x = 512; x < 8192 - 1024; ++x) {
      // The part that a near thing hides is filled from all around, and may round otherwise.
      ASSERT_NEAR(scene.output.at<std::uint8_t>(x, y, 1), scene.output.at<std::uint8_t>(x + 512, y, 1), 1)
          << x;
      changed += scene.output.at<std::uint8_t>(x, y, 1) != scene.source.at<std::uint8_t>(x, y, 1);
    }
  EXPECT_GT(changed, 8192);
}

TEST_F(OfxPlugin, TakesDepthOfAnotherTypeAndOrigin) {
  Scene scene(host, {kByte, kRgb, kBounds});
  // Black and white are the same in every type.
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 97; ++x) scene.depth.set(x, y, 0, static_cast<float>((x / 16 + y / 16) % 2));
  expect_ok(scene);
  const RectI larger{kBounds.x1 - 5, kBounds.y1 - 11, kBounds.x2 + 2, kBounds.y2 + 3};
  for (const char* type : {kByte, kHalf, kFloat}) {
    HostPicture depth({type, kRgba, larger, 7, true}), output({kByte, kRgb, kBounds});
    for (int y = 0; y < depth.height(); ++y)
      for (int x = 0; x < depth.width(); ++x)
        depth.set(x, y, 2, scene.depth.get(std::clamp(x - 5, 0, 96), std::clamp(y - 3, 0, 60), 0));
    depth.show(scene.effect->clips.at("Depth"));
    output.show(scene.effect->clips.at("Output"));
    scene.set("depth_channel", 2);
    expect_ok(scene);
    for (int y = 0; y < 61; ++y)
      for (int x = 0; x < 97; ++x)
        ASSERT_EQ(output.at<std::uint8_t>(x, y, 0), scene.output.at<std::uint8_t>(x, y, 0)) << type;
  }
}

TEST_F(OfxPlugin, PassesThePictureWithoutDepthAndSaysSo) {
  Scene scene(host, {kHalf, kRgba, kBounds, 4, false, true});
  scene.source.set(3, 3, 3, 0.25f);
  Clip& depth = scene.effect->clips.at("Depth");
  EXPECT_FALSE(is_source(scene));
  depth.properties.numbers["OfxImageClipPropConnected"] = {0};
  EXPECT_TRUE(is_source(scene));
  EXPECT_EQ(scene.effect->message, "scanlens: Depth: no clip; connect a depth map to this input");
  expect_ok(scene);
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 97; ++x)
      for (int c = 0; c < 4; ++c)
        ASSERT_EQ(scene.output.at<Half>(x, y, c).bits, scene.source.at<Half>(x, y, c).bits);
  depth.properties.numbers["OfxImageClipPropConnected"] = {1};
  EXPECT_FALSE(is_source(scene));
  EXPECT_EQ(scene.effect->message, "");
  scene.set("blur", 0);
  EXPECT_TRUE(is_source(scene));
}

TEST_F(OfxPlugin, TakesDepthFromAlphaWhereAFilterHasOneClip) {
  Scene general(host, {kByte, kRgba, kBounds}),
      filter(host, {kByte, kRgba, kBounds}, {.bounds = kBounds}, "Filter");
  EXPECT_FALSE(filter.effect->clips.contains("Depth"));
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 97; ++x) {
      const float depth = 0.2f + 0.8f * step_of_depth(x, y);
      general.depth.set(x, y, 0, static_cast<float>(std::lround(depth * 255)) / 255);
      for (HostPicture* source : {&general.source, &filter.source}) {
        for (int c = 0; c < 3; ++c)
          source->at<std::uint8_t>(x, y, c) = general.source.at<std::uint8_t>(x, y, c);
        source->set(x, y, 3, depth);
      }
    }
  expect_ok(general);
  expect_ok(filter);
  expect_bits(filter, expected<std::uint8_t>(
                          general, [&](auto... at) { return general.source.at<std::uint8_t>(at...); }, 97));
}

TEST_F(OfxPlugin, KnowsPremultipliedColours) {
  Scene plain(host, {kFloat, kRgba, kBounds}), multiplied(host, {kFloat, kRgba, kBounds, 0, false, true});
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 97; ++x) {
      const float alpha = x < 48 ? 0.5f : 0.25f;  // their products are exact
      for (int c = 0; c < 3; ++c) multiplied.source.set(x, y, c, plain.source.get(x, y, c) * alpha);
      for (Scene* scene : {&plain, &multiplied}) scene->source.set(x, y, 3, alpha);
    }
  expect_ok(plain);
  expect_ok(multiplied);
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 97; ++x)
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(multiplied.output.get(x, y, c), plain.output.get(x, y, c) * plain.output.get(x, y, 3));
}

TEST_F(OfxPlugin, BlursInLinearLightWhateverTheCurve) {
  Scene linear(host, {kFloat, kRgb, kBounds}), encoded(host, {kFloat, kRgb, kBounds});
  encoded.set("light", 1);
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 97; ++x)
      for (int c = 0; c < 3; ++c) encoded.source.set(x, y, c, linear_to_srgb(linear.source.get(x, y, c)));
  expect_ok(linear);
  expect_ok(encoded);
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 97; ++x)
      ASSERT_NEAR(encoded.output.get(x, y, 1), linear_to_srgb(linear.output.get(x, y, 1)), 1e-4);
  // The curve goes on beyond white and below black.
  for (const float code : {1.5f, 20.0f, -0.02f}) {
    for (int y = 0; y < 61; ++y)
      for (int x = 0; x < 97; ++x)
        for (int c = 0; c < 3; ++c) encoded.source.set(x, y, c, code);
    encoded.set("blur", 0.01);
    expect_ok(encoded);
    ASSERT_NEAR(encoded.output.get(50, 30, 1), code, 1e-4 * std::abs(code));
  }
}

TEST_F(OfxPlugin, TakesMetresAndAPointInFocus) {
  Scene by_number(host, {kByte, kRgb, kBounds}), by_point(host, {kByte, kRgb, kBounds});
  for (Scene* scene : {&by_number, &by_point}) {
    scene->set("depth_means", 3);
    scene->set("f_number", 1.4);
    for (int y = 0; y < 61; ++y)
      for (int x = 0; x < 97; ++x) scene->depth.set(x, y, 0, 1 + 4 * step_of_depth(x, y));
  }
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 97; ++x)
      for (int c = 0; c < 3; ++c)
        by_point.source.at<std::uint8_t>(x, y, c) = by_number.source.at<std::uint8_t>(x, y, c);
  by_number.set("focus", 3);
  by_point.set("focus_by", 1);
  // Column 40 and row 3 from the top are at 3 metres; the host shows the picture at half its size.
  by_point.effect->params.all.at("focus_point").values = {2 * (kBounds.x1 + 40.5), 2 * (kBounds.y2 - 3.5)};
  ASSERT_EQ(by_point.depth.get(40, 3, 0), 3);
  expect_ok(by_number);
  EXPECT_EQ(host.render(*by_point.effect, kBounds, 0, 0.5), kOk);
  int sharp = 0, blurred = 0;
  for (int y = 0; y < 61; ++y)
    for (int x = 0; x < 97; ++x) {
      const int value = by_number.output.at<std::uint8_t>(x, y, 0),
                was = by_number.source.at<std::uint8_t>(x, y, 0);
      ASSERT_EQ(by_point.output.at<std::uint8_t>(x, y, 0), value);
      (value == was ? sharp : blurred) += 1;
    }
  EXPECT_GT(sharp, 500);
  EXPECT_GT(blurred, 1000);
}

TEST_F(OfxPlugin, FollowsParametersOverTime) {
  Scene scene(host, {kByte, kRgb, kBounds});
  scene.effect->params.all.at("blur").values = {0};
  scene.effect->params.all.at("blur").per_frame = 0.7;
  EXPECT_EQ(host.render(*scene.effect, kBounds, 10), kOk);
  expect_bits(scene, expected<std::uint8_t>(
                         scene, [&](auto... at) { return scene.source.at<std::uint8_t>(at...); }, 97));
}

TEST_F(OfxPlugin, SaysWhatIsWrong) {
  const auto message = [&](const std::function<void(Scene&)>& spoil) {
    Scene scene(host);
    spoil(scene);
    EXPECT_EQ(host.render(*scene.effect, kBounds), kFailed);
    EXPECT_EQ(scene.effect->images, 0);
    return scene.effect->message;
  };
  EXPECT_EQ(message([](Scene& scene) { scene.effect->clips.at("Source").has_frames = false; }),
            "scanlens: Source: no picture at frame 0; connect a clip that has this frame");
  EXPECT_EQ(message([](Scene& scene) { scene.effect->clips.at("Depth").has_frames = false; }),
            "scanlens: Depth: no picture at frame 0; connect a clip that has this frame");
  const auto spoil = [](const char* name, const char* value) {
    return [=](Scene& scene) { scene.effect->clips.at("Source").image.strings[name] = {value}; };
  };
  EXPECT_EQ(
      message(spoil("OfxImageEffectPropComponents", kAlphaOnly)),
      "scanlens: Source: components 'OfxImageComponentAlpha' are not supported; convert the clip to RGBA");
  EXPECT_EQ(message(spoil("OfxImageEffectPropPixelDepth", "OfxBitDepthNone")),
            "scanlens: Source: pixels of 'OfxBitDepthNone' are not supported; convert the clip to floats");
  EXPECT_EQ(message([](Scene& scene) {
              scene.effect->clips.at("Source").image.pointers["OfxImagePropData"] = nullptr;
            }),
            "scanlens: Source: the host gave an empty picture; report it to the host's makers");
  EXPECT_EQ(
      message([](Scene& scene) {
        scene.effect->clips.at("Output").image.numbers["OfxImagePropBounds"] = {0, 0, 9, 9};
      }),
      "scanlens: Output: the host asks for pixels that it does not hold; report it to the host's makers");
  EXPECT_NE(message([](Scene& scene) { scene.set("focus", 7); }).find("relative focus"), std::string::npos);
}

TEST_F(OfxPlugin, EndsARenderThatTheHostAborts) {
  constexpr RectI kLarge{0, 0, 2400, 1600};
  Scene scene(host, {kFloat, kRgb, kLarge}, {kByte, kAlphaOnly, kLarge});
  scene.effect->aborts = true;
  expect_ok(scene, kLarge);
  EXPECT_EQ(scene.effect->asked, 1);
  EXPECT_EQ(scene.effect->images, 0);
}

TEST_F(OfxPlugin, RendersInManyThreads) {
  Scene scene(host, {kByte, kRgba, kBounds});
  expect_ok(scene);
  const int rounds = is_set("SCANLENS_NIGHTLY") ? 125 : 4;
  std::atomic<int> wrong = 0;
  const auto work = [&] {
    Scene own(host, {kByte, kRgba, kBounds});
    for (int round = 0; round < rounds; ++round) {
      // One instance is shared by all threads, the other is the thread's own.
      if (host.render(*own.effect, kBounds) != kOk || host.render(*scene.effect, kBounds) != kOk) ++wrong;
      if (round % 2) host.act("OfxActionPurgeCaches");
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  expect_bits(scene, expected<std::uint8_t>(
                         scene, [&](auto... at) { return scene.source.at<std::uint8_t>(at...); }, 97));
}

}  // namespace
}  // namespace scanlens::test
