// The CUDA backend of a build without nvcc. It offers no device, so that nothing else of it is ever reached.
#include "core/device_allocator.h"
#include "core/error.h"
#include "core/runtime/cuda_backend.h"

namespace scanlens::gpu {

namespace {
constexpr const char* kCause = "this build has no CUDA backend (nvcc was not found when it was configured)";
}  // namespace

DeviceGuard::DeviceGuard(const Context&) {}
DeviceGuard::DeviceGuard(const Context::Impl&) {}
DeviceGuard::DeviceGuard(int) {}
DeviceGuard::~DeviceGuard() = default;

int device_count(std::string& cause) {
  cause = kCause;
  return 0;
}
DeviceInfo probe(int) {
  throw Error(ErrorKind::usage, kCause);
}
std::byte* allocate(int, std::size_t) {
  throw Error(ErrorKind::usage, kCause);
}
void release(int, std::byte*) noexcept {}
void release(DeviceAllocator&, std::byte*, std::size_t, int, void*) noexcept {}
std::size_t available_memory(int) {
  return 0;
}
Traits traits(int) {
  return {};
}
void* primary_context(int) {
  return nullptr;
}
void zero(const Context::Impl&, std::byte*, std::size_t) {}
const std::byte* constant_on_device(int, const void*, std::size_t) {
  return nullptr;
}
std::shared_ptr<const std::byte> table_on_device(int, const std::shared_ptr<const void>&, const void*,
                                                 std::size_t) {
  return nullptr;
}
void require_primary(void*, int) {}
void after_stream(const Context::Impl&, void*) {}
void after_event(const Context::Impl&, void*) {}
void before_stream(const Context::Impl&, void*) {}
void record_event(const Context::Impl&, void*) {}
Capture capture_of(const Context::Impl&) {
  return {};
}
void let_own(void*, std::shared_ptr<Arena>) {}
void free_ended_arenas() {}
void* create_stream(int) {
  return nullptr;
}
void destroy_stream(int, void*) noexcept {}
void synchronize(const Context::Impl&) {}
double time(const Context&, WorkRef) {
  return 0;
}
void copy_bytes(const Context&, const void*, std::int64_t, void*, std::int64_t, std::int64_t, std::int64_t) {}
void* record(const Context&, WorkRef) {
  return nullptr;
}
void launch_graph(const Context&, void*) {}
void destroy_graph(int, void*) noexcept {}

}  // namespace scanlens::gpu

namespace scanlens {

std::shared_ptr<DeviceAllocator> pool_allocator(int, void*) {
  throw Error(ErrorKind::usage, gpu::kCause);
}

}  // namespace scanlens
