// An operator of the user's own on both backends, in a file that uses CUB as well.
#include <scanlens/compact.h>
#include <scanlens/device_allocator.h>
#include <scanlens/image.h>
#include <scanlens/interop_cuda.h>
#include <scanlens/reduce.h>
#include <scanlens/sat_with.h>
#include <scanlens/scan.h>

#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

using namespace scanlens;

/// x -> factor * x + offset; chains of such maps are scanned.
struct Affine {
  float factor, offset;
};
struct Compose {
  __host__ __device__ Affine operator()(Affine first, Affine then) const {
    return {first.factor * then.factor, then.factor * first.offset + then.offset};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {1, 0};
  }
};
struct IsShrinking {
  __host__ __device__ bool operator()(Affine map) const { return map.factor < 1; }
};

/// Needs device code that calls the functions of the library's own operators.
struct Nearest {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return Min{}(a, b);
  }
  template <class T>
  __host__ __device__ static T identity() {
    return Min::identity<T>();
  }
};

/// A memory resource in the words of CCCL 3.1 and RMM, and in those before.
struct Pool {
  void* allocate(cuda::stream_ref stream, std::size_t bytes, std::size_t) {
    void* memory = nullptr;
    if (cudaMallocAsync(&memory, bytes, stream.get()) != cudaSuccess) throw std::bad_alloc();
    return memory;
  }
  void deallocate(cuda::stream_ref stream, void* memory, std::size_t, std::size_t) {
    cudaFreeAsync(memory, stream.get());
  }
};
struct OlderPool {
  Pool pool;
  void* allocate_async(std::size_t bytes, std::size_t alignment, cuda::stream_ref stream) {
    return pool.allocate(stream, bytes, alignment);
  }
  void deallocate_async(void* memory, std::size_t bytes, std::size_t alignment, cuda::stream_ref stream) {
    pool.deallocate(stream, memory, bytes, alignment);
  }
};

/// Contexts by the stream of another, with memory from resources: sums of ones.
template <class Resource>
bool take_resources(const Context& other) {
  constexpr int kNumbers = 100000;
  Context context = context_of(StreamOf{other}, other.cuda_ordinal(), allocator_of(Resource()));
  Image<std::uint32_t> ones(kNumbers, 1);
  std::fill_n(ones.view().data, kNumbers, 1u);
  Image<std::uint32_t> numbers = upload(context, std::move(ones));
  const std::span<std::uint32_t> all(numbers.view().data, kNumbers);
  inclusive_scan(context, all, all);
  numbers = download(context, std::move(numbers));
  return numbers.view().data[kNumbers - 1] == kNumbers;
}

/// CUB's sum and scanlens's on a stream of this program's, in one graph that it captures: sums of sums of
/// ones.
bool share_a_graph(int ordinal) {
  constexpr int kNumbers = 1000;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  bool right = false;
  cudaStreamCreate(&stream);
  {
    Context context = Context::on_stream(stream, ordinal, pool_allocator(ordinal));
    Image<std::uint32_t> ones(kNumbers, 1);
    std::fill_n(ones.view().data, kNumbers, 1u);
    Image<std::uint32_t> numbers = upload(context, std::move(ones)), sums(context, kNumbers, 1);
    std::uint32_t *const from = numbers.view().data, *const to = sums.view().data;
    std::size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, from, to, kNumbers, stream);
    Image<std::uint8_t> scratch(context, static_cast<std::int64_t>(bytes), 1);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cub::DeviceScan::InclusiveSum(scratch.view().data, bytes, from, to, kNumbers, stream);
    inclusive_scan(context, std::span(to, kNumbers), std::span(to, kNumbers));
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    sums = download(context, std::move(sums));
    right = sums.view().data[kNumbers - 1] == kNumbers * (kNumbers + 1) / 2;
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
  return right;
}

int main() {
  constexpr int kCount = 100000;
  static_assert(sizeof(cuda::std::plus<>) == 1);  // CUB's own namespace `cuda` is not hidden by scanlens
  Context context = Context::open("auto");
  if (context.on_cuda() && !share_a_graph(context.cuda_ordinal())) return 1;
  if (context.on_cuda() && !(take_resources<Pool>(context) && take_resources<OlderPool>(context))) return 1;
  Image<Affine> maps(kCount, 1);
  for (int i = 0; i < kCount; ++i) maps.view().data[i] = {i % 2 ? 0.5f : 2.f, 0};
  Image<Affine> on_device = upload(context, std::move(maps));
  Image<Affine> chains(context, kCount, 1), shrinking(context, kCount, 1);
  Image<std::uint64_t> count(context, 1, 1);
  Image<float> least(context, 1, 1);
  Image<std::uint32_t> table(context, 4, kCount / 4);
  const std::span<Affine> in(on_device.view().data, kCount), out(chains.view().data, kCount);
  inclusive_scan(context, in, out, Compose{});
  compact_if(context, in, IsShrinking{}, std::span(shrinking.view().data, kCount), count.view().data);
  reduce(context, std::span(&on_device.view().data->factor, kCount), least.view().data, Nearest{});
  const float* const factors = &on_device.view().data->factor;
  summed_area_table<1, 1>(context, View<const float>(factors, 4, kCount / 4), table.view(), {.scale = 2});
  chains = download(context, std::move(chains));
  count = download(context, std::move(count));
  least = download(context, std::move(least));
  table = download(context, std::move(table));
  std::printf("last %g, %d shrink, least %g, sum %u\n", chains.view().data[kCount - 1].factor,
              int(*count.view().data), *least.view().data, table.view()(3, kCount / 4 - 1));
}
