#include "app/batch/pipeline.h"

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/batch/tally.h"
#include "app/io/signals.h"
#include "app/session/threads.h"

namespace scanlens {

void run_batch(const Plan& plan, const Workers& workers, const Session& session, const PictureMaker& make,
               const OutcomeSink& sink) {
  using Picture = std::shared_ptr<OnePicture>;
  Shared shared{
      session.for_workers(),
      workers.may_fall_back,
      false,
      Budget(static_cast<std::int64_t>(std::min<std::size_t>(session.limits().max_bytes, INT64_MAX))),
      Lanes(workers.devices),
      Lanes({"cpu"})};
  std::vector<const Item*> items, postponed;
  for (const Item& item : plan.items) items.push_back(&item);
  std::size_t next = 0;

  const auto begin = [&](tbb::flow_control& flow) -> Picture {
    if (next < items.size() && !signal_noted()) return make(shared, *items[next++]);
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
  const auto commit = [](const Picture& picture) {
    picture->commit();
    return picture;
  };
  const auto tell = [&](const Picture& picture) {
    if (picture->dropped()) return;
    if (picture->postponed())
      postponed.push_back(&picture->item());
    else
      sink(picture->outcome());
  };

  const int cores = tbb::info::default_concurrency();
  const int jobs = workers.jobs > 0 ? workers.jobs : cores;
  if (jobs > cores) start_threads(jobs);
  tbb::task_arena arena(jobs);
  const auto run = [&] {
    using tbb::filter_mode;
    tbb::parallel_pipeline(static_cast<std::size_t>(jobs),
                           tbb::make_filter<void, Picture>(filter_mode::serial_in_order, begin) &
                               tbb::make_filter<Picture, Picture>(filter_mode::parallel, open) &
                               tbb::make_filter<Picture, Picture>(filter_mode::parallel, do_work) &
                               tbb::make_filter<Picture, Picture>(filter_mode::parallel, commit) &
                               tbb::make_filter<Picture, void>(filter_mode::serial_out_of_order, tell));
  };
  arena.execute(run);
  if (postponed.empty() || signal_noted()) return;
  // The other run may fail or be killed: then they are made here.
  session.say(fmt::format("{} left to another run at work here; --shard i/n divides a batch without waiting",
                          number_of_pictures(postponed.size())));
  items = std::move(postponed);
  next = 0;
  shared.waits_for_others = true;
  arena.execute(run);
}

}  // namespace scanlens
