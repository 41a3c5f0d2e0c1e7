#include <cstring>
#include <initializer_list>
#include <memory>

#include "core/runtime/cuda_check.cuh"
#include "core/runtime/cuda_event.cuh"
#include "core/runtime/kept_memory.h"
#include "core/runtime/pinned.cuh"
#include "core/runtime/wait_mark.h"
#include "filters/bands/transfer.h"

namespace scanlens::gpu {
namespace {

/// A stream beside the context's.
class Stream {
 public:
  Stream() { SCANLENS_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// The host's objects to copy two bands in turn each way. It takes milliseconds to make, so that a context
/// keeps it from picture to picture.
struct CopyEngines {
  explicit CopyEngines(std::size_t capacity) : bytes(capacity), slots{Slot(capacity), Slot(capacity)} {}

  struct Slot {
    explicit Slot(std::size_t bytes) : host_in(bytes), host_out(bytes) {}
    Pinned host_in, host_out;
    // Waits for these sleep: the codecs need all cores.
    static constexpr unsigned kSleeps = cudaEventDisableTiming | cudaEventBlockingSync;
    Event uploaded{kSleeps}, computed{cudaEventDisableTiming}, downloaded{kSleeps};
  };

  const std::size_t bytes;  ///< of the largest band
  Stream up, down;
  Slot slots[2];
};

inline constexpr KeptPlace kCopyEngines{};

/// Takes the context's, if they are free and bands fit.
std::shared_ptr<CopyEngines> copy_engines(Context& context, std::size_t bytes) {
  std::shared_ptr<void>& kept = kept_thing(context, kCopyEngines);
  const auto engines = std::static_pointer_cast<CopyEngines>(kept);
  if (engines && engines->bytes >= bytes && kept.use_count() == 2) return engines;
  auto made = std::make_shared<CopyEngines>(bytes);
  kept = made;
  return made;
}

/// Two bands in turn, copied by streams of their own: while the context works on one band, the next comes and
/// the one before leaves.
class Overlapped : public BandTransfer {
 public:
  Overlapped(Context& context, std::size_t bytes)
      : ordinal_(context.cuda_ordinal()),
        stream_(stream_of(context)),
        engines_(copy_engines(context, bytes)) {
    for (Slot& slot : slots_) slot = {KeptMemory(context, bytes), KeptMemory(context, bytes)};
  }

  ~Overlapped() override {
    // Copies that are still under way use this memory.
    const WaitMark mark(ordinal_);
    for (const cudaStream_t stream : {engines_->up.get(), stream_, engines_->down.get()})
      cudaStreamSynchronize(stream);
  }

  const std::byte* upload(std::span<const std::byte> rows) override {
    const std::size_t i = uploads_++ % 2;
    CopyEngines::Slot& host = engines_->slots[i];
    host.uploaded.wait();                    // the copy before from this pinned memory
    host.computed.hold(engines_->up.get());  // the work before on this device memory
    std::memcpy(host.host_in.data(), rows.data(), rows.size());
    SCANLENS_CUDA_CHECK(cudaMemcpyAsync(slots_[i].in.data(), host.host_in.data(), rows.size(),
                                        cudaMemcpyHostToDevice, engines_->up.get()));
    host.uploaded.record(engines_->up.get());
    host.uploaded.hold(stream_);
    return slots_[i].in.data();
  }

  std::byte* room() override {
    engines_->slots[downloads_ % 2].downloaded.hold(stream_);
    return slots_[downloads_ % 2].out.data();
  }

  void download(std::size_t bytes) override {
    const std::size_t i = downloads_++ % 2;
    CopyEngines::Slot& host = engines_->slots[i];
    slots_[i].bytes = bytes;
    host.computed.record(stream_);
    host.computed.hold(engines_->down.get());
    if (bytes > 0)
      SCANLENS_CUDA_CHECK(cudaMemcpyAsync(host.host_out.data(), slots_[i].out.data(), bytes,
                                          cudaMemcpyDeviceToHost, engines_->down.get()));
    host.downloaded.record(engines_->down.get());
  }

  std::span<const std::byte> take(bool all) override {
    if (idle() || (!all && downloads_ - taken_ < 2)) return {};
    const std::size_t i = taken_++ % 2;
    engines_->slots[i].downloaded.wait();
    return {engines_->slots[i].host_out.data(), slots_[i].bytes};
  }

  bool idle() const override { return taken_ == downloads_; }

 private:
  struct Slot {
    KeptMemory in, out;
    std::size_t bytes = 0;  ///< of the result
  };

  int ordinal_;
  cudaStream_t stream_;
  std::shared_ptr<CopyEngines> engines_;
  Slot slots_[2];
  std::size_t uploads_ = 0, downloads_ = 0, taken_ = 0;
};

}  // namespace

void open_band_transfer(Context& context, std::size_t bytes, std::unique_ptr<BandTransfer>& transfer) {
  transfer = std::make_unique<Overlapped>(context, bytes);
}

}  // namespace scanlens::gpu
