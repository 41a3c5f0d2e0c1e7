#include "app/depth/guess.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/finish.h"
#include "app/depth/meaning/evidence.h"
#include "app/depth/meaning/understand.h"
#include "app/depth/network/network.h"

namespace scanlens {
namespace {

/// Warns of values that grow the wrong way over the picture, in which what is below is mostly nearer.
void doubt(RawDepth& raw) {
  const bool is_distance = raw.stated->kind == DepthKind::depth;
  // The evidence passes over what is not above 0, which relative values may be.
  const View<const float> values = std::as_const(raw.values).view();
  Image<float> lifted(values.width, values.height);
  float least = 0;
  for (std::int64_t i = 0; i < values.extent(); ++i) least = std::fmin(least, values.data[i]);
  std::transform(values.data, values.data + values.extent(), lifted.view().data,
                 [least](float value) { return least < 0 ? value - 2 * least : value; });
  const std::optional<double> growth = growth_towards_top(std::as_const(lifted).view());
  if (!growth || (is_distance ? *growth > -kClearGrowth : *growth < kClearGrowth)) return;
  raw.doubts.push_back(is_distance ? "its values grow towards the bottom of the picture, as inverse depth "
                                     "does; if it is that, say --network-output inverse"
                                   : "its values grow towards the top of the picture, as distances do; if "
                                     "they are, say --network-output distance, or metres");
}

RawDepth raw_of(const DepthNetwork& network, const PhotoRows& photo, std::optional<double> focal_length,
                const DepthOptions& options) {
  require_no_meaning(options, network.file().string(), "a network, whose values --network-output states");
  RawDepth raw = network.map_of(photo, focal_length);
  if (network.guesses_output()) doubt(raw);
  return raw;
}

}  // namespace

Depth guessed_depth(const DepthNetwork& network, const PhotoRows& photo, std::optional<double> focal_length,
                    const DepthOptions& options, const ChooseRange& choose) {
  RawDepth raw = raw_of(network, photo, focal_length, options);
  if (Stated& stated = *raw.stated; choose && !stated.metric) {
    const DepthRange range = choose({stated.farthest, stated.nearest});
    stated.farthest = range.farthest;
    stated.nearest = range.nearest;
    stated.normalised = "normalised as its neighbours are";
  }
  Depth depth = finished(std::move(raw), options, network.file().string());
  depth.covers_photo = true;
  return depth;
}

DepthMeaning guessed_meaning(const DepthNetwork& network, const PhotoRows& photo,
                             std::optional<double> focal_length, const DepthOptions& options) {
  return meaning_of(raw_of(network, photo, focal_length, options), options, network.file().string());
}

}  // namespace scanlens
