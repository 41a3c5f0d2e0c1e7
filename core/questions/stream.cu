// My stream: calls are queued on a stream of yours, between kernels of yours.
#include <scanlens/scan.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr int kCount = 1 << 20;
  cudaStream_t stream = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess) return std::puts("no GPU"), 0;
  const std::vector<float> ones(kCount, 1);
  float *numbers = nullptr, last = 0;
  cudaMallocAsync(&numbers, kCount * sizeof(float), stream);
  {
    scanlens::Context context = scanlens::Context::on_stream(stream, 0);  // GPU 0
    const std::span<float> all(numbers, kCount);
    cudaMemcpyAsync(numbers, ones.data(), all.size_bytes(), cudaMemcpyDefault,
                    stream);            // or kernels of yours
    inclusive_scan(context, all, all);  // nothing waits
  }
  cudaMemcpyAsync(&last, numbers + kCount - 1, sizeof(float), cudaMemcpyDefault, stream);
  cudaStreamSynchronize(stream);
  std::printf("last %g\n", last);
  return last == kCount ? 0 : 1;
}
