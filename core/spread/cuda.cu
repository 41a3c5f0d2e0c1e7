#include <utility>

#include "core/spread.h"
#include "core/spread/backends.h"
#include "core/spread/cuda.cuh"

namespace scanlens::gpu {
namespace {

template <int kChannels_>
struct Given {
  static constexpr int kChannels = kChannels_, kRows = 1;
  SpreadTask task;

  __device__ std::uint32_t layers(int x, int y) const {
    const auto layer = static_cast<unsigned>(task.boxes(x, y, 0));
    return layer < static_cast<unsigned>(min(task.layers, kMostTurns)) ? 1u << layer : 0;
  }

  template <class Add>
  __device__ void deposit(int x, int y, const Add& add) const {
    if (x >= task.values.width || y >= task.values.height) return;
    const std::int32_t* box = task.boxes.row(y) + std::int64_t{x} * 3;
    if (box[0] < 0 || box[0] >= task.layers || !add.takes(box[0])) return;
    SpreadValues<kChannels> values;
    for (int c = 0; c < kChannels; ++c) values.of[c] = task.values(x, y, c);
    add(box[0], SpreadBox{x - box[1], x + box[1] + 1, y - box[2], y + box[2] + 1}, values);
  }
};

template <int... kChannels>
void spread_of(Context& context, const SpreadTask& task, std::integer_sequence<int, kChannels...>) {
  const auto with = [&]<int kCount>(std::integral_constant<int, kCount>) {
    spread(context, Given<kCount>{task}, task.fields, task.layers);
  };
  ((task.values.channels == kChannels + 1 ? with(std::integral_constant<int, kChannels + 1>()) : void()),
   ...);
}

}  // namespace

void spread_boxes(Context& context, const SpreadTask& task) {
  spread_of(context, task, std::make_integer_sequence<int, kMostSpreadChannels>());
}

}  // namespace scanlens::gpu
