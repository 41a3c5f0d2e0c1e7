#include "core/spread/cpu.h"

#include <utility>
#include <vector>

#include "core/spread.h"
#include "core/spread/backends.h"

namespace scanlens::cpu {
namespace {

/// Returns how many rows the farthest box reaches.
int farthest_reach(const SpreadTask& task) {
  int reach = 0;
  for (std::int64_t y = 0; y < task.boxes.height; ++y)
    for (std::int64_t x = 0; x < task.boxes.width; ++x)
      if (task.boxes(x, y, 0) >= 0 && task.boxes(x, y, 0) < task.layers)
        reach = std::max(reach, task.boxes(x, y, 2));
  return reach;
}

template <int kChannels>
class Spreading {
 public:
  using Band = SpreadBand<kChannels>;

  Spreading(const SpreadTask& task, int reach) : task_(task), reach_(reach) {}

  void run(Band& band, int first, int end) const {
    const auto height = static_cast<std::int64_t>(task_.values.height);
    band.start(first, end);
    std::int64_t y = std::max<std::int64_t>(0, std::int64_t{first} - reach_);
    for (int finished = first; finished < end; ++finished) {
      for (; y < height && y <= std::int64_t{finished} + reach_; ++y) deposit_row(band, static_cast<int>(y));
      band.finish(finished);
      write(band, finished);
    }
  }

 private:
  void deposit_row(Band& band, int y) const {
    for (int x = 0; x < task_.values.width; ++x) {
      const std::int32_t* box = task_.boxes.row(y) + std::int64_t{x} * 3;
      if (box[0] < 0 || box[0] >= task_.layers) continue;
      typename Band::Values values = {};
      for (int c = 0; c < kChannels; ++c) values.of[c] = task_.values(x, y, c);
      band.deposit(box[0], {x - box[1], x + box[1] + 1, y - box[2], y + box[2] + 1}, values);
    }
  }

  void write(const Band& band, int y) const {
    for (int l = 0; l < task_.layers; ++l) {
      const auto* field = band.field(l);
      for (int c = 0; c < kChannels; ++c) {
        std::uint32_t* out = task_.fields.row((std::int64_t{l} * kChannels + c) * task_.values.height + y);
        for (std::int64_t x = 0; x < task_.values.width; ++x) out[x] = field ? field[x].of[c] : 0;
      }
    }
  }

  const SpreadTask& task_;
  int reach_;
};

template <int kChannels>
void spread(Context& context, const SpreadTask& task) {
  using Band = SpreadBand<kChannels>;
  const int reach = farthest_reach(task);
  Workspace workspace(context);
  std::vector<Band> bands;
  for (int i = 0; i < spread_workers(task.values.height, reach); ++i)
    bands.emplace_back(workspace, static_cast<int>(task.values.width), static_cast<int>(task.values.height),
                       task.layers, reach);
  const Spreading<kChannels> spreading(task, reach);
  for_each_spread_band(task.values.height, reach,
                       [&](int worker, int first, int end) { spreading.run(bands[worker], first, end); });
}

template <int... kChannels>
void spread_of(Context& context, const SpreadTask& task, std::integer_sequence<int, kChannels...>) {
  ((task.values.channels == kChannels + 1 ? spread<kChannels + 1>(context, task) : void()), ...);
}

}  // namespace

void spread_boxes(Context& context, const SpreadTask& task) {
  spread_of(context, task, std::make_integer_sequence<int, kMostSpreadChannels>());
}

}  // namespace scanlens::cpu
