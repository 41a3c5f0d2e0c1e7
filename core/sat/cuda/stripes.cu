// Summed-area tables of wide 8-bit images on CUDA, by stripes: which images, and the launch.
#include <cudaTypedefs.h>

#include <climits>

#include "core/cuda/launch.cuh"
#include "core/error.h"
#include "core/runtime/cuda_check.cuh"
#include "core/sat/cuda/stripes.cuh"
#include "core/sat/cuda/stripes.h"

namespace scanlens::gpu {
namespace {

using Task = SatTask<std::uint8_t, std::uint32_t>;

/// The driver's function that describes tensors to the copy engine; null where the driver has none.
PFN_cuTensorMapEncodeTiled_v12000 tensor_encoder() {
  static const auto found = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                               cudaEnableDefault, &result);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
    const bool usable = succeeded(error) && result == cudaDriverEntryPointSuccess;
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(usable ? function : nullptr);
  }();
  return found;
}

/// A picture of 32-bit words, for copies of boxes of box_width x box_height.
bool describe(CUtensorMap& map, void* data, std::int64_t width, std::int64_t height, std::int64_t pitch_bytes,
              int box_width, int box_height) {
  const cuuint64_t size[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(height)};
  const cuuint64_t pitch[] = {static_cast<cuuint64_t>(pitch_bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_width), static_cast<cuuint32_t>(box_height)};
  const cuuint32_t step[] = {1, 1};
  return tensor_encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, data, size, pitch, box, step,
                          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                          CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

template <class S>
bool launch(Context& context, const Task& task) {
  static_assert(S::kValues >= kLeastStripeSamples && StripeBoard<S>::words(1) <= kMostStripeWords);
  const std::int64_t values = task.image.width * task.image.channels;
  StripeTask stripes;
  stripes.table = task.table.origin;
  stripes.pitch = task.table.pitch;
  stripes.height = static_cast<int>(task.height);
  stripes.above = task.above == Above::sums ? task.table.row(0, -1) : nullptr;
  stripes.values = static_cast<int>(values);
  stripes.groups = static_cast<int>((task.height + S::kRows - 1) / S::kRows);
  stripes.stripes = static_cast<int>((values + S::kValues - 1) / S::kValues);
  CUtensorMap image, table;
  // Whole words of the image: a row's last one may reach into what is between rows, which no entry counts.
  auto* samples = const_cast<std::uint8_t*>(task.image.data);
  if (!describe(image, samples, (values + 3) / 4, task.height, task.image.pitch, S::kValues / 4, S::kRows) ||
      !describe(table, task.table.origin, values / 4 * 4, task.height, task.table.pitch * 4, S::kBoxValues,
                S::kBlockRows))
    return false;
  stripes.epochs = sat_epochs(context);
  stripes.words = sat_words(context, StripeBoard<S>::words(stripes.stripes));
  launch_early(context, sat_stripes_kernel<S>, Blocks::all_at_once,
               dim3(static_cast<unsigned>(stripes.stripes)), S::kThreads,
               SharedBytes{sizeof(typename S::Shared), sizeof(typename S::Shared)}, stripes, image, table);
  return true;
}

/// Of 100 multiprocessors so many have to get a stripe, or tiles (core/sat/cuda/tiles.cuh) are faster.
/// Measured on an H200: RGB of 3000 pixels a row, 71 of 100, 0.73 of a copy's speed, by tiles 0.78; 3840
/// pixels, 91 of 100, 0.80 and 0.75; 5000 pixels, 60 of 100, 0.72 both; 6000 pixels, 71 of 100, 0.81 and
/// 0.76; 10000 pixels, 60 of 100, 0.86 and 0.77.
constexpr int least_busy(int channels, int spans) {
  if (spans == 1 && channels > 1) return 85;
  return spans < 4 ? 68 : 50;
}

/// With the narrowest stripes of which there is one for each multiprocessor at most.
template <int kChannels, int kSpans, int kMostSpans>
bool launch_fitting(Context& context, const Task& task) {
  using S = Stripe<kChannels, kSpans>;
  const int multiprocessors = std::min(context.impl().traits.multiprocessors, kMostStripes);
  const std::int64_t stripes = (task.image.width * kChannels + S::kValues - 1) / S::kValues;
  if (sizeof(typename S::Shared) > static_cast<std::size_t>(context.impl().traits.shared_bytes)) return false;
  if (stripes * 100 < multiprocessors * least_busy(kChannels, kSpans)) return false;
  if (stripes <= multiprocessors) return launch<S>(context, task);
  if constexpr (kSpans < kMostSpans) return launch_fitting<kChannels, 2 * kSpans, kMostSpans>(context, task);
  return false;
}

}  // namespace

bool table_by_stripes(Context& context, const Task& task) {
  const View<const std::uint8_t>& image = task.image;
  const auto aligned = [](const void* data, std::int64_t pitch_bytes) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && pitch_bytes % 16 == 0;
  };
  if (!context.impl().traits.hopper || task.images != 1 || task.channels != image.channels ||
      task.zeros_left || task.above == Above::zeros || task.terms.weigh_by_alpha ||
      task.table.step != image.channels || task.terms.lut || task.terms.packed || task.height > INT_MAX / 2 ||
      !aligned(image.data, image.pitch) || !aligned(task.table.origin, task.table.pitch * 4) ||
      !tensor_encoder())
    return false;
  switch (image.channels) {
    case 1:
      return launch_fitting<1, 1, 2>(context, task);
    case 3:
      return launch_fitting<3, 1, 8>(context, task);
    default:
      return launch_fitting<4, 1, 8>(context, task);
  }
}

}  // namespace scanlens::gpu
