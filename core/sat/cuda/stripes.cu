// Summed-area tables of wide 8-bit images on CUDA, by stripes: the launch.
#include <cudaTypedefs.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/cuda/launch.cuh"
#include "core/error.h"
#include "core/runtime/cuda_check.cuh"
#include "core/sat/cuda/stripes.cuh"
#include "core/sat/cuda/stripes.h"
#include "core/sat/limits.h"
#include "core/sat/plan.h"

namespace scanlens::gpu {
namespace {

using Task = SatTask<std::uint8_t, std::uint32_t>;

/// Returns the driver's function that describes tensors to the copy engine. Every driver of CUDA 12 and newer
/// has it.
PFN_cuTensorMapEncodeTiled_v12000 tensor_encoder() {
  static const auto found = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    SCANLENS_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                         cudaEnableDefault, &result));
#else
    SCANLENS_CUDA_CHECK(
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result));
#endif
    if (result != cudaDriverEntryPointSuccess || !function)
      throw Error("summed_area_table: this driver cannot describe tensors; it is older than CUDA 12");
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
  }();
  return found;
}

/// Describes rows of 32-bit words as a tensor, for copies of boxes of box_width x box_height.
void describe(CUtensorMap& map, void* data, std::int64_t width, std::int64_t height, std::int64_t pitch_bytes,
              int box_width, int box_height) {
  const cuuint64_t size[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(height)};
  const cuuint64_t pitch[] = {static_cast<cuuint64_t>(pitch_bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_width), static_cast<cuuint32_t>(box_height)};
  const cuuint32_t step[] = {1, 1};
  const CUresult result = tensor_encoder()(
      &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, data, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error("summed_area_table: the driver refused to describe a tensor of " + std::to_string(width) +
                " x " + std::to_string(height) + " words, " + std::to_string(pitch_bytes) +
                " bytes per row (error " + std::to_string(static_cast<int>(result)) + ")");
}

template <class S>
void launch(Context& context, const Task& task) {
  static_assert(S::kValues == S::kSpans * stripes::span_values(S::kChannels) &&
                StripeWords<S>::words(1) <= stripes::kMostWords &&
                sizeof(typename S::Shared) <= stripes::kSharedBytes);
  const std::int64_t values = task.image.width * task.image.channels;
  StripeTask stripes;
  stripes.table = task.table.origin;
  stripes.pitch = task.table.pitch;
  stripes.height = static_cast<int>(task.height);
  stripes.above = task.above == Above::sums ? task.table.row(0, -1) : nullptr;
  stripes.zeros_above = task.above == Above::zeros;
  stripes.zeros_left = task.zeros_left;
  stripes.lut = task.terms.lut;
  stripes.values = static_cast<int>(values);
  stripes.groups = static_cast<int>((task.height + S::kRows - 1) / S::kRows);
  stripes.stripes = static_cast<int>((values + S::kValues - 1) / S::kValues);
  CUtensorMap image;
  // The tensor has whole words of the image. A row's last one may reach beyond the row; no entry counts that.
  auto* samples = const_cast<std::uint8_t*>(task.image.data);
  describe(image, samples, (values + 3) / 4, task.height, task.image.pitch, S::kValues / 4, S::kRows);
  CUtensorMap table{};
  if constexpr (!S::kByRows)
    describe(table, stripes.table, values / 4 * 4, task.height, task.table.pitch * 4, S::kBoxValues,
             S::kBlockRows);
  stripes.epochs = sat_epochs(context);
  stripes.words = sat_words(context, StripeWords<S>::words(stripes.stripes));
  launch_early(context, sat_stripes_kernel<S>, Blocks::all_at_once,
               dim3(static_cast<unsigned>(stripes.stripes)), S::kThreads,
               SharedBytes{sizeof(typename S::Shared), sizeof(typename S::Shared)}, stripes, image, table);
}

template <int kChannels, int kSpans, bool kByRows>
void launch(Context& context, const Task& task) {
  if constexpr (kChannels < 4)
    if (task.terms.lut) return launch<Stripe<kChannels, kSpans, true, kByRows>>(context, task);
  launch<Stripe<kChannels, kSpans, false, kByRows>>(context, task);
}

template <int kChannels, int kSpans>
void launch(Context& context, const Task& task, const SatPlan& plan) {
  if constexpr (kChannels == 3 && kSpans >= stripes::kLeastSpansByRows)
    if (plan.by_rows) return launch<kChannels, kSpans, true>(context, task);
  launch<kChannels, kSpans, false>(context, task);
}

template <int kChannels>
void launch(Context& context, const Task& task, const SatPlan& plan) {
  switch (plan.spans) {
    case 1:
      return launch<kChannels, 1>(context, task, plan);
    case 2:
      return launch<kChannels, 2>(context, task, plan);
    case 4:
      if constexpr (kChannels > 1) return launch<kChannels, 4>(context, task, plan);
      break;
    case 8:
      if constexpr (kChannels > 1) return launch<kChannels, 8>(context, task, plan);
      break;
  }
  throw Error("summed_area_table: no stripes have this number of spans");
}

}  // namespace

void table_by_stripes(Context& context, const Task& task, const SatPlan& plan) {
  switch (task.image.channels) {
    case 1:
      return launch<1>(context, task, plan);
    case 3:
      return launch<3>(context, task, plan);
    default:
      return launch<4>(context, task, plan);
  }
}

}  // namespace scanlens::gpu
