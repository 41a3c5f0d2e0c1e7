#include "tests/bench/ranks/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>

#include "core/devices.h"
#include "core/error.h"
#include "core/image.h"
#include "core/ranks.h"
#include "core/reduce.h"
#include "core/scan.h"
#include "tests/bench/input.h"
#include "tests/bench/ranks/options.h"
#include "tests/bench/ranks/plain.h"
#include "tests/bench/ranks/processes.h"
#include "tests/bench/sizes.h"

namespace scanlens::bench {
namespace {

using Queue = std::function<void()>;

/// Milliseconds of a call, the least of a few rounds of several.
double milliseconds(const Queue& call, const Queue& synchronize) {
  constexpr int kRounds = 5, kCalls = 4;
  call();
  synchronize();
  double least = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    synchronize();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count() / kCalls);
  }
  return least;
}

/// An array of every rank of this process.
template <class T>
struct Arrays {
  std::vector<Memory> memory;
  std::vector<std::span<T>> parts;
  std::vector<std::span<const T>> in;

  Arrays(const std::vector<Context*>& contexts, std::int64_t each) {
    for (Context* context : contexts) {
      memory.emplace_back(*context, static_cast<std::size_t>(each) * sizeof(T));
      parts.emplace_back(reinterpret_cast<T*>(memory.back().data()), static_cast<std::size_t>(each));
      in.emplace_back(parts.back());
    }
  }
};

constexpr int kChannels = 3;

/// Work on a part of `each` elements, or of `rows` rows, on the ranks or on one context.
struct Measured {
  std::optional<double> scan, reduce, sort, table, plain_scan, plain_reduce;
};

class RanksBench {
 public:
  RanksBench(std::vector<Context*> contexts, int first, Ranks* ranks)
      : contexts_(std::move(contexts)), first_(first), ranks_(ranks) {}

  double time(const Queue& call) const {
    return milliseconds(call, [this] {
      if (ranks_) return ranks_->synchronize();
      contexts_.front()->synchronize();
    });
  }

  void arrays(std::int64_t each, Measured& measured) {
    Arrays<std::uint32_t> in(contexts_, each), out(contexts_, each), sum(contexts_, 1);
    std::vector<std::uint32_t*> sums;
    for (std::size_t i = 0; i < contexts_.size(); ++i) {
      fill(*contexts_[i], in.parts[i], Input::random(static_cast<std::uint64_t>(first_) + i));
      sums.push_back(sum.parts[i].data());
    }
    const Parts<const std::uint32_t> from = in.in;
    const Parts<std::uint32_t> to = out.parts;
    Context& context = *contexts_.front();
    measured.reduce = time([&] {
      ranks_ ? reduce<std::uint32_t, std::uint32_t>(*ranks_, from, sums) : reduce(context, from[0], sums[0]);
    });
    measured.scan = time([&] {
      ranks_ ? inclusive_scan<std::uint32_t, std::uint32_t>(*ranks_, from, to)
             : inclusive_scan(context, from[0], to[0]);
    });
    if (!ranks_ || ranks_->first() + ranks_->local() == ranks_->count())
      require_equal(sums.back(), &to.back().back());
#ifdef SCANLENS_WITH_CUDA
    if (ranks_ && context.on_cuda()) {
      measured.plain_scan = time(gpu::plain_scan(*ranks_, from, to));
      measured.plain_reduce = time(gpu::plain_reduce(*ranks_, from, sums));
    }
#endif
    measured.sort = time(
        [&] { ranks_ ? sort_keys<std::uint32_t>(*ranks_, from, to) : sort_keys(context, from[0], to[0]); });
  }

  void picture(std::int64_t width, std::int64_t rows, Measured& measured) {
    const Arrays<std::uint8_t> in(contexts_, width * rows * kChannels);
    const Arrays<std::uint32_t> out(contexts_, width * (rows + 1) * kChannels);
    std::vector<View<const std::uint8_t>> slabs;
    std::vector<View<std::uint32_t>> tables;
    for (std::size_t i = 0; i < contexts_.size(); ++i) {
      fill(*contexts_[i], in.parts[i], Input::random(static_cast<std::uint64_t>(first_) + i));
      slabs.emplace_back(in.parts[i].data(), width, rows, kChannels);
      tables.emplace_back(out.parts[i].data(), width, ranks_ ? rows + 1 : rows, kChannels);
    }
    measured.table = time([&] {
      ranks_ ? summed_area_table<std::uint8_t, std::uint32_t>(*ranks_, slabs, tables)
             : summed_area_table<std::uint8_t, std::uint32_t>(*contexts_.front(), slabs[0], tables[0]);
    });
  }

 private:
  /// The last sum of a scan is the sum of all.
  void require_equal(const std::uint32_t* sum, const std::uint32_t* last) {
    Context& context = *contexts_.back();
    std::uint32_t values[2] = {0, 1};
    copy_bytes(context, sum, 4, &values[0], 4, 4, 1);
    copy_bytes(context, last, 4, &values[1], 4, 4, 1);
    context.synchronize();
    if (values[0] != values[1])
      throw Error(
          fmt::format("ranks: the scan ends with {}, the sum is {}; report it", values[1], values[0]));
  }

  std::vector<Context*> contexts_;
  int first_;
  Ranks* ranks_;
};

std::string text_of(std::optional<double> time) {
  return time ? fmt::format("{:.3f}", *time) : "-";
}

void print_row(const std::string& what, const std::string& size, int gpus, const char* shape,
               std::optional<double> alone, std::optional<double> ours, std::optional<double> plain) {
  std::printf("%-14s %-14s %4d  %-9s %10s %10s %7s %10s\n", what.c_str(), size.c_str(), gpus, shape,
              text_of(alone).c_str(), text_of(ours).c_str(),
              alone && ours ? fmt::format("{:.2f}x", *alone / *ours).c_str() : "-", text_of(plain).c_str());
  std::fflush(stdout);
}

/// All measurements of one number of GPUs. `alone` measures one context, where this process prints.
void measure(const RanksBenchOptions& options, std::vector<Context*> contexts, int first, int count,
             const char* shape, const std::function<Ranks()>& connect) {
  const bool prints = first == 0;
  Measured one, one_each, all, all_each;
  if (prints) {
    RanksBench alone({contexts.front()}, 0, nullptr);
    alone.arrays(options.total, one);
    if (count > 1) alone.arrays(options.each, one_each);
    alone.picture(options.side, options.side, one);
    contexts.front()->trim();
  }
  Ranks ranks = connect();
  RanksBench bench(std::move(contexts), first, &ranks);
  bench.arrays(options.total / count, all);
  if (count > 1) bench.arrays(options.each, all_each);
  bench.picture(options.side, options.side / count, all);
  if (!prints) return;

  const std::string total = length_name(options.total), each = length_name(options.each) + " a GPU";
  std::printf("%-14s %-14s %4s  %-9s %10s %10s %7s %10s\n", "work (ms)", "size", "GPUs", "shape", "one GPU",
              "ranks", "gain", "NCCL+CUB");
  print_row("scan", total, count, shape, one.scan, all.scan, all.plain_scan);
  print_row("reduce", total, count, shape, one.reduce, all.reduce, all.plain_reduce);
  print_row("sort", total, count, shape, one.sort, all.sort, std::nullopt);
  print_row("table", shape_name({options.side, options.side}) + "x3", count, shape, one.table, all.table,
            std::nullopt);
  if (count == 1) return;
  print_row("scan, weak", each, count, shape, one_each.scan, all_each.scan, all_each.plain_scan);
  print_row("reduce, weak", each, count, shape, one_each.reduce, all_each.reduce, all_each.plain_reduce);
  print_row("sort, weak", each, count, shape, one_each.sort, all_each.sort, std::nullopt);
}

}  // namespace

int run_ranks(const std::vector<std::string>& words) {
  const RanksBenchOptions options = ranks_bench_options(words);
  if (options.help) {
    std::fputs(kRanksBenchHelp, stdout);
    return 0;
  }
  if (!options.meet.empty()) {
    const Place place = place_of_process();
    Context context = Context::open(fmt::format("cuda:{}", place.on_host));
    measure(options, {&context}, place.rank, place.count, "processes",
            [&] { return Ranks::join(context, meet_at(options.meet, place), place.rank, place.count); });
    return 0;
  }
  const int here = static_cast<int>(devices().size()) - 1;
  const int count = options.gpus > 0 ? options.gpus : std::max(1, here);
  if (here > 0 && count > here)
    throw Error(ErrorKind::usage, fmt::format("--gpus: {} are asked for, {} are here", count, here));
  if (options.processes) {
    std::vector<std::string> others = words;
    std::erase(others, "--processes");
    return start_processes(count, others);
  }
  std::vector<Context> contexts;
  for (int i = 0; i < (here > 0 ? count : 1); ++i)
    contexts.push_back(Context::open(here > 0 ? fmt::format("cuda:{}", i) : "cpu"));
  std::vector<Context*> pointers;
  for (int i = 0; i < count; ++i) pointers.push_back(&contexts[here > 0 ? static_cast<std::size_t>(i) : 0]);
  measure(options, pointers, 0, count, here > 0 ? "process" : "simulated",
          [&] { return here > 0 ? Ranks::of(contexts) : Ranks::simulated(contexts.front(), count); });
  return 0;
}

}  // namespace scanlens::bench
