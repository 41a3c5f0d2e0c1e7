#include "app/batch/pipeline.h"

#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "app/io/signals.h"
#include "app/session/threads.h"

namespace scanlens {

void run_batch(const Plan& plan, const Workers& workers, const Session& session, const PictureMaker& make,
               const OutcomeSink& sink) {
  using Picture = std::shared_ptr<OnePicture>;
  Shared shared{
      session, workers.may_fall_back,
      Budget(static_cast<std::int64_t>(std::min<std::size_t>(session.limits().max_bytes, INT64_MAX))),
      Lanes(workers.devices), Lanes({"cpu"})};
  std::size_t next = 0;
  std::mutex sinking;

  const auto begin = [&](tbb::flow_control& flow) -> Picture {
    if (next < plan.items.size() && !signal_noted()) return make(shared, plan.items[next++]);
    flow.stop();
    return nullptr;
  };
  const auto open = [](const Picture& picture) {
    picture->open();
    return picture;
  };
  const auto do_work = [](const Picture& picture) {
    picture->work();
    return picture;
  };
  const auto commit = [&](const Picture& picture) {
    picture->commit();
    if (picture->dropped()) return;
    const std::lock_guard lock(sinking);
    sink(picture->outcome());
  };

  const int cores = tbb::info::default_concurrency();
  const int jobs = workers.jobs > 0 ? workers.jobs : cores;
  if (jobs > cores) start_threads(jobs);
  tbb::task_arena arena(jobs);
  arena.execute([&] {
    using tbb::filter_mode;
    tbb::parallel_pipeline(static_cast<std::size_t>(jobs),
                           tbb::make_filter<void, Picture>(filter_mode::serial_in_order, begin) &
                               tbb::make_filter<Picture, Picture>(filter_mode::parallel, open) &
                               tbb::make_filter<Picture, Picture>(filter_mode::parallel, do_work) &
                               tbb::make_filter<Picture, void>(filter_mode::parallel, commit));
  });
}

}  // namespace scanlens
