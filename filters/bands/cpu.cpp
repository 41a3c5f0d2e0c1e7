#include <utility>

#include "filters/bands/transfer.h"

namespace scanlens::cpu {
namespace {

/// The host's memory is the backend's.
class InPlace : public BandTransfer {
 public:
  explicit InPlace(std::size_t bytes) : result_(Backend::cpu, bytes) {}

  const std::byte* upload(std::span<const std::byte> rows) override { return rows.data(); }
  std::byte* room() override { return result_.data(); }
  void download(std::size_t bytes) override { bytes_ = bytes; }
  std::span<const std::byte> take(bool) override { return {result_.data(), std::exchange(bytes_, 0)}; }
  bool idle() const override { return bytes_ == 0; }

 private:
  Memory result_;
  std::size_t bytes_ = 0;  ///< not given yet
};

}  // namespace

void open_band_transfer(Context&, std::size_t bytes, std::unique_ptr<BandTransfer>& transfer) {
  transfer = std::make_unique<InPlace>(bytes);
}

}  // namespace scanlens::cpu
