#include "app/batch/pipeline.h"

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <fstream>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "app/batch/tally.h"
#include "app/io/signals.h"
#include "app/io/text.h"
#include "app/session/threads.h"
#include "app/work/line.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Returns the bytes that the process has in memory.
std::int64_t resident_bytes() {
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

/// Returns the memory that pictures may take together. The program itself comes on top of --max-memory, but
/// not what drivers of GPUs take.
std::int64_t memory_of_pictures(const Settings& settings, const Workers& workers) {
  constexpr std::int64_t kProgram = 64 << 20;
  const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(settings.limits().max_bytes, INT64_MAX));
  if (settings.max_memory == 0 || !workers.devices.front().starts_with("cuda")) return limit;
  const std::int64_t drivers = std::max<std::int64_t>(0, resident_bytes() - kProgram);
  if (drivers >= limit)
    throw Error(fmt::format("--max-memory: drivers of GPUs take {} of {}; give more, or --device cpu",
                            bytes_text(static_cast<std::size_t>(drivers)),
                            bytes_text(static_cast<std::size_t>(limit))));
  return limit - drivers;
}

}  // namespace

void run_batch(const Plan& plan, const Workers& workers, const Talk& talk, const PictureMaker& make,
               const OutcomeSink& sink) {
  using Picture = std::shared_ptr<OnePicture>;
  Shared shared(talk.settings, workers.devices, workers.may_fall_back,
                memory_of_pictures(talk.settings, workers));
  std::vector<const Item*> items, postponed;
  for (const Item& item : plan.items) items.push_back(&item);
  std::size_t next = 0;
  std::deque<Picture> again;
  std::mutex queueing;

  Line<OnePicture> line;
  // This thread alone waits where memory is short. All other threads help the pictures at work.
  line.next = [&] {
    Picture picture;
    if (const std::lock_guard lock(queueing); !again.empty()) {
      picture = std::move(again.front());
      again.pop_front();
    }
    if (!picture && next < items.size()) picture = make(shared, *items[next++]);
    if (picture) picture->wait_for_memory();
    return picture;
  };
  const auto tell = [&](OnePicture& picture) {
    if (picture.dropped()) return;
    if (picture.begins_again()) {
      const std::lock_guard lock(queueing);
      return again.push_back(picture.shared_from_this());
    }
    if (picture.postponed())
      postponed.push_back(&picture.item());
    else
      sink(picture.outcome());
  };
  line.steps = {{Order::any, [](OnePicture& picture) { picture.open(); }},
                {Order::any, [](OnePicture& picture) { picture.work(); }},
                {Order::any, [](OnePicture& picture) { picture.commit(); }},
                {Order::one, tell}};

  const int cores = tbb::info::default_concurrency();
  const int jobs = workers.jobs > 0 ? workers.jobs : cores;
  if (jobs > cores) start_threads(jobs);
  line.window = static_cast<std::size_t>(jobs);
  tbb::task_arena arena(jobs);
  const auto run = [&] {
    do run_line(line);
    while (!again.empty() && !signal_noted());
  };
  arena.execute(run);
  if (postponed.empty() || signal_noted()) return;
  // The other run may fail or be killed: then they are made here.
  talk.say(fmt::format("{} left to another run at work here; --shard i/n divides a batch without waiting",
                       number_of_pictures(postponed.size())));
  items = std::move(postponed);
  next = 0;
  shared.waits_for_others = true;
  arena.execute(run);
}

}  // namespace scanlens
