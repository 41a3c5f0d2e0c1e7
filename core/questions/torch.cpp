// From PyTorch: a scan on its current stream, with memory from its allocator, in a graph that it captures.
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAStream.h>
#include <scanlens/interop_torch.h>
#include <scanlens/scan.h>
#include <torch/torch.h>

#include <cstdio>

int main() {
  if (!torch::cuda::is_available()) return std::puts("no GPU"), 0;
  const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(side);
  scanlens::Context context =
      scanlens::Context::on_stream(side.stream(), side.device_index(), scanlens::torch_allocator());
  const torch::Tensor ones = torch::ones({1000000}, torch::dtype(torch::kFloat).device(torch::kCUDA));
  torch::Tensor sums = torch::zeros_like(ones);
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  inclusive_scan(context, std::span(ones.data_ptr<float>(), 1000000),
                 std::span(sums.data_ptr<float>(), 1000000));
  graph.capture_end();
  graph.replay();
  const float last = sums[-1].item<float>();
  std::printf("last %g\n", last);
  return last == 1e6f ? 0 : 1;
}
