// Statistics of all frames of a clip together: for `stats`, and as one clip of a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "app/batch/measured_picture.h"
#include "app/batch/one_picture.h"
#include "app/session/talk.h"
#include "app/stats/merged.h"
#include "app/video/clip.h"
#include "core/context.h"
#include "filters/filter.h"

namespace scanlens {

/// Measures the frames, which have no depth and no mask, and calls each(how many so far) after each of them.
/// Warns of what is broken or missing. Returns how many frames there are. Throws Error where ffmpeg fails,
/// and usage where the selection asks for channels that the frames do not have.
std::int64_t measure_clip(const Clip& clip, const Selection& selection, std::span<const double> percents,
                          Context& context, MergedStatistics& all,
                          const std::function<void(std::int64_t frames)>& each, Talk& talk);

/// Adds the statistics of a clip's frames to those of all once the last frame was measured.
class MeasuredClip : public OnePicture {
 public:
  /// `place` is the clip's own among all pictures and clips.
  MeasuredClip(Shared& shared, const Measuring& measuring, const Item& item, std::size_t place,
               MergedStatistics& all);

  void open() override;
  void work() override;

 private:
  void drop() override;

  const Measuring& measuring_;
  const std::size_t place_;
  MergedStatistics& all_;
  std::optional<Clip> clip_;
};

}  // namespace scanlens
