#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <utility>

#include "filters/box_backends.h"

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

template <class T, class Sum>
void box_gather(Context&, const BoxTask<T, Sum>& shared) {
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, shared.out.height), [&](const auto& rows) {
    const BoxTask<T, Sum> task = shared;  // a copy that no written byte can be part of
    for (std::int64_t i = rows.begin(); i < rows.end(); ++i) {
      const BoxRow<T, Sum> row = box_row(task, i);
      for (int x = 0; x < task.width; ++x) box_pixel(task, row, x);
    }
  });
}

SCANLENS_INSTANTIATE_BOX_GATHER

void open_band_transfer(Context&, std::size_t bytes, std::unique_ptr<BandTransfer>& transfer) {
  transfer = std::make_unique<InPlace>(bytes);
}

}  // namespace scanlens::cpu
