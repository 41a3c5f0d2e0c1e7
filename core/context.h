// A context: a backend, its stream, and the workspace that calls reuse. Passed explicitly; there are no
// globals.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace scanlens {

enum class Backend { cpu, cuda };

class Context;
class DeviceAllocator;  // core/device_allocator.h
struct Arena;

/// Memory that one backend can read and write: host memory aligned to 64 bytes, or CUDA device memory.
class Memory {
 public:
  Memory() = default;
  /// Throws Error (retry) when there is not that much. Contents are indeterminate. Zero bytes allocate
  /// nothing.
  Memory(Backend backend, std::size_t bytes, int cuda_ordinal = 0);
  /// Memory of the context's backend, from its allocator where it has one: then it is usable, and goes back,
  /// in the order of the context's stream, which must outlive it.
  Memory(const Context& context, std::size_t bytes);
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
  std::shared_ptr<DeviceAllocator> allocator_;  ///< null: cudaMalloc
  void* stream_ = nullptr;                      ///< in whose order the allocator works

  friend class Context;
  Memory(std::shared_ptr<DeviceAllocator> allocator, std::size_t bytes, int cuda_ordinal, void* stream);
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
/// The stream is the caller's (on_stream), or a non-blocking one of the context's own (open). That one and
/// CUDA's default stream do not wait for each other. Memory that another stream writes must be complete
/// before a call reads it (after_stream, after_event), and others read a call's results before_stream(),
/// after record_event() or after synchronize(). A caller's kernel on the same stream may begin early
/// (programmatic dependent launch). It then has to wait (griddepcontrol.wait) before it reads and before it
/// ends.
///
/// Calls on a stream that the caller is capturing become part of that graph, the first calls too, in all
/// modes of capture. Each graph has scratch memory of its own, as long as it lives. So it can be replayed on
/// any stream, beside calls and other graphs; but two executables of one graph share it, and must not run at
/// the same time. Calls that wait for the device cannot be captured and throw Error (usage).
///
/// Every call leaves the thread's current CUDA device as it was. It judges its CUDA calls by what they
/// return: an error that the caller has pending (cudaPeekAtLastError) is neither reported nor cleared. Only
/// where CUDA refuses something to the library itself, no error is pending afterwards. What goes wrong while
/// kernels run surfaces at the next synchronisation, and at every call after it.
class Context {
 public:
  /// `device` is "auto" (the first CUDA device that works, else the CPU), "cpu", "cuda" or "cuda:N".
  /// Device memory comes from the allocator, where there is one. Throws Error when a device asked for by name
  /// is absent, with the cause.
  static Context open(std::string_view device = "auto", std::shared_ptr<DeviceAllocator> allocator = nullptr);

  /// A context on a stream of the caller's, a cudaStream_t, which must outlive it and every Image made with
  /// it. Null and CUDA's handles of the two default streams are streams like others. Several contexts may
  /// share a stream. Throws Error (usage) where the stream is not of the device's primary context.
  static Context on_stream(void* stream, int cuda_ordinal,
                           std::shared_ptr<DeviceAllocator> allocator = nullptr);

  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  Backend backend() const;
  bool on_cuda() const { return backend() == Backend::cuda; }
  const DeviceInfo& device() const;
  int cuda_ordinal() const;     ///< N of "cuda:N"; -1 on the CPU
  void* native_stream() const;  ///< a cudaStream_t; null on the CPU

  /// The order of this context's calls and of other streams (cudaStream_t) and events (cudaEvent_t) of any
  /// device. On the CPU they do nothing: calls are complete when they return.
  void after_stream(void* stream);   ///< later calls wait for what `stream` has been given so far
  void after_event(void* event);     ///< later calls wait for what the event has recorded
  void before_stream(void* stream);  ///< what `stream` is given from now on waits for the calls made so far
  void record_event(void* event);    ///< records the calls made so far

  /// Waits for everything called so far; throws what failed on the way.
  void synchronize();

  /// Runs `work` and returns its time in milliseconds on the device (CUDA events) or the wall clock (CPU).
  double time(WorkRef work);

  /// Frees the scratch memory that calls have left for the next ones, but for what an open Workspace uses.
  /// Waits for everything called so far. A call that finds no memory for its scratch does so by itself before
  /// it throws.
  void trim();

  /// Makes the workspace hold `bytes` bytes, so that calls that need no more allocate nothing.
  void reserve(std::size_t bytes);

  /// Bytes of scratch memory that the context keeps for later calls: after calls that took more and more, no
  /// more than about twice what the largest took, and what graphs of its calls hold.
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
  Arena& arena_;
  std::size_t block_;  ///< where the arena stood when this workspace opened
  std::size_t used_;
};

}  // namespace scanlens
