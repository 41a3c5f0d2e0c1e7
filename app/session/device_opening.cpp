#include "app/session/device_opening.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <string>
#include <utility>

#include "app/session/gpus.h"

namespace scanlens {
namespace {

/// Milliseconds that a GPU takes to start and to take over a photo, beyond what is hidden by decoding; an
/// H200 took 310 (tests/bench/RESULTS.md).
constexpr double kGpuStartMs = 300;
/// Share of a thread's speed that is left where all threads work.
constexpr double kShareOfThread = 0.75;

double ms_on_all_threads(double ms_on_one) {
  const int threads = tbb::this_task_arena::max_concurrency();
  return threads == 1 ? ms_on_one : ms_on_one / (threads * kShareOfThread);
}

}  // namespace

void DeviceOpening::begin(std::optional<double> cpu_ms, std::function<void(Context&)> warm) {
  if (opening_.valid() || context_) return;
  std::string device = talk_.settings.device;
  if (device == "auto" && cpu_ms && ms_on_all_threads(*cpu_ms) < kGpuStartMs) {
    device = "cpu";
    talk_.note(
        fmt::format("--device auto takes the CPU: it needs about {:.0f} ms for this picture, and a "
                    "GPU {:.0f} ms to start",
                    ms_on_all_threads(*cpu_ms), kGpuStartMs));
  }
  see_gpus(device, 1);
  opening_ = std::async(std::launch::async, [device, warm = std::move(warm)] {
    Context context = Context::open(device);
    if (warm && context.on_cuda()) warm(context);
    return context;
  });
}

Context& DeviceOpening::context() {
  if (context_) return *context_;
  begin();
  context_.emplace(talk_.timed("start", [&] { return opening_.get(); }));
  talk_.introduce(*context_);
  return *context_;
}

}  // namespace scanlens
