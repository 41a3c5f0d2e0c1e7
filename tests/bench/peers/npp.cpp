#include "tests/bench/peers/npp.h"

#include <dlfcn.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/image.h"
#include "core/runtime/device.h"

namespace scanlens::bench {
namespace {

// The types are as nppdefs.h has them.
struct NppiSize {
  int width, height;
};
struct NppStreamContext {
  void* stream = nullptr;
  int device = 0;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 2048;
  int threads_per_block = 1024;
  std::size_t shared_bytes_per_block = 48 * 1024;
  int major = 9, minor = 0;
  unsigned stream_flags = 1;  // cudaStreamNonBlocking
  int reserved = 0;
};
struct NppiPoint {
  int x, y;
};
using Integral = int (*)(const std::uint8_t* from, int from_step, std::int32_t* to, int to_step,
                         NppiSize size, std::int32_t first, NppStreamContext context);

using FilterBox = int (*)(const std::uint8_t* from, int from_step, NppiSize from_size, NppiPoint from_offset,
                          std::uint8_t* to, int to_step, NppiSize size, NppiSize mask, NppiPoint anchor,
                          int border, NppStreamContext context);
using FilterGauss = int (*)(const std::uint8_t* from, int from_step, NppiSize from_size,
                            NppiPoint from_offset, std::uint8_t* to, int to_step, NppiSize size, int taps,
                            const float* kernel, int border, NppStreamContext context);
constexpr int kReplicateBorder = 2;

/// Returns a function of libnpp`part`, or null.
template <class Function>
Function find(const std::string& part, const char* function) {
  for (const char* version : {".so.13", ".so.12", ".so"})
    if (void* library = dlopen(("libnpp" + part + version).c_str(), RTLD_NOW | RTLD_GLOBAL))
      return reinterpret_cast<Function>(dlsym(library, function));
  return nullptr;
}

NppStreamContext stream_context(Context& context) {
  NppStreamContext stream;
  stream.stream = context.native_stream();
  stream.device = context.cuda_ordinal();
  stream.multiprocessors = gpu::traits_of(context).multiprocessors;
  return stream;
}

NppiSize size_of(const View<const std::uint8_t>& view) {
  return {static_cast<int>(view.width), static_cast<int>(view.height)};
}

void require_success(const char* function, int status) {
  if (status != 0) throw Error(std::string(function) + " failed with status " + std::to_string(status));
}

/// The Gaussian's weights, where the device reads them.
std::shared_ptr<Image<float>> gaussian_kernel(Context& context, double sigma) {
  const auto reach = static_cast<std::int64_t>(std::ceil(3 * sigma));
  Image<float> weights(2 * reach + 1, 1);
  double sum = 0;
  const auto weight = [&](std::int64_t i) {
    const auto distance = static_cast<double>(i - reach);
    return std::exp(-distance * distance / (2 * sigma * sigma));
  };
  for (std::int64_t i = 0; i <= 2 * reach; ++i) sum += weight(i);
  for (std::int64_t i = 0; i <= 2 * reach; ++i) weights.view()(i, 0) = static_cast<float>(weight(i) / sum);
  return std::make_shared<Image<float>>(upload(context, std::move(weights)));
}

}  // namespace

std::optional<Peer> npp_integral(Context& context, const std::vector<View<const std::uint8_t>>& images) {
  const Integral integral = context.on_cuda() ? find<Integral>("ist", "nppiIntegral_8u32s_C1R_Ctx") : nullptr;
  if (!integral || images.front().width >= INT32_MAX / 8 || images.front().height >= INT32_MAX) return {};
  const NppStreamContext stream = stream_context(context);
  const View<const std::uint8_t> first = images.front();
  const auto tables = std::make_shared<std::vector<Image<std::int32_t>>>();
  for (std::size_t i = 0; i < images.size(); ++i)
    tables->emplace_back(context, first.width + 1, first.height + 1);
  return Peer{"nppiIntegral",
              [=, &context] {
                const scanlens::gpu::DeviceGuard device(context);
                for (std::size_t i = 0; i < images.size(); ++i) {
                  const View<const std::uint8_t> from = images[i];
                  const View<std::int32_t> to = (*tables)[i].view();
                  const int status = integral(
                      from.data, static_cast<int>(from.pitch), to.data, static_cast<int>(to.pitch * 4),
                      {static_cast<int>(from.width), static_cast<int>(from.height)}, 0, stream);
                  if (status != 0) throw Error("nppiIntegral failed with status " + std::to_string(status));
                }
              },
              false};
}

std::optional<Peer> npp_box_filter(Context& context, View<const std::uint8_t> image, int radius,
                                   View<std::uint8_t> out) {
  const FilterBox filter =
      context.on_cuda() ? find<FilterBox>("if", "nppiFilterBoxBorder_8u_C3R_Ctx") : nullptr;
  if (!filter) return {};
  const NppiSize size = {static_cast<int>(image.width), static_cast<int>(image.height)};
  return Peer{"nppiFilterBoxBorder",
              [=, &context, stream = stream_context(context)] {
                const scanlens::gpu::DeviceGuard device(context);
                const int status = filter(image.data, static_cast<int>(image.pitch), size, {0, 0}, out.data,
                                          static_cast<int>(out.pitch), size, {2 * radius + 1, 2 * radius + 1},
                                          {radius, radius}, kReplicateBorder, stream);
                if (status != 0)
                  throw Error("nppiFilterBoxBorder failed with status " + std::to_string(status));
              },
              false};
}

std::optional<Peer> npp_gaussian_filter(Context& context, View<const std::uint8_t> image, double sigma,
                                        View<std::uint8_t> out) {
  constexpr const char* kName = "nppiFilterGaussAdvancedBorder";
  const FilterGauss filter =
      context.on_cuda() ? find<FilterGauss>("if", "nppiFilterGaussAdvancedBorder_8u_C3R_Ctx") : nullptr;
  if (!filter || !(sigma > 0)) return {};
  const std::shared_ptr<Image<float>> kernel = gaussian_kernel(context, sigma);
  return Peer{kName,
              [=, &context, stream = stream_context(context)] {
                const scanlens::gpu::DeviceGuard device(context);
                require_success(kName, filter(image.data, static_cast<int>(image.pitch), size_of(image),
                                              {0, 0}, out.data, static_cast<int>(out.pitch), size_of(image),
                                              static_cast<int>(kernel->width()), kernel->view().data,
                                              kReplicateBorder, stream));
              },
              false};
}

}  // namespace scanlens::bench
