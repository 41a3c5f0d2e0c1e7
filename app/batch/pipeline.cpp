#include "app/batch/pipeline.h"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "app/batch/one_picture.h"
#include "app/io/signals.h"

namespace scanlens {

void run_batch(const Plan& plan, const Work& work, const Session& session, const OutcomeSink& sink) {
  using Picture = std::shared_ptr<OnePicture>;
  Shared shared{
      work, session,
      Budget(static_cast<std::int64_t>(std::min<std::size_t>(session.limits().max_bytes, INT64_MAX))),
      Lanes(work.devices), Lanes({"cpu"})};
  std::size_t next = 0;
  std::mutex sinking;

  const auto begin = [&](tbb::flow_control& flow) -> Picture {
    if (next < plan.items.size() && !signal_noted())
      return std::make_shared<OnePicture>(shared, plan.items[next++]);
    flow.stop();
    return nullptr;
  };
  const auto open = [](const Picture& picture) {
    picture->judge();
    picture->open();
    return picture;
  };
  const auto filter = [](const Picture& picture) {
    picture->filter();
    return picture;
  };
  const auto commit = [&](const Picture& picture) {
    picture->commit();
    if (picture->dropped()) return;
    const std::lock_guard lock(sinking);
    sink(picture->outcome());
  };

  const auto jobs = static_cast<std::size_t>(work.jobs);
  const tbb::global_control threads(
      tbb::global_control::max_allowed_parallelism,
      std::max(jobs, static_cast<std::size_t>(tbb::info::default_concurrency())));
  tbb::task_arena arena(work.jobs);
  arena.execute([&] {
    using tbb::filter_mode;
    tbb::parallel_pipeline(jobs, tbb::make_filter<void, Picture>(filter_mode::serial_in_order, begin) &
                                     tbb::make_filter<Picture, Picture>(filter_mode::parallel, open) &
                                     tbb::make_filter<Picture, Picture>(filter_mode::parallel, filter) &
                                     tbb::make_filter<Picture, void>(filter_mode::parallel, commit));
  });
}

}  // namespace scanlens
