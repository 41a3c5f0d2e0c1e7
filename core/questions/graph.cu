// A captured graph: calls become part of a graph that you capture, and replay with other data in the same
// memory.
#include <scanlens/compact.h>
#include <scanlens/image.h>

#include <cstdio>

int main() {
  constexpr int kCount = 1 << 16;
  cudaStream_t stream = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess) return std::puts("no GPU"), 0;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t program = nullptr;
  std::uint64_t kept = 0;
  {
    scanlens::Context context = scanlens::Context::on_stream(stream, 0);
    scanlens::Image<int> numbers(context, kCount, 1), large(context, kCount, 1);
    scanlens::Image<std::uint64_t> count(context, 1, 1);
    cudaMemsetAsync(numbers.view().data, 0, kCount * sizeof(int), stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    compact_if(context, std::span(numbers.view().data, kCount), {scanlens::Compare<int>::less, 0},
               std::span(large.view().data, kCount), count.view().data);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&program, graph, 0);
    cudaMemsetAsync(numbers.view().data, 0xff, 1000 * sizeof(int), stream);  // a thousand times -1
    cudaGraphLaunch(program, stream);
    cudaMemcpyAsync(&kept, count.view().data, sizeof(kept), cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(program);
    cudaGraphDestroy(graph);
  }
  std::printf("%d are kept\n", int(kept));
  return kept == 1000 ? 0 : 1;
}
