// Where work runs: a backend, its stream, and the workspace that calls reuse. Passed explicitly; there are no
// globals.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scanlens {

enum class Backend { cpu, cuda };

/// Memory that one backend can read and write: host memory aligned to 64 bytes, or CUDA device memory.
class Memory {
 public:
  Memory() = default;
  /// Throws Error (retry) when there is not that much. Contents are indeterminate. Zero bytes allocate
  /// nothing.
  Memory(Backend backend, std::size_t bytes, int cuda_ordinal = 0);
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  Backend backend() const { return backend_; }
  int cuda_ordinal() const { return cuda_ordinal_; }  ///< -1 for host memory

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  Backend backend_ = Backend::cpu;
  int cuda_ordinal_ = -1;
};

/// The bytes of width x height x channels samples. Throws Error (usage) when a factor is negative, or the
/// product is beyond what an address can hold.
std::size_t packed_bytes(std::int64_t width, std::int64_t height, int channels, std::size_t sample_bytes);

struct DeviceInfo;  // core/devices.h

/// Refers to work that outlives it: a callable without arguments.
class WorkRef {
 public:
  template <class Callable>
  requires(!std::same_as<Callable, WorkRef>) WorkRef(const Callable& callable)
      : callable_(&callable), call_([](const void* work) { (*static_cast<const Callable*>(work))(); }) {}
  void operator()() const { call_(callable_); }

 private:
  const void* callable_;
  void (*call_)(const void* callable);
};

/// Not safe for use by two threads at once; any number of contexts may be used side by side.
/// Calls on a CUDA context are ordered on its stream and return before the work is done; calls on a CPU
/// context return when it is done.
///
/// The stream is a non-blocking one: it does not wait for CUDA's default stream, nor does that wait for it.
/// Memory that another stream writes, the default stream among them, must be complete before a call reads
/// it, by an event that the stream waits for or by a synchronisation of that other stream; and what a call
/// wrote is read elsewhere after synchronize().
///
/// Every call leaves the thread's current CUDA device as it was. It judges its CUDA calls by what they
/// return: an error that the caller has pending (cudaPeekAtLastError) is neither reported nor cleared. Only
/// where CUDA refuses something to the library itself, no error is pending afterwards. What goes wrong while
/// kernels run surfaces at the next synchronisation, and at every call after it.
class Context {
 public:
  /// `device` is "auto" (the first CUDA device that works, else the CPU), "cpu", "cuda" or "cuda:N".
  /// Throws Error when a device asked for by name is absent, with the cause.
  static Context open(std::string_view device = "auto");

  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  Backend backend() const;
  bool on_cuda() const { return backend() == Backend::cuda; }
  const DeviceInfo& device() const;
  int cuda_ordinal() const;  ///< N of "cuda:N"; -1 on the CPU

  /// Waits for everything called so far; throws what failed on the way.
  void synchronize();

  /// Runs `work` and returns its time in milliseconds on the device (CUDA events) or the wall clock (CPU).
  double time(WorkRef work);

  /// Frees the scratch memory that calls have left for the next ones, but for what a Graph of this context
  /// that lives may name and what an open Workspace uses. Waits for everything called so far. A call that
  /// finds no memory for its scratch does so by itself before it throws.
  void trim();

  /// Bytes of scratch memory that the context keeps for later calls: after calls that took more and more, no
  /// more than about twice what the largest took, and what graphs may name.
  std::size_t kept_bytes() const;

  /// Bytes that can still be allocated here, as far as the system tells.
  std::size_t available_memory() const;

  /// `count` elements at `table`, where the backend can read them: the table itself on the CPU; on CUDA a
  /// copy that is made at the first call and kept. For constant tables of static storage duration, which
  /// never change.
  template <class T>
  const T* readable(const T* table, std::int64_t count) {
    return reinterpret_cast<const T*>(readable_bytes(table, static_cast<std::size_t>(count) * sizeof(T)));
  }

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit Context(Impl* impl) : impl_(impl) {}
  const std::byte* readable_bytes(const void* table, std::size_t bytes);
  Impl* impl_;  ///< owned; null once moved from
};

/// Bytes of host memory that can be had without swapping, within the control group's limit.
std::size_t available_host_memory();

/// Scratch memory for the duration of one call. The context keeps the memory, so that the second call of the
/// same shape allocates nothing; what has become too small it frees, once the work that may use it is done.
/// Workspaces nest like the calls that open them.
class Workspace {
 public:
  explicit Workspace(Context& context);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// `count` elements, aligned to 64 bytes on the CPU and 256 on CUDA, contents indeterminate.
  template <class T>
  T* take(std::int64_t count) {
    return reinterpret_cast<T*>(take_bytes(static_cast<std::size_t>(count) * sizeof(T)));
  }

 private:
  std::byte* take_bytes(std::size_t bytes);

  Context& context_;
  std::size_t block_;  ///< where the context's arena stood when this workspace opened
  std::size_t used_;
};

}  // namespace scanlens
