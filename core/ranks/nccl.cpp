// Exchanges by NCCL, which is loaded when it is first needed. Its header is not: these are the few
// declarations that its documentation keeps stable.
#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/image.h"
#include "core/ranks/transport.h"
#include "core/runtime/device.h"

namespace scanlens::nccl {
namespace {

constexpr int kSuccess = 0;
constexpr int kInProgress = 7;
constexpr int kBytes = 0;  ///< ncclInt8
/// Times the limit: what waits within a warm-up gives up by itself.
constexpr int kWarmUp = 3;
using Communicator = void*;
struct UniqueId {
  Ranks::Id bytes;
};

struct Library {
  int (*get_unique_id)(UniqueId*);
  int (*init_rank)(Communicator*, int count, UniqueId, int rank);
  int (*init_all)(Communicator*, int count, const int* ordinals);
  int (*destroy)(Communicator);
  int (*abort)(Communicator);
  int (*async_error)(Communicator, int* result);
  int (*count)(Communicator, int*);
  int (*rank)(Communicator, int*);
  int (*group_start)();
  int (*group_end)();
  int (*all_gather)(const void*, void*, std::size_t count, int type, Communicator, void* stream);
  int (*send)(const void*, std::size_t count, int type, int peer, Communicator, void* stream);
  int (*receive)(void*, std::size_t count, int type, int peer, Communicator, void* stream);
  const char* (*text)(int);
};

template <class Function>
void find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function)
    throw Error(ErrorKind::usage,
                fmt::format("libnccl.so.2: it has no {}; install NCCL 2.18 or newer", name));
}

Library load() {
  std::string file = "libnccl.so.2";
  if (const char* named = std::getenv("SCANLENS_NCCL"); named && *named) {
    file = named;
    if (std::filesystem::is_directory(file)) file += "/libnccl.so.2";
  }
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error(ErrorKind::usage,
                fmt::format("NCCL cannot be loaded: {}; install the package libnccl2 (or pip's "
                            "nvidia-nccl-cu13), or name its file or folder in SCANLENS_NCCL",
                            dlerror()));
  setenv("NCCL_NVLS_ENABLE", "0", 0);  // before NCCL reads it, at the first communicator
  Library nccl{};
  find(library, nccl.get_unique_id, "ncclGetUniqueId");
  find(library, nccl.init_rank, "ncclCommInitRank");
  find(library, nccl.init_all, "ncclCommInitAll");
  find(library, nccl.destroy, "ncclCommDestroy");
  find(library, nccl.abort, "ncclCommAbort");
  find(library, nccl.async_error, "ncclCommGetAsyncError");
  find(library, nccl.count, "ncclCommCount");
  find(library, nccl.rank, "ncclCommUserRank");
  find(library, nccl.group_start, "ncclGroupStart");
  find(library, nccl.group_end, "ncclGroupEnd");
  find(library, nccl.all_gather, "ncclAllGather");
  find(library, nccl.send, "ncclSend");
  find(library, nccl.receive, "ncclRecv");
  find(library, nccl.text, "ncclGetErrorString");
  return nccl;
}

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

void check(int result, const char* call) {
  if (result != kSuccess && result != kInProgress)
    throw Error(ErrorKind::retry,
                fmt::format("NCCL: {} failed: {}; NCCL_DEBUG=WARN says more", call, library().text(result)));
}

using Clock = std::chrono::steady_clock;

/// Runs `work` in another thread, since NCCL waits for other ranks without a limit. Throws Error (retry)
/// where it does not end in time: the thread then stays behind, and must own all that it uses.
void within(double seconds, const char* what, std::function<void()> work) {
  std::packaged_task<void()> task(std::move(work));
  std::future<void> done = task.get_future();
  std::thread thread(std::move(task));
  if (done.wait_for(std::chrono::duration<double>(seconds)) != std::future_status::ready) {
    thread.detach();
    throw Error(ErrorKind::retry,
                fmt::format("ranks: {} took more than {} s; a rank is missing or hangs", what, seconds));
  }
  thread.join();
  done.get();
}

/// Between ncclGroupStart and ncclGroupEnd; ends the group whatever happens, as an open one would swallow all
/// later calls of the thread.
template <class Calls>
void grouped(const Calls& calls) {
  check(library().group_start(), "ncclGroupStart");
  std::exception_ptr failure;
  try {
    calls();
  } catch (...) {
    failure = std::current_exception();
  }
  const int ended = library().group_end();
  if (failure) std::rethrow_exception(failure);
  check(ended, "ncclGroupEnd");
}

class Nccl final : public Transport {
 public:
  Nccl(std::vector<Context*> contexts, std::vector<Communicator> communicators, bool owned, int first,
       int count, double time_limit)
      : contexts_(std::move(contexts)),
        communicators_(std::move(communicators)),
        owned_(owned),
        first_(first),
        count_(count),
        time_limit_(time_limit) {}

  ~Nccl() override {
    if (!owned_ || !broken_.empty()) return;
    try {
      for (std::size_t i = 0; i < contexts_.size(); ++i) wait(static_cast<int>(i));
      within(time_limit_, "leaving", [communicators = communicators_] {
        for (Communicator communicator : communicators) library().destroy(communicator);
      });
    } catch (const std::exception&) {
      // The ranks are given up already.
    }
  }

  void all_gather(std::span<std::byte* const> all, std::size_t bytes) override {
    before_exchange();
    const gpu::DeviceGuard relaxed(*contexts_.front());
    grouped([&] {
      for (std::size_t i = 0; i < contexts_.size(); ++i) {
        const gpu::DeviceGuard device(*contexts_[i]);
        check(library().all_gather(all[i] + static_cast<std::size_t>(first_ + static_cast<int>(i)) * bytes,
                                   all[i], bytes, kBytes, communicators_[i], contexts_[i]->native_stream()),
              "ncclAllGather");
      }
    });
  }

  void exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    before_exchange();
    const gpu::DeviceGuard relaxed(*contexts_.front());
    grouped([&] {
      for (const Message& send : sends) {
        const auto i = static_cast<std::size_t>(send.local);
        const gpu::DeviceGuard device(*contexts_[i]);
        check(library().send(send.data, send.bytes, kBytes, send.peer, communicators_[i],
                             contexts_[i]->native_stream()),
              "ncclSend");
      }
      for (const Message& receive : receives) {
        const auto i = static_cast<std::size_t>(receive.local);
        const gpu::DeviceGuard device(*contexts_[i]);
        check(library().receive(receive.data, receive.bytes, kBytes, receive.peer, communicators_[i],
                                contexts_[i]->native_stream()),
              "ncclRecv");
      }
    });
  }

  void wait([[maybe_unused]] int local) override {
#ifdef SCANLENS_WITH_CUDA
    require_whole();
    const auto i = static_cast<std::size_t>(local);
    refuse_capture(*contexts_[i], "synchronize");
    const auto start = Clock::now();
    for (int asked = 1; !gpu::has_finished(*contexts_[i]); ++asked) {
      const double waited = std::chrono::duration<double>(Clock::now() - start).count();
      if (asked % 256 == 0) look_for_failures();
      if (waited > time_limit_)
        give_up(fmt::format("ranks: another rank did not come within {} s; it is gone or makes other calls",
                            time_limit_));
      // Short waits are over soon, and a sleep takes 50 us.
      if (waited > 0.02)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      else
        std::this_thread::yield();
    }
    look_for_failures();
#endif
  }

  /// Goes over to other contexts on the same devices, while no exchange is under way.
  void serve(std::vector<Context*> contexts) {
    contexts_ = std::move(contexts);
  }

  /// Makes the connections that NCCL would otherwise make at the first exchange, without a limit of time.
  void warm_up() {
    const auto count = static_cast<std::size_t>(count_);
    std::vector<Memory> memory;
    std::vector<std::byte*> all;
    std::vector<Message> sends, receives;
    for (std::size_t i = 0; i < contexts_.size(); ++i) {
      memory.emplace_back(Backend::cuda, 2 * count * kWord, contexts_[i]->cuda_ordinal());
      all.push_back(memory.back().data());
      for (std::size_t peer = 0; peer < count; ++peer) {
        if (static_cast<int>(peer) == first_ + static_cast<int>(i)) continue;
        const auto local = static_cast<int>(i), other = static_cast<int>(peer);
        sends.push_back({local, other, all[i] + peer * kWord, kWord});
        receives.push_back({local, other, all[i] + (count + peer) * kWord, kWord});
      }
    }
    all_gather(all, kWord);
    exchange(sends, receives);
    for (std::size_t i = 0; i < contexts_.size(); ++i) wait(static_cast<int>(i));
  }

 private:
  static constexpr std::size_t kWord = 16;

  void before_exchange() {
    require_whole();
    // NCCL's guide warns of captures where one thread drives several GPUs.
    if (contexts_.size() > 1)
      for (const Context* context : contexts_)
        refuse_capture(*context, "ranks: a call of several ranks in one process");
  }

  void require_whole() const {
    if (!broken_.empty()) throw Error(ErrorKind::retry, broken_);
  }

  void look_for_failures() {
    for (Communicator communicator : communicators_) {
      int result = kSuccess;
      check(library().async_error(communicator, &result), "ncclCommGetAsyncError");
      if (result != kSuccess && result != kInProgress)
        give_up(fmt::format("ranks: another rank failed: NCCL says {}", library().text(result)));
    }
  }

  /// Ends the exchanges under way, so that the streams go on, and throws.
  [[noreturn]] void give_up(const std::string& cause) {
    broken_ = cause + "; start all ranks anew";
    if (owned_)
      for (Communicator communicator : communicators_) library().abort(communicator);
    throw Error(ErrorKind::retry, broken_);
  }

  std::vector<Context*> contexts_;
  std::vector<Communicator> communicators_;
  bool owned_;
  int first_;
  int count_;
  double time_limit_;
  std::string broken_;  ///< why no call can be made any more
};

/// A warm-up on contexts of its own: a thread that comes too late goes on with them, whatever became of the
/// caller's.
struct Meeting {
  std::vector<Context> contexts;
  std::unique_ptr<Nccl> transport;  ///< goes before the contexts
};

/// Returns the transport of ranks that have met, for the caller's contexts.
std::unique_ptr<Transport> met(std::span<Context* const> contexts, std::vector<Communicator> communicators,
                               Membership membership, double time_limit) {
  const auto meeting = std::make_shared<Meeting>();
  std::vector<Context*> own;
  meeting->contexts.reserve(contexts.size());
  for (const Context* context : contexts)
    own.push_back(
        &meeting->contexts.emplace_back(Context::open(fmt::format("cuda:{}", context->cuda_ordinal()))));
  meeting->transport = std::make_unique<Nccl>(std::move(own), std::move(communicators), true, membership.rank,
                                              membership.count, time_limit);
  within(kWarmUp * time_limit, "meeting the others", [meeting] { meeting->transport->warm_up(); });
  meeting->transport->serve({contexts.begin(), contexts.end()});
  return std::move(meeting->transport);
}

}  // namespace

Ranks::Id make_id() {
  UniqueId id;
  check(library().get_unique_id(&id), "ncclGetUniqueId");
  return id.bytes;
}

std::unique_ptr<Transport> join(Context& context, const Ranks::Id& id, Membership membership,
                                double time_limit) {
  library();
  const auto communicator = std::make_shared<Communicator>(nullptr);
  within(time_limit, "joining", [=, ordinal = context.cuda_ordinal()] {
    const gpu::DeviceGuard device(ordinal);
    check(library().init_rank(communicator.get(), membership.count, UniqueId{id}, membership.rank),
          "ncclCommInitRank");
  });
  Context* const own[] = {&context};
  return met(own, {*communicator}, membership, time_limit);
}

std::unique_ptr<Transport> borrow(Context& context, void* communicator, double time_limit) {
  const Membership membership = membership_of(communicator);
  return std::make_unique<Nccl>(std::vector<Context*>{&context}, std::vector<Communicator>{communicator},
                                false, membership.rank, membership.count, time_limit);
}

std::unique_ptr<Transport> connect(std::span<Context* const> contexts, double time_limit) {
  library();
  const auto communicators = std::make_shared<std::vector<Communicator>>(contexts.size());
  std::vector<int> ordinals;
  for (const Context* context : contexts) ordinals.push_back(context->cuda_ordinal());
  within(time_limit, "connecting the GPUs", [=] {
    const gpu::DeviceGuard device(ordinals.front());
    check(library().init_all(communicators->data(), static_cast<int>(ordinals.size()), ordinals.data()),
          "ncclCommInitAll");
  });
  return met(contexts, *communicators, {0, static_cast<int>(contexts.size())}, time_limit);
}

Membership membership_of(void* communicator) {
  Membership membership{};
  check(library().rank(communicator, &membership.rank), "ncclCommUserRank");
  check(library().count(communicator, &membership.count), "ncclCommCount");
  return membership;
}

}  // namespace scanlens::nccl
