#include "core/context.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <optional>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/image.h"
#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_backend.h"
#include "core/runtime/host_copy.h"
#include "core/runtime/shared_table.h"

namespace scanlens {

namespace {

constexpr std::size_t kHostAlignment = 64;

std::size_t round_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

/// Returns memory of the host, or null if it is short. Large blocks ask for the system's large pages, which
/// take a hundredth of the time to come and go.
std::byte* allocate_host(std::size_t bytes) {
  constexpr std::size_t kLarge = std::size_t{4} << 20, kPage = 4096;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(kHostAlignment, round_up(bytes, kHostAlignment)));
  if (data && bytes >= kLarge) {
    const std::size_t to_page =
        round_up(reinterpret_cast<std::uintptr_t>(data), kPage) - reinterpret_cast<std::uintptr_t>(data);
    ::madvise(data + to_page, (bytes - to_page) / kPage * kPage, MADV_HUGEPAGE);
  }
  return data;
}

std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "processor";
}

DeviceInfo cpu_device() {
  static const std::string name = processor_name();
  const int cores = tbb::info::default_concurrency();
  const auto allowed =
      static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  return {"cpu",
          name,
          fmt::format("{}{} thread{}", allowed < cores ? fmt::format("{} of ", allowed) : "", cores,
                      cores == 1 ? "" : "s"),
          {}};
}

/// Returns the first number after `key` in a file of "key: number" or "key number" lines, or `otherwise`.
std::size_t number_in(const char* path, std::string_view key, std::size_t otherwise) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t digit = line.find_first_of("0123456789", key.size());
    if (digit != std::string::npos) return std::strtoull(line.c_str() + digit, nullptr, 10);
  }
  return otherwise;
}

}  // namespace

Memory::Memory(Backend backend, std::size_t bytes, int cuda_ordinal)
    : bytes_(bytes), backend_(backend), cuda_ordinal_(backend == Backend::cuda ? cuda_ordinal : -1) {
  if (bytes == 0) return;
  if (bytes > PTRDIFF_MAX / 2)
    throw Error(ErrorKind::retry, fmt::format("out of memory: {} MiB were not available", bytes >> 20));
  if (backend == Backend::cuda) {
    data_ = gpu::allocate(cuda_ordinal, bytes);
  } else {
    data_ = allocate_host(bytes);
    if (!data_)
      throw Error(ErrorKind::retry, fmt::format("out of memory: {} MiB were not available", bytes >> 20));
  }
}

Memory::Memory(std::shared_ptr<DeviceAllocator> allocator, std::size_t bytes, int cuda_ordinal, void* stream)
    : bytes_(bytes),
      backend_(Backend::cuda),
      cuda_ordinal_(cuda_ordinal),
      allocator_(std::move(allocator)),
      stream_(stream) {
  if (bytes == 0) return;
  const gpu::DeviceGuard device(cuda_ordinal);
  data_ = static_cast<std::byte*>(allocator_->allocate(bytes, cuda_ordinal, stream));
  if (!data_)
    throw Error(ErrorKind::retry, fmt::format("out of memory on cuda:{}: the allocator has no {} MiB",
                                              cuda_ordinal, bytes >> 20));
}

Memory::Memory(const Context& context, std::size_t bytes) : Memory(context.impl().allocate(bytes)) {}

Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      backend_(other.backend_),
      cuda_ordinal_(other.cuda_ordinal_),
      allocator_(std::move(other.allocator_)),
      stream_(other.stream_) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(backend_, other.backend_);
  std::swap(cuda_ordinal_, other.cuda_ordinal_);
  std::swap(allocator_, other.allocator_);
  std::swap(stream_, other.stream_);
  return *this;
}

Memory::~Memory() {
  if (backend_ == Backend::cpu)
    std::free(data_);
  else if (allocator_ && data_)
    gpu::release(*allocator_, data_, bytes_, cuda_ordinal_, stream_);
  else
    gpu::release(cuda_ordinal_, data_);
}

std::size_t packed_bytes(std::int64_t width, std::int64_t height, int channels, std::size_t sample_bytes) {
  std::int64_t bytes = 0;
  if (width < 0 || height < 0 || channels < 1 || __builtin_mul_overflow(width, height, &bytes) ||
      __builtin_mul_overflow(bytes, channels, &bytes) ||
      __builtin_mul_overflow(bytes, static_cast<std::int64_t>(sample_bytes), &bytes))
    throw Error(ErrorKind::usage, fmt::format("an image of {} x {} x {} samples of {} bytes is impossible",
                                              width, height, channels, sample_bytes));
  return static_cast<std::size_t>(bytes);
}

Context::Impl::~Impl() {
  if (backend == Backend::cuda && !things.empty()) {
    const gpu::DeviceGuard device(*this);
    things.clear();
  }
  live.reset();  // in the stream's order
  if (owns_stream) gpu::destroy_stream(cuda_ordinal, stream);
}

Context::Context(Context&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
Context& Context::operator=(Context&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}
Context::~Context() {
  delete impl_;
}

std::vector<DeviceInfo> devices() {
  std::string cause;
  std::vector<DeviceInfo> all;
  const int count = gpu::device_count(cause);
  // Each starts in a third of a second, and they start side by side.
  std::vector<std::future<DeviceInfo>> probes;
  for (int ordinal = 0; ordinal < count; ++ordinal)
    probes.push_back(std::async(std::launch::async, gpu::probe, ordinal));
  for (std::future<DeviceInfo>& probe : probes) {
    try {
      all.push_back(probe.get());
    } catch (const Error&) {
      // The GPU is in exclusive use, broken, or too old for this build.
    }
  }
  all.push_back(cpu_device());
  return all;
}

namespace {

/// Returns N for "cuda:N", and nothing for "cuda" and "auto", which take any device. Throws Error (usage) for
/// what is no device's name.
std::optional<int> ordinal_of(std::string_view device) {
  if (device == "auto" || device == "cuda") return std::nullopt;
  constexpr std::string_view kPrefix = "cuda:";
  int ordinal = -1;
  if (device.starts_with(kPrefix)) {
    const char *first = device.data() + kPrefix.size(), *last = device.data() + device.size();
    const auto [end, error] = std::from_chars(first, last, ordinal);
    if (error != std::errc{} || end != last) ordinal = -1;
  }
  if (ordinal < 0)
    throw Error(ErrorKind::usage,
                fmt::format("no device is called '{}': use auto, cpu, cuda or cuda:N", device));
  return ordinal;
}

/// Takes the GPU for a smaller one, of the multiprocessors and the bytes of shared memory a block that
/// SCANLENS_SMALLER_GPU in the environment names ("82,101376"). So a large GPU runs the code of smaller ones.
void make_smaller(gpu::Traits& traits) {
  const char* const text = std::getenv("SCANLENS_SMALLER_GPU");
  if (!text || !*text) return;
  const char* const end = text + std::strlen(text);
  int multiprocessors = 0, shared_bytes = 0;
  auto at = std::from_chars(text, end, multiprocessors);
  const bool two = at.ec == std::errc{} && at.ptr != end && *at.ptr == ',';
  if (two) at = std::from_chars(at.ptr + 1, end, shared_bytes);
  constexpr int kLeastShared = 99 << 10;  // of every GPU since compute capability 8.0
  if (!two || at.ec != std::errc{} || at.ptr != end || multiprocessors < 1 || shared_bytes < kLeastShared)
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "SCANLENS_SMALLER_GPU: '{}' is not MULTIPROCESSORS,BYTES with at least {} bytes; write 82,101376",
            text, kLeastShared));
  traits.multiprocessors = std::min(traits.multiprocessors, multiprocessors);
  traits.shared_bytes = std::min(traits.shared_bytes, shared_bytes);
}

/// Returns a context on CUDA device `ordinal`, without a stream. Throws Error when the device fails.
std::unique_ptr<Context::Impl> on_device(int ordinal) {
  auto impl = std::make_unique<Context::Impl>();
  impl->backend = Backend::cuda;
  impl->device = gpu::probe(ordinal);
  impl->cuda_ordinal = ordinal;
  impl->cuda_context = gpu::primary_context(ordinal);
  impl->traits = gpu::traits(ordinal);
  make_smaller(impl->traits);
  return impl;
}

std::unique_ptr<Context::Impl> open_cuda(int ordinal) {
  std::unique_ptr<Context::Impl> impl = on_device(ordinal);
  impl->stream = gpu::create_stream(ordinal);
  impl->owns_stream = true;
  return impl;
}

}  // namespace

std::unique_ptr<Context::Impl> open_first(
    std::string_view device, int count, const std::string& no_device,
    const std::function<std::unique_ptr<Context::Impl>(int ordinal)>& open) {
  std::string passed_over;
  if (device != "cpu") {
    const std::optional<int> wanted = ordinal_of(device);
    ErrorKind kind = ErrorKind::failed;
    std::string cause = no_device;
    const int end = wanted ? std::min(count - 1, *wanted) + 1 : count;
    for (int ordinal = wanted.value_or(0); ordinal < end; ++ordinal) {
      try {
        return open(ordinal);
      } catch (const Error& error) {
        kind = error.kind();
        cause = error.what();
      }
    }
    if (device != "auto")
      throw Error(kind, fmt::format("device '{}' is not available: {}", device,
                                    cause.empty() ? "there is no CUDA device of that number" : cause));
    if (count > 0) passed_over = cause;
  }
  auto impl = std::make_unique<Context::Impl>();
  impl->device = cpu_device();
  impl->device.passed_over = passed_over;
  return impl;
}

Context Context::open(std::string_view device, std::shared_ptr<DeviceAllocator> allocator) {
  std::string no_device;
  const int count = device == "cpu" ? 0 : gpu::device_count(no_device);
  std::unique_ptr<Impl> impl = open_first(device, count, no_device, open_cuda);
  if (impl->backend == Backend::cuda) impl->allocator = std::move(allocator);
  return Context(impl.release());
}

Context Context::on_stream(void* stream, int cuda_ordinal, std::shared_ptr<DeviceAllocator> allocator) {
  std::string cause;
  const int count = gpu::device_count(cause);
  if (cuda_ordinal < 0 || cuda_ordinal >= count)
    throw Error(ErrorKind::usage, fmt::format("on_stream: there is no CUDA device {}{}{}", cuda_ordinal,
                                              cause.empty() ? "" : ": ", cause));
  std::unique_ptr<Impl> impl = on_device(cuda_ordinal);
  gpu::require_primary(stream, cuda_ordinal);
  impl->stream = stream;
  impl->allocator = std::move(allocator);
  return Context(impl.release());
}

Backend Context::backend() const {
  return impl_->backend;
}
const DeviceInfo& Context::device() const {
  return impl_->device;
}
int Context::cuda_ordinal() const {
  return impl_->cuda_ordinal;
}

void* Context::native_stream() const {
  return impl_->stream;
}

void Context::after_stream(void* stream) {
  if (on_cuda()) gpu::after_stream(*impl_, stream);
}
void Context::after_event(void* event) {
  if (on_cuda()) gpu::after_event(*impl_, event);
}
void Context::before_stream(void* stream) {
  if (on_cuda()) gpu::before_stream(*impl_, stream);
}
void Context::record_event(void* event) {
  if (on_cuda()) gpu::record_event(*impl_, event);
}

void refuse_capture(const Context& context, const char* call) {
  if (context.on_cuda() && gpu::capture_of(context.impl()).id != 0)
    throw Error(ErrorKind::usage, fmt::format("{}: waits for the device and cannot be captured", call));
}

void Context::synchronize() {
  refuse_capture(*this, "synchronize");
  if (impl_->wait)
    impl_->wait();
  else if (on_cuda())
    gpu::synchronize(*impl_);
}

double Context::time(WorkRef work) {
  refuse_capture(*this, "time");
  if (on_cuda()) return gpu::time(*this, work);
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::byte* meeting_memory(Context& context, const MeetingPlace& place, std::size_t bytes) {
  return context.impl().meeting_memory(place, bytes);
}

const gpu::Traits& gpu::traits_of(const Context& context) {
  return context.impl().traits;
}

void gpu::refuse_elements(int bytes) {
  throw Error(ErrorKind::usage,
              fmt::format("elements of {} bytes are too large for this GPU's shared memory", bytes));
}

std::size_t available_host_memory() {
  const std::size_t system = number_in("/proc/meminfo", "MemAvailable:", SIZE_MAX / 1024) * 1024;
  const std::size_t limit = number_in("/sys/fs/cgroup/memory.max", "", SIZE_MAX);
  // The page cache that files left behind counts as used there, but gives way.
  const std::size_t current = number_in("/sys/fs/cgroup/memory.current", "", 0);
  const std::size_t cached = number_in("/sys/fs/cgroup/memory.stat", "inactive_file ", 0);
  const std::size_t used = current > cached ? current - cached : 0;
  return std::min(system, limit > used ? limit - used : 0);
}

std::size_t Context::available_memory() const {
  return on_cuda() ? gpu::available_memory(cuda_ordinal()) : available_host_memory();
}

const std::byte* Context::readable_bytes(const void* table, std::size_t bytes) {
  if (!on_cuda()) return static_cast<const std::byte*>(table);
  Impl::Constant& known = impl_->constants[table];
  if (known.bytes < bytes) known = {gpu::constant_on_device(cuda_ordinal(), table, bytes), bytes};
  return known.data;
}

std::shared_ptr<const std::byte> readable_bytes(Context& context, const std::shared_ptr<const void>& owner,
                                                const void* table, std::size_t bytes) {
  if (!context.on_cuda()) return {owner, static_cast<const std::byte*>(table)};
  std::shared_ptr<const std::byte> copy = gpu::table_on_device(context.cuda_ordinal(), owner, table, bytes);
  Context::Impl& own = context.impl();
  if (const std::shared_ptr<Arena> arena = own.arena(); arena != own.live) arena->tables.push_back(copy);
  return copy;
}

void copy_bytes(Context& context, const void* from, std::int64_t from_pitch_bytes, void* to,
                std::int64_t to_pitch_bytes, std::int64_t row_bytes, std::int64_t rows) {
  if (row_bytes == 0 || rows == 0 || counts(context)) return;
  if (context.on_cuda())
    return gpu::copy_bytes(context, from, from_pitch_bytes, to, to_pitch_bytes, row_bytes, rows);
  copy_host_rows(from, from_pitch_bytes, to, to_pitch_bytes, row_bytes, rows);
}

}  // namespace scanlens
