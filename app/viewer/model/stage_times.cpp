#include "app/viewer/model/stage_times.h"

#include <utility>

namespace scanlens {

void StageTimes::begin_frame() {
  while (!pending_.empty() && take(pending_.front(), false)) {
  }
  if (free_.empty()) {
    free_.emplace_back();
    for (auto& pair : free_.back().queries)
      for (Query& query : pair) query = Query::create();
  }
  pending_.push_back(std::move(free_.back()));
  free_.pop_back();
  pending_.back().times = {};
  const Clock::time_point now = Clock::now();
  pending_.back().times.frame = std::chrono::duration<double, std::milli>(now - last_).count();
  last_ = now;
  pending_.back().asked = {};
}

void StageTimes::begin(FrameStage stage) {
  const auto at = static_cast<std::size_t>(stage);
  glQueryCounter(pending_.back().queries[at][0].id(), GL_TIMESTAMP);
}

void StageTimes::end(FrameStage stage) {
  const auto at = static_cast<std::size_t>(stage);
  glQueryCounter(pending_.back().queries[at][1].id(), GL_TIMESTAMP);
  pending_.back().asked[at] = true;
}

void StageTimes::end_frame() {
  // A device that lags behind by more frames than that is waited for.
  constexpr std::size_t kMostPending = 8;
  while (pending_.size() > kMostPending) take(pending_.front(), true);
}

void StageTimes::wait() {
  while (!pending_.empty()) take(pending_.front(), true);
}

/// Takes the answers of the frame that waits longest, where they are there, and says whether they were.
bool StageTimes::take(Pending& pending, bool wait) {
  for (std::size_t stage = 0; stage < kStages && !wait; ++stage) {
    if (!pending.asked[stage]) continue;
    GLint there = GL_FALSE;
    glGetQueryObjectiv(pending.queries[stage][1].id(), GL_QUERY_RESULT_AVAILABLE, &there);
    if (!there) return false;
  }
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    if (!pending.asked[stage]) continue;
    GLuint64 ns[2];
    for (int i = 0; i < 2; ++i)
      glGetQueryObjectui64v(pending.queries[stage][i].id(), GL_QUERY_RESULT, &ns[i]);
    pending.times.device[stage] = static_cast<double>(ns[1] - ns[0]) * 1e-6;
  }
  frames_.push_back(pending.times);
  if (frames_.size() > kept_) frames_.pop_front();
  free_.push_back(std::move(pending));
  pending_.pop_front();
  return true;
}

}  // namespace scanlens
