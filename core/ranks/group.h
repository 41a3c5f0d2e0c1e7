// The contents of Ranks, and memory for one call.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/image.h"
#include "core/ranks.h"
#include "core/ranks/transport.h"

namespace scanlens {

struct Ranks::Impl {
  std::vector<Context*> contexts;  ///< of each local rank; all the same where ranks are simulated
  std::unique_ptr<Transport> transport;
  int count = 1;
  int first = 0;
  bool check = false;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  int local() const { return static_cast<int>(contexts.size()); }
  Context& context(int local) const { return *contexts[static_cast<std::size_t>(local)]; }
};

/// Throws Error (usage) unless there is one of `what` for each rank of this process.
void require_parts(const Ranks::Impl& ranks, const char* call, std::size_t parts, const char* what);

/// Throws Error (usage) on every rank, if calls are to be compared, unless all make the same one: `words` are
/// what must be the same, for each rank of this process.
void require_agreement(Ranks::Impl& ranks, const char* call, std::string_view types,
                       std::span<const std::uint64_t> words);
/// The same where all ranks of this process agree by themselves.
void require_agreement(Ranks::Impl& ranks, const char* call, std::string_view types, std::uint64_t word = 0);

/// Text that differs between types.
template <class... Types>
constexpr std::string_view names_of_types() {
  return __PRETTY_FUNCTION__;
}

/// Workspaces of all contexts for the duration of one call.
class Scratch {
 public:
  explicit Scratch(Ranks::Impl& ranks) {
    const std::size_t count = ranks.transport->shares_memory() ? 1 : ranks.contexts.size();
    for (std::size_t i = 0; i < count; ++i)
      workspaces_.push_back(std::make_unique<Workspace>(*ranks.contexts[i]));
  }
  ~Scratch() {
    while (!workspaces_.empty()) workspaces_.pop_back();
  }

  template <class T>
  T* take(int local, std::int64_t count) {
    const auto i = static_cast<std::size_t>(local);
    return workspaces_[i < workspaces_.size() ? i : 0]->template take<T>(count);
  }

 private:
  std::vector<std::unique_ptr<Workspace>> workspaces_;
};

/// Some values a rank, on all of them after gather().
template <class T>
class Gathered {
 public:
  Gathered(Ranks::Impl& ranks, Scratch& scratch, std::int64_t each = 1) : ranks_(ranks), each_(each) {
    for (int i = 0; i < ranks.local(); ++i)
      all_.push_back(i > 0 && ranks.transport->shares_memory()
                         ? all_.front()
                         : reinterpret_cast<std::byte*>(scratch.take<T>(i, ranks.count * each)));
  }

  T* all(int local) const { return reinterpret_cast<T*>(all_[static_cast<std::size_t>(local)]); }
  T* mine(int local) const { return all(local) + (ranks_.first + local) * each_; }
  void gather() { ranks_.transport->all_gather(all_, static_cast<std::size_t>(each_) * sizeof(T)); }

  /// Waits for the values, and returns them.
  std::vector<T> on_host() const {
    std::vector<T> host(static_cast<std::size_t>(ranks_.count * each_));
    ranks_.transport->wait(0);
    const auto bytes = static_cast<std::int64_t>(host.size() * sizeof(T));
    copy_bytes(ranks_.context(0), all(0), bytes, host.data(), bytes, bytes, 1);
    return host;
  }

 private:
  Ranks::Impl& ranks_;
  std::int64_t each_;
  std::vector<std::byte*> all_;
};

}  // namespace scanlens
