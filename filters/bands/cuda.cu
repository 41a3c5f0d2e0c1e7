#include <cstring>

#include "core/runtime/cuda_check.cuh"
#include "core/runtime/cuda_event.cuh"
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

/// Host memory that the copy engines reach by themselves.
class Pinned {
 public:
  explicit Pinned(std::size_t bytes) { SCANLENS_CUDA_CHECK(cudaMallocHost(&data_, bytes)); }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

/// Two bands in turn, copied by streams of their own: while the context works on one band, the next comes and
/// the one before leaves.
class Overlapped : public BandTransfer {
 public:
  Overlapped(Context& context, std::size_t bytes)
      : context_(context), slots_{Slot(context, bytes), Slot(context, bytes)} {}

  ~Overlapped() override {
    // What is still under way uses this memory.
    for (const cudaStream_t stream : {up_.get(), stream_, down_.get()}) cudaStreamSynchronize(stream);
  }

  const std::byte* upload(std::span<const std::byte> rows) override {
    Slot& slot = slots_[uploads_++ % 2];
    slot.uploaded.wait();           // the copy before from this pinned memory
    slot.computed.hold(up_.get());  // the work before on this device memory
    std::memcpy(slot.host_in.data(), rows.data(), rows.size());
    SCANLENS_CUDA_CHECK(cudaMemcpyAsync(slot.device_in.data(), slot.host_in.data(), rows.size(),
                                        cudaMemcpyHostToDevice, up_.get()));
    slot.uploaded.record(up_.get());
    slot.uploaded.hold(stream_);
    return slot.device_in.data();
  }

  std::byte* room() override {
    Slot& slot = slots_[downloads_ % 2];
    slot.downloaded.hold(stream_);
    return slot.device_out.data();
  }

  void download(std::size_t bytes) override {
    Slot& slot = slots_[downloads_++ % 2];
    slot.bytes = bytes;
    slot.computed.record(stream_);
    slot.computed.hold(down_.get());
    if (bytes > 0)
      SCANLENS_CUDA_CHECK(cudaMemcpyAsync(slot.host_out.data(), slot.device_out.data(), bytes,
                                          cudaMemcpyDeviceToHost, down_.get()));
    slot.downloaded.record(down_.get());
  }

  std::span<const std::byte> take(bool all) override {
    if (idle() || (!all && downloads_ - taken_ < 2)) return {};
    Slot& slot = slots_[taken_++ % 2];
    slot.downloaded.wait();
    return {slot.host_out.data(), slot.bytes};
  }

  bool idle() const override { return taken_ == downloads_; }

 private:
  struct Slot {
    Slot(Context& context, std::size_t bytes)
        : host_in(bytes),
          host_out(bytes),
          device_in(Backend::cuda, bytes, context.cuda_ordinal()),
          device_out(Backend::cuda, bytes, context.cuda_ordinal()) {}
    Pinned host_in, host_out;
    Memory device_in, device_out;
    Event uploaded{cudaEventDisableTiming}, computed{cudaEventDisableTiming},
        downloaded{cudaEventDisableTiming};
    std::size_t bytes = 0;  ///< of the result
  };

  Context& context_;
  cudaStream_t stream_ = stream_of(context_);  // makes the device current for what follows
  Stream up_, down_;
  Slot slots_[2];
  std::int64_t uploads_ = 0, downloads_ = 0, taken_ = 0;
};

}  // namespace

void open_band_transfer(Context& context, std::size_t bytes, std::unique_ptr<BandTransfer>& transfer) {
  transfer = std::make_unique<Overlapped>(context, bytes);
}

}  // namespace scanlens::gpu
