// Measures how near each quality of depth of field comes to what a real lens sees.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/context.h"
#include "tests/bench/quality.h"
#include "tests/bench/sizes.h"

namespace scanlens::bench {

struct QualitySettings {
  std::vector<Shape> shapes;         ///< of the pictures; both sides 11 at least
  int views = 512;                   ///< through the lens, for each truth
  std::filesystem::path references;  ///< the folder that keeps what is rendered; "" keeps nothing
  std::filesystem::path pictures;    ///< the folder that pictures side by side go to; "" for none
  std::function<void(const std::string&)> progress = {};     ///< what is being done
  std::function<void(const QualityResult&)> collected = {};  ///< a result, as soon as it is there
};

/// Measures every scene at each size, focused near, in the middle and far, each with three largest circles.
/// Throws Error: usage for sides that are too short, and what OpenGL, files and depth of field throw.
std::vector<QualityResult> measure_quality(Context& context, const QualitySettings& settings);

}  // namespace scanlens::bench
