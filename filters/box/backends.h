// The steps of the box filter, per backend. Called by filters/box/box.cpp only.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/context.h"
#include "filters/box/pixel.h"

namespace scanlens {

/// The way of bands from host memory to the backend's and back. A band's work: upload, the context's calls
/// that read it and write to `room`, download.
class BandTransfer {
 public:
  virtual ~BandTransfer() = default;

  /// `rows` where the backend can read them, in the order of the context's calls.
  virtual const std::byte* upload(std::span<const std::byte> rows) = 0;

  /// Where the context's calls write the band's result.
  virtual std::byte* room() = 0;

  /// What they have written goes to the host; `bytes` may be 0.
  virtual void download(std::size_t bytes) = 0;

  /// The oldest result not given yet; nothing while it is worth more to keep it under way, unless `all`.
  /// Valid until the next download.
  virtual std::span<const std::byte> take(bool all) = 0;

  /// Whether every result has been given.
  virtual bool idle() const = 0;
};

namespace cpu {
template <class T, class Sum>
void box_gather(Context& context, const BoxTask<T, Sum>& task);
/// For bands of at most `bytes`.
void open_band_transfer(Context& context, std::size_t bytes, std::unique_ptr<BandTransfer>& transfer);
}  // namespace cpu
namespace gpu {
template <class T, class Sum>
void box_gather(Context& context, const BoxTask<T, Sum>& task);
void open_band_transfer(Context& context, std::size_t bytes, std::unique_ptr<BandTransfer>& transfer);
}  // namespace gpu
}  // namespace scanlens

/// All combinations of sample and sum that the gather is built for.
#define SCANLENS_INSTANTIATE_BOX_GATHER                                             \
  template void box_gather(Context&, const BoxTask<std::uint8_t, std::uint32_t>&);  \
  template void box_gather(Context&, const BoxTask<std::uint8_t, std::uint64_t>&);  \
  template void box_gather(Context&, const BoxTask<std::uint16_t, std::uint32_t>&); \
  template void box_gather(Context&, const BoxTask<std::uint16_t, std::uint64_t>&);
