// Times the stages of frames on the device that does OpenGL's work.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <string_view>
#include <vector>

#include "app/gl/context.h"
#include "app/gl/objects.h"

namespace scanlens {

enum class FrameStage { scene, blur, filters, show, panels };
inline constexpr std::string_view kStageNames[] = {"scene", "blur", "filters", "show", "panels"};
inline constexpr int kStages = 5;

/// Milliseconds.
struct FrameTimes {
  std::array<double, kStages> device = {};
  double frame = 0;  ///< from the frame before to this one, by the clock on the wall

  double device_sum() const {
    double sum = 0;
    for (const double ms : device) sum += ms;
    return sum;
  }
};

/// Asks OpenGL when each stage was done. Answers are taken some frames later, so that no frame waits for
/// them. Belongs to the OpenGL context.
class StageTimes {
 public:
  /// Keeps the times of the last `kept` frames.
  explicit StageTimes(std::size_t kept = 240) : kept_(kept) {}

  void begin_frame();
  void begin(FrameStage stage);
  void end(FrameStage stage);
  void end_frame();

  /// Returns the frames whose times are known, the oldest first.
  const std::deque<FrameTimes>& frames() const { return frames_; }

  /// Waits until those of all frames are known.
  void wait();

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    FrameTimes times;
    std::array<std::array<Query, 2>, kStages> queries;
    std::array<bool, kStages> asked = {};
  };
  bool take(Pending& pending, bool wait);

  std::size_t kept_;
  std::deque<Pending> pending_;
  std::vector<Pending> free_;
  std::deque<FrameTimes> frames_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace scanlens
