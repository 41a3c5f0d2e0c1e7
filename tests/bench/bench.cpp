#include "tests/bench/bench.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>

#include "core/cpu/task_record.h"
#include "core/devices.h"
#include "core/error.h"
#include "core/graph.h"
#include "core/image.h"
#include "tests/bench/copy.h"
#include "tests/bench/waits.h"

namespace scanlens::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRounds = 20;
/// Factor over the tuned copy that no kernel on a GPU reaches if it does its work.
constexpr double kMostOverCopy = 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns how many calls last about two milliseconds, so that neither the launch of the graph nor the
/// clock's resolution counts.
int calls_per_replay(Context& context, const Work& work) {
  constexpr double kReplayMs = 2, kMostCalls = 50, kSlowMs = 50;
  double once = context.time(work);
  if (once < kSlowMs) once = context.time(work);  // the first call may have had to allocate
  return static_cast<int>(std::clamp(kReplayMs / std::max(once, 1e-4), 1.0, kMostCalls));
}

Timing summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

/// Returns the begin of a call's copy, on 16 bytes: behind the calls before it, or with them where they share
/// arrays.
std::byte* place(const Memory& memory, std::int64_t call, std::int64_t bytes) {
  const std::int64_t begin = call * bytes / 16 * 16;
  return memory.data() + (begin + bytes <= static_cast<std::int64_t>(memory.bytes()) ? begin : 0);
}

}  // namespace

void Bench::attempt(const std::string& what, const Work& work) {
  if (settings_.progress) settings_.progress(context_.device().id + " " + what);
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::retry) throw;
    collected_.shortage = what + ": skipped: " + error.what();
    settings_.complain(collected_.shortage);
  }
}

void Bench::make_room(Memory& memory, std::int64_t bytes) {
  const std::size_t needed = static_cast<std::size_t>(bytes) + 16 * kAlignment;  // 16 spans and their padding
  if (memory.bytes() >= needed) return;
  memory = Memory();
  memory = Memory(context_.backend(), needed, std::max(context_.cuda_ordinal(), 0));
}

void Bench::reserve(std::int64_t source_bytes, std::int64_t target_bytes) {
  context_.synchronize();
  const auto needed = static_cast<std::size_t>(source_bytes + target_bytes);
  if (needed > context_.available_memory() + source_.bytes() + target_.bytes())
    throw Error(ErrorKind::retry, "its arrays take " + std::to_string(needed >> 20) + " MiB, more than " +
                                      context_.device().id + " has free");
  make_room(source_, source_bytes);
  make_room(target_, target_bytes);
  source_used_ = target_used_ = 0;
}

void Bench::move(const void* from, void* to, std::size_t bytes) {
  const auto row = static_cast<std::int64_t>(bytes);
  copy_bytes(context_, from, row, to, row, row, 1);
}

Work Bench::fastest_copy(std::int64_t bytes_read, std::int64_t bytes_written, std::int64_t calls) {
  constexpr std::size_t kRounds = 5;
  std::vector<Work> works;
  for (int shape = 0; shape < copy_shapes(context_); ++shape)
    works.push_back([=, this] {
      for (std::int64_t call = 0; call < calls; ++call)
        move_bytes(context_, shape, place(source_, call, bytes_read), bytes_read,
                   place(target_, call, bytes_written), bytes_written);
    });
  const std::vector<Timing> timings = race(works, kRounds);
  const auto faster = [](const Timing& a, const Timing& b) { return a.ms < b.ms; };
  return works[static_cast<std::size_t>(std::min_element(timings.begin(), timings.end(), faster) -
                                        timings.begin())];
}

// The works take turns, so that a change of the clock rate or a neighbour's load meets all alike.
std::vector<Timing> Bench::race(const std::vector<Work>& works, std::size_t most_rounds) {
  constexpr std::size_t kLeastRounds = 3;
  const double seconds_each = settings_.quick ? 0.05 : 0.3;

  struct Entry {
    Graph graph;
    int calls;
    std::vector<double> times;
  };
  std::vector<Entry> entries;
  for (const Work& work : works) {
    const int calls = calls_per_replay(context_, work);
    entries.push_back({Graph(context_,
                             [work, calls] {
                               for (int call = 0; call < calls; ++call) work();
                             }),
                       calls,
                       {}});
  }
  const Clock::time_point start = Clock::now();
  const double most_seconds = seconds_each * static_cast<double>(works.size());
  for (std::size_t round = 0; round < most_rounds; ++round) {
    if (round >= kLeastRounds && seconds_since(start) > most_seconds) break;
    for (Entry& entry : entries)
      entry.times.push_back(context_.time([&] { entry.graph.replay(); }) / entry.calls);
  }
  std::vector<Timing> timings;
  for (Entry& entry : entries) timings.push_back(summary(std::move(entry.times)));
  return timings;
}

// The target is filled with random bits first: what the work forgets to write must not look right because
// another wrote it.
std::string Bench::wrong_after(const Work& work, const std::function<std::string()>& verify) {
  const std::span<std::uint64_t> everything(reinterpret_cast<std::uint64_t*>(target_.data()),
                                            target_used_ / 8);
  fill(context_, everything, Input::random(0x5eed));
  work();
  context_.synchronize();
  return verify();
}

void Bench::collect(Result result) {
  if (!result.verified()) {
    ++collected_.wrong;
    settings_.complain(result.primitive + " " + result.variant + " " + result.type + " " + result.size +
                       ": WRONG: " + result.wrong);
  }
  if (settings_.collected) settings_.collected(result);
  collected_.results.push_back(std::move(result));
}

/// Returns what an Error says that the work throws; "" when it throws none.
std::string Bench::failure_of(const Work& work) {
  try {
    work();
    context_.synchronize();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

void Bench::run(const Case& one) {
  Result result;
  result.primitive = one.primitive;
  result.variant = one.variant;
  result.type = one.type;
  result.plan = one.plan;
  result.size = one.size;
  result.device = context_.device().id;
  result.elements = one.elements;
  result.bytes = one.bytes_read + one.bytes_written;
  result.in_cache = result.bytes * one.calls <= cache_bytes(context_);
  result.wrong = wrong_after(one.ours, one.verify);
  if (!result.verified()) return collect(std::move(result));
  const std::string name = one.primitive + " " + one.variant + " " + one.type + " " + one.size;

  std::vector<Work> works = {one.ours, fastest_copy(one.bytes_read, one.bytes_written, one.calls)};
  std::vector<std::size_t> timed;  // the peers, by their places, that `works` holds from its third on
  for (const Peer& peer : one.peers) {
    if (std::string failed = failure_of(peer.work); !failed.empty()) {
      settings_.complain(peer.name + ", " + name + ": failed: " + failed);
      result.peers.push_back({peer.name, {}, std::move(failed)});
      continue;
    }
    const auto& verify = peer.same_result ? one.verify : peer.verify;
    const std::string wrong = verify ? wrong_after(peer.work, verify) : "";
    if (!wrong.empty()) {
      ++collected_.wrong;
      settings_.complain(peer.name + ", " + one.variant + " " + one.type + " " + one.size +
                         ": WRONG: " + wrong);
    } else {
      works.push_back(peer.work);
      timed.push_back(result.peers.size());
      result.peers.push_back({peer.name, {}});
    }
  }
  if (!one.is_queued) works.erase(works.begin());
  std::vector<Timing> timings = race(works, kMostRounds);
  if (!one.is_queued) timings.insert(timings.begin(), time_waiting(*this, one.ours));
  for (Timing& timing : timings) {
    const auto calls = static_cast<double>(one.calls);
    timing = {timing.ms / calls, timing.least / calls, timing.most / calls};
  }
  result.ours = timings[0];
  result.bound_ms = timings[1].ms;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    PeerResult& peer = result.peers[timed[i]];
    peer.time = timings[i + 2];
    // NPP reports success even where the GPU refused its kernel.
    if (on_cuda() && peer.time.ms < result.bound_ms / kMostOverCopy) {
      peer.failed = "it took less than a tenth of the time of a copy, so its work was not done";
      settings_.complain(peer.name + ", " + name + ": failed: " + peer.failed);
    }
  }
  for (const int threads : settings_.threads)
    if (!on_cuda()) result.threads.push_back(on_threads(one, threads));
  collect(std::move(result));
}

ThreadsTiming Bench::on_threads(const Case& one, int threads) {
  constexpr int kRounds = 5;
  ThreadsTiming best{threads, 1e30, 1e30, 1e30};
  for (int round = 0; round < kRounds; ++round) {
    tbb::task_arena(threads).execute([&] { best.ms = std::min(best.ms, context_.time(one.ours)); });
    const cpu::TaskRecord record(threads);
    one.ours();
    best.work = std::min(best.work, record.work());
    best.span = std::min(best.span, record.span());
  }
  const auto calls = static_cast<double>(one.calls);
  return {threads, best.ms / calls, best.work / calls, best.span / calls};
}

}  // namespace scanlens::bench
