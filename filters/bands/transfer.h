// The way of bands from host memory to the backend's and back.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/context.h"

namespace scanlens {

/// A band's way: upload, the context's calls that read it and write to `room`, download.
class BandTransfer {
 public:
  virtual ~BandTransfer() = default;

  /// `rows` where the backend can read them, in the order of the context's calls.
  virtual const std::byte* upload(std::span<const std::byte> rows) = 0;

  /// The place that the context's calls write the band's result to.
  virtual std::byte* room() = 0;

  /// Sends what they have written to the host; `bytes` may be 0.
  virtual void download(std::size_t bytes) = 0;

  /// The oldest result not given yet; nothing while it is worth more to keep it under way, unless `all`.
  /// Valid until the next download.
  virtual std::span<const std::byte> take(bool all) = 0;

  /// True if every result has been given.
  virtual bool idle() const = 0;
};

/// Bands that a transfer holds where the backend works: on CUDA two each way.
constexpr int kTransferBands = 4;

namespace cpu {
/// For bands of at most `bytes`.
void open_band_transfer(Context& context, std::size_t bytes, std::unique_ptr<BandTransfer>& transfer);
}  // namespace cpu
namespace gpu {
void open_band_transfer(Context& context, std::size_t bytes, std::unique_ptr<BandTransfer>& transfer);
}  // namespace gpu

}  // namespace scanlens
