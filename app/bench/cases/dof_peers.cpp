#include "app/bench/cases/dof_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/image.h"
#include "filters/lens.h"

namespace scanlens::bench {
namespace {

constexpr int kRgb = 3;

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
std::string check_unchanged(Context& context) {
  for (const bool plain : {true, false}) {
    const Image<std::uint8_t> expected = small_picture(plain);
    Image<float> slope(expected.width(), expected.height());
    for (std::int64_t i = 0; i < slope.view().extent(); ++i)
      slope.view().data[i] = static_cast<float>(i % slope.width()) / static_cast<float>(slope.width());
    const Image<std::uint8_t> image = upload(context, small_picture(plain));
    const Image<float> disparity = upload(context, std::move(slope));
    Image<std::uint8_t> out(context, expected.width(), expected.height(), kRgb);
    const float radius = plain ? 10 : 0;
    disc_gather(context, {image.view(), disparity.view(), relative_blur(0.5, radius), out.view()});
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

std::vector<Peer> dof_peers(Bench& bench, const DiscGather& call) {
  if (!bench.on_cuda()) return {};
  return {Peer{"disc gather, 64 taps", [&context = bench.context(), call] { disc_gather(context, call); },
               false, [&] { return check_unchanged(bench.context()); }}};
}

}  // namespace scanlens::bench
