// My allocator: scratch memory comes from an object of yours.
#include <scanlens/device_allocator.h>
#include <scanlens/image.h>
#include <scanlens/sort.h>

#include <cstdio>

struct Counting final : scanlens::DeviceAllocator {
  std::size_t bytes = 0;  // that were asked for
  void* allocate(std::size_t size, int, void* stream) override {
    void* memory = nullptr;
    bytes += size;
    return cudaMallocAsync(&memory, size, static_cast<cudaStream_t>(stream)) == cudaSuccess ? memory
                                                                                            : nullptr;
  }
  void release(void* memory, std::size_t, int, void* stream) noexcept override {
    cudaFreeAsync(memory, static_cast<cudaStream_t>(stream));
  }
};

int main() {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess) return std::puts("no GPU"), 0;
  const auto mine = std::make_shared<Counting>();
  scanlens::Context context = scanlens::Context::open("cuda", mine);
  scanlens::Image<float> keys(context, 1 << 20, 1);  // a row of a million
  const std::span<float> all(keys.view().data, 1 << 20);
  sort_keys(context, all, all);
  context.synchronize();
  std::puts(mine->bytes > 2 * all.size_bytes() ? "the array and its scratch are mine"
                                               : "memory from elsewhere");
  return mine->bytes > 2 * all.size_bytes() ? 0 : 1;
}
