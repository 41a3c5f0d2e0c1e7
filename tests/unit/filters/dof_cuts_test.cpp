// The cuts of a picture's depth into layers: a slow pull shows no step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "filters/dof/layers_formula.h"

namespace scanlens {
namespace {

/// The share of the nearer circle's light in layers before the farther one's.
double share_before(float nearer, float farther, const LayerCuts& cuts) {
  const LayerShare a = layer_share(nearer, cuts), b = layer_share(farther, cuts);
  const double behind_a = static_cast<double>(a.behind) / kShareSteps,
               behind_b = static_cast<double>(b.behind) / kShareSteps;
  double share = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      if (a.layer + i < b.layer + j) share += (i ? behind_a : 1 - behind_a) * (j ? behind_b : 1 - behind_b);
  return share;
}

constexpr float kPull = 0.01f;

/// Pulls by kPull from `first` to `last`; circle(u, pull) is that of the depth u, from 0, the farthest, to 1.
template <class Circle>
void expect_no_step(int layers, float first, float last, const Circle& circle) {
  // A layer is a pixel deep at least, and pixels and cuts move as far as the pull.
  constexpr double kMostStep = 5 * kPull;
  for (float pull = first; pull < last; pull += kPull) {
    const float next = pull + kPull;
    const LayerCuts cuts = layer_cuts(layers, circle(0, pull), circle(1, pull)),
                    pulled = layer_cuts(layers, circle(0, next), circle(1, next));
    for (float nearer = 1; nearer >= 0; nearer -= 0.021f)
      for (float farther = nearer; farther >= 0; farther -= 0.017f)
        ASSERT_NEAR(share_before(circle(nearer, pull), circle(farther, pull), cuts),
                    share_before(circle(nearer, next), circle(farther, next), pulled), kMostStep)
            << layers << " layers, circles " << circle(nearer, pull) << " and " << circle(farther, pull)
            << " of " << circle(0, pull) << " .. " << circle(1, pull);
  }
}

TEST(LayerCuts, APullOfTheRadiusShowsNoStep) {
  struct Depths {
    float least, most;  ///< in largest circles
  };
  for (const int layers : {3, kMostDofLayers})
    for (const Depths& of :
         {Depths{-1, 1}, {-1, 0.2f}, {-0.2f, 1}, {-1, 0}, {0, 1}, {-1, -0.5f}, {-0.11f, 1}})
      expect_no_step(layers, 0, 20,
                     [&](float u, float largest) { return (of.least + u * (of.most - of.least)) * largest; });
}

TEST(LayerCuts, APullOfTheFocusShowsNoStep) {
  for (const int layers : {3, kMostDofLayers})
    for (const float depth : {3.f, 8.f, 9.78f, 14.f, 30.f})
      expect_no_step(layers, 0, depth, [&](float u, float focus) { return u * depth - focus; });
}

TEST(LayerCuts, AreInOrderAndNoMoreThanTheLayers) {
  for (const int layers : {3, kMostDofLayers})
    for (float least = 0; least > -300; least = least * 1.07f - 0.3f)
      for (float most = 0; most < 300; most = most * 1.07f + 0.3f) {
        const LayerCuts cuts = layer_cuts(layers, least, most);
        ASSERT_GE(cuts.count, 2);
        ASSERT_LT(cuts.count, layers);
        for (int i = 0; i < cuts.count; ++i) {
          ASSERT_GT(cuts.zone[i], 0);
          if (i > 0) {
            ASSERT_LE(cuts.at[i], cuts.at[i - 1] - cuts.zone[i - 1] * 0.9999f);
          }
        }
        EXPECT_EQ(layer_of(0, cuts), layer_share(0, cuts).layer) << "the focus has a layer of its own";
      }
}

/// Depth of the deepest layer behind the focus, relative to the least deep one.
float unevenness_behind(float least, float most) {
  const LayerCuts cuts = layer_cuts(kMostDofLayers, least, most);
  float shallowest = 1e9f, deepest = 0;
  for (int i = 0; i < cuts.count; ++i) {
    if (cuts.at[i] > 0) continue;
    const float deep = cuts.at[i] - (i + 1 < cuts.count ? cuts.at[i + 1] : least);
    shallowest = std::min(shallowest, deep);
    deepest = std::max(deepest, deep);
  }
  return deepest / shallowest;
}

TEST(LayerCuts, NoneIsLeftOutWhereAllLiesOnOneSideOfTheFocus) {
  for (const float depth : {12.f, 24.f, 64.f}) {
    EXPECT_EQ(layer_cuts(kMostDofLayers, -depth, 0).count, kMostDofLayers - 1);
    EXPECT_EQ(layer_cuts(kMostDofLayers, 0, depth).count, kMostDofLayers - 1);
    EXPECT_LT(unevenness_behind(-depth, 0), 2) << "and layers are about equally deep";
    EXPECT_GT(unevenness_behind(-depth, depth), 2);
  }
}

}  // namespace
}  // namespace scanlens
