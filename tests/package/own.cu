// An operator of the user's own on both backends, in a file that uses CUB as well.
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

#include "core/compact_with.h"
#include "core/image.h"
#include "core/reduce_with.h"
#include "core/sat_with.h"
#include "core/scan_with.h"

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

int main() {
  constexpr int kCount = 100000;
  static_assert(sizeof(cuda::std::plus<>) == 1);  // CUB's own namespace `cuda` is not hidden by scanlens
  Context context = Context::open("auto");
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
