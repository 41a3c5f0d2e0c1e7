// Times of frames, stage by stage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/viewer/script/target.h"

namespace scanlens {

class Timing {
 public:
  /// Adds what is known of a frame.
  void add(const std::vector<StageTime>& stages);

  std::int64_t frames() const { return frames_; }

  /// Returns a table: a line for each stage with its least, median, 90th and 99th percentile, most and mean.
  /// A percentile between two frames is interpolated, as numpy.percentile does by default.
  std::string table() const;

  /// Returns {"frames", "stages": [{"name", "frames", "min", "p50", "p90", "p99", "max", "mean"}]}, in
  /// milliseconds.
  std::string json() const;

 private:
  struct Stage {
    std::string name;
    std::vector<double> milliseconds;
  };

  std::int64_t frames_ = 0;
  std::vector<Stage> stages_;  ///< in the order in which they came
};

}  // namespace scanlens
