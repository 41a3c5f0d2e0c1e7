// Bench measures cases. Every case is verified before it is timed; ours, its peers and the copy that bounds
// them run in turn, in one process, over the same buffers. README.md shows the room.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/context.h"
#include "tests/bench/input.h"
#include "tests/bench/result.h"
#include "tests/bench/sizes.h"

namespace scanlens::bench {

using Work = std::function<void()>;

/// Does the same work by somebody else's hand, from the same inputs into the same outputs.
struct Peer {
  std::string name;
  Work work;
  bool same_result =
      true;  ///< what it leaves is what `Case::verify` asks for, so that it can be verified, too
  /// Says what is wrong with a result of its own kind, as `Case::verify` does; of peers without the same one.
  std::function<std::string()> verify = {};
};

/// Declares one measurement. `ours` and the peers' work only queue calls, so that a graph can record them.
struct Case {
  std::string primitive, variant, type, size;
  std::int64_t elements = 0;
  std::int64_t bytes_read = 0, bytes_written = 0;  ///< what must move, whatever the algorithm
  std::string plan = {};   ///< which of several schedules it is; "" where there is one
  std::int64_t calls = 1;  ///< number of calls that the work makes, each over arrays of its own if they are
                           ///< reserved, or else over the same ones; all above is of one call
  bool is_queued = true;   ///< else the work waits or reads the host, and no graph can record it
  Work ours;
  std::vector<Peer> peers;
  /// Says what is wrong with what the work left in the target; "" when nothing is.
  std::function<std::string()> verify;
};

struct Settings {
  SizeChoice sizes;
  bool quick = false;
  std::vector<int> threads;                          ///< of the CPU, for which work and span are measured
  std::function<void(const std::string&)> progress;  ///< the case about to run
  std::function<void(const std::string&)> say;       ///< what this machine has nothing for
  std::function<void(const std::string&)> complain;  ///< a result, ours or a peer's, is wrong or missing
  std::function<void(const Result&)> collected;      ///< a result, as soon as it is there
};

/// Runs cases on one device and collects their results. Inputs lie in `source`, outputs in `target`, one
/// after the other, so that the copy bound moves bytes between the very same buffers.
class Bench {
 public:
  Bench(Context& context, const Settings& settings) : context_(context), settings_(settings) {}

  Context& context() const { return context_; }
  const Settings& settings() const { return settings_; }
  bool on_cuda() const { return context_.on_cuda(); }

  /// Runs `work`, which reserves memory and runs cases; when that is short, says so and returns.
  void attempt(const std::string& what, const Work& work);

  /// Makes room for inputs and outputs. All spans handed out before become invalid.
  void reserve(std::int64_t source_bytes, std::int64_t target_bytes);

  /// Returns the next elements of the inputs: made on the device, or copied from the host.
  template <class T>
  std::span<const T> filled(std::int64_t count, Input input) {
    const std::span<T> span = take<T>(source_, source_used_, count);
    fill(context_, span, input);
    return span;
  }
  template <class T>
  std::span<const T> uploaded(const std::vector<T>& values) {
    const std::span<T> span = take<T>(source_, source_used_, static_cast<std::int64_t>(values.size()));
    move(values.data(), span.data(), values.size() * sizeof(T));
    return span;
  }

  /// Returns the next `count` elements of the outputs.
  template <class T>
  std::span<T> target(std::int64_t count) {
    return take<T>(target_, target_used_, count);
  }

  /// Returns what an output holds, where the host can read it: valid until the next reserve.
  template <class T>
  std::span<const T> host(std::span<T> output) {
    if (!on_cuda()) return output;
    if (mirror_.bytes() < target_.bytes()) {
      mirror_ = Memory();
      mirror_ = Memory(Backend::cpu, target_.bytes());
    }
    auto* copy = mirror_.data() + (reinterpret_cast<const std::byte*>(output.data()) - target_.data());
    move(output.data(), copy, output.size_bytes());
    context_.synchronize();
    return {reinterpret_cast<const T*>(copy), output.size()};
  }

  /// Verifies the case, times it beside its peers and the copy, and collects the result.
  void run(const Case& one);

  /// Adds a result that was measured otherwise, on a clock of its own; `run` adds all other results.
  void collect(Result result);

  const Collected& collected() const { return collected_; }

 private:
  template <class T>
  std::span<T> take(const Memory& memory, std::size_t& used, std::int64_t count) {
    const std::span<T> span(reinterpret_cast<T*>(memory.data() + used), static_cast<std::size_t>(count));
    used += (span.size_bytes() + kAlignment - 1) / kAlignment * kAlignment;
    return span;
  }
  void move(const void* from, void* to, std::size_t bytes);
  void make_room(Memory& memory, std::int64_t bytes);
  std::string wrong_after(const Work& work, const std::function<std::string()>& verify);
  std::string failure_of(const Work& work);
  ThreadsTiming on_threads(const Case& one, int threads);
  std::vector<Timing> race(const std::vector<Work>& works, std::size_t most_rounds);
  Work fastest_copy(std::int64_t bytes_read, std::int64_t bytes_written, std::int64_t calls);

  static constexpr std::size_t kAlignment = 256;

  Context& context_;
  const Settings& settings_;
  Memory source_, target_, mirror_;
  std::size_t source_used_ = 0, target_used_ = 0;
  Collected collected_;
};

}  // namespace scanlens::bench
