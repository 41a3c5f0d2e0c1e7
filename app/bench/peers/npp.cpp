#include "app/bench/peers/npp.h"

#include <dlfcn.h>

#include <memory>
#include <string>

#include "core/error.h"
#include "core/image.h"
#include "core/runtime/context_impl.h"

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
  stream.stream = context.impl().stream;
  stream.device = context.cuda_ordinal();
  stream.multiprocessors = context.impl().traits.multiprocessors;
  return stream;
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

}  // namespace scanlens::bench
