#include "tests/bench/cases/dof_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/image.h"
#include "filters/color_tables.h"
#include "filters/lens.h"
#include "tests/bench/verify.h"

namespace scanlens::bench {
namespace {

constexpr int kRgb = 3;

/// A random picture and its disparity, as the host knows them.
struct Scene {
  Blur blur;
  View<const float> disparity;

  double circle(int x, int y) const { return gathered_circle(disparity(x, y), blur); }
  double light(int x, int y, int c) const {
    const std::int64_t sample = (y * disparity.width + x) * kRgb + c;
    return srgb8_to_linear16()[Input::random().at<std::uint8_t>(static_cast<std::uint64_t>(sample))];
  }
};

/// Sums up all pixels that are no farther than the largest radius, and returns whether a result is their
/// mean, to one code.
bool is_mean_of_disc(const Scene& scene, int x, int y, const std::uint8_t* out) {
  const int most = static_cast<int>(scene.blur.most) + 1;
  const auto right = std::min(static_cast<int>(scene.disparity.width) - 1, x + most);
  const auto bottom = std::min(static_cast<int>(scene.disparity.height) - 1, y + most);
  const double own = scene.circle(x, y);
  double sums[kRgb] = {}, weights = 0;
  for (int j = std::max(0, y - most); j <= bottom; ++j)
    for (int i = std::max(0, x - most); i <= right; ++i) {
      const double circle = scene.circle(i, j), size = std::abs(circle);
      const double radius = circle < own ? std::min(size, std::abs(own)) : size;
      if (std::hypot(i - x, j - y) > radius) continue;
      const double weight = 1 / std::max(1.0, 3.14159265358979 * circle * circle);
      for (int c = 0; c < kRgb; ++c) sums[c] += weight * scene.light(i, j, c);
      weights += weight;
    }
  for (int c = 0; c < kRgb; ++c) {
    const auto entry = static_cast<std::size_t>(sums[c] / weights + 0.5);
    if (std::abs(linear16_to_srgb8()[entry] - out[c]) > 1) return false;
  }
  return true;
}

/// Checks a few hundred pixels against the sums over their discs.
std::string check_disc(const Scene& scene, View<const std::uint8_t> out) {
  FirstWrong wrong;
  for_some_pixels(out.width, out.height, [&](int x, int y) {
    if (!is_mean_of_disc(scene, x, y, &out(x, y))) wrong.note(y * out.width + x);
  });
  return wrong.text("pixel");
}

/// A small picture: of one colour, or random.
Image<std::uint8_t> small_picture(bool plain) {
  constexpr std::uint8_t kColor[kRgb] = {3, 129, 254};
  Image<std::uint8_t> picture(203, 117, kRgb);
  for (std::int64_t i = 0; i < picture.view().extent(); ++i)
    picture.view().data[i] =
        plain ? kColor[i % kRgb] : Input::random().at<std::uint8_t>(static_cast<std::uint64_t>(i));
  return picture;
}

/// Says whether a gather changes what it should not: a picture of one colour, blurred more and less, and any
/// picture without a blur.
std::string check_unchanged(Context& context, GatherFrom from) {
  for (const bool plain : {true, false}) {
    const Image<std::uint8_t> expected = small_picture(plain);
    Image<float> slope(expected.width(), expected.height());
    for (std::int64_t i = 0; i < slope.view().extent(); ++i)
      slope.view().data[i] = static_cast<float>(i % slope.width()) / static_cast<float>(slope.width());
    const Image<std::uint8_t> image = upload(context, small_picture(plain));
    const Image<float> disparity = upload(context, std::move(slope));
    Image<std::uint8_t> out(context, expected.width(), expected.height(), kRgb);
    const float radius = plain ? 10 : 0;
    disc_gather(context, {image.view(), disparity.view(), relative_blur(0.5, radius), out.view()}, from);
    out = download(context, std::move(out));
    const std::uint8_t* const end = expected.view().data + expected.view().extent();
    const auto [was, became] = std::mismatch<const std::uint8_t*>(expected.view().data, end, out.view().data);
    if (was != end)
      return fmt::format("{} changes: sample {}, of {} rows of {}, from {} to {}",
                         plain ? "a picture of one colour" : "a picture without a blur",
                         was - expected.view().data, expected.height(), kRgb * expected.width(), *was,
                         *became);
  }
  return "";
}

}  // namespace

std::vector<Peer> dof_peers(Bench& bench, const DiscGather& call, const std::vector<float>& plane) {
  if (!bench.on_cuda()) return {};
  const auto peer = [&](const char* name, GatherFrom from) {
    return Peer{name, [&context = bench.context(), call, from] { disc_gather(context, call, from); }, false,
                [&, call, from] {
                  const std::string changed = check_unchanged(bench.context(), from);
                  if (!changed.empty() || from == GatherFrom::spiral) return changed;
                  const Scene scene{call.blur, {plane.data(), call.image.width, call.image.height}};
                  const std::span made(call.out.data, static_cast<std::size_t>(call.out.extent()));
                  return check_disc(scene, {bench.host(made).data(), call.out.width, call.out.height, kRgb});
                }};
  };
  return {peer("disc gather, 64 taps", GatherFrom::spiral), peer("disc gather, full", GatherFrom::disc)};
}

}  // namespace scanlens::bench
