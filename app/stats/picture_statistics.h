// Statistics of one picture in host memory, computed on a context's device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "app/io/picture.h"
#include "app/session/session.h"
#include "core/context.h"
#include "core/image.h"
#include "filters/statistics.h"

namespace scanlens {

/// Names a picture and what lies beside it, in host memory and of one size.
struct StatsSources {
  const Picture& picture;
  const Depth& depth;        ///< its disparity is empty without depth
  const Image<float>& mask;  ///< empty without one
  Blur blur = {};            ///< what coc stands for
};

struct PictureStatistics {
  std::uint64_t pixels = 0;  ///< of the picture
  bool metric_depth = false;
  std::vector<ChannelStatistics> channels;
};

/// Throws Error (usage) that begins with `name` when a selection asks for channels that the picture does not
/// have.
void require_channels(const Selection& selection, const Picture& picture, const std::string& name);

/// Does pixel_statistics, for percents_asked_for(percents). The talk notes the times of "upload" and
/// "statistics". Throws Error (retry) that begins with `name` when memory does not suffice.
PictureStatistics picture_statistics(Context& context, const StatsSources& sources,
                                     const Selection& selection, std::span<const double> percents,
                                     const std::string& name, Talk& talk);

}  // namespace scanlens
