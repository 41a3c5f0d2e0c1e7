// An image owns the memory that a view points at.
#pragma once

#include <utility>

#include "core/context.h"
#include "core/error.h"
#include "core/view.h"

namespace scanlens {

/// Rows are packed. Copies are deleted, because a copy of an image is seldom meant and never free: `copy`
/// makes one.
template <class T>
class Image {
 public:
  Image() = default;
  /// Allocates host memory, contents indeterminate.
  Image(std::int64_t width, std::int64_t height, int channels = 1)
      : Image(Memory(Backend::cpu, packed_bytes(width, height, channels, sizeof(T))), width, height,
              channels) {}
  /// Allocates memory of the context's backend, by its allocator, contents indeterminate.
  Image(const Context& context, std::int64_t width, std::int64_t height, int channels = 1)
      : Image(Memory(context, packed_bytes(width, height, channels, sizeof(T))), width, height, channels) {}
  Image(Image&& other) noexcept
      : memory_(std::move(other.memory_)),
        width_(std::exchange(other.width_, 0)),
        height_(std::exchange(other.height_, 0)),
        channels_(other.channels_) {}
  Image& operator=(Image&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(width_, other.width_);
    std::swap(height_, other.height_);
    std::swap(channels_, other.channels_);
    return *this;
  }

  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  int channels() const { return channels_; }
  bool empty() const { return width_ == 0 || height_ == 0; }
  Backend backend() const { return memory_.backend(); }
  int cuda_ordinal() const { return memory_.cuda_ordinal(); }  ///< -1 in host memory
  std::size_t bytes() const { return memory_.bytes(); }

  View<T> view() { return {reinterpret_cast<T*>(memory_.data()), width_, height_, channels_}; }
  View<const T> view() const {
    return {reinterpret_cast<const T*>(memory_.data()), width_, height_, channels_};
  }

 private:
  Image(Memory memory, std::int64_t width, std::int64_t height, int channels)
      : memory_(std::move(memory)), width_(width), height_(height), channels_(channels) {}

  Memory memory_;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  int channels_ = 1;
};

/// Copies sample by sample between views of the same width, height and channels. On a CUDA context either
/// side may be host or device memory and the copy is ordered on its stream; on a CPU context both are host
/// memory. The views must not overlap.
///
/// A copy from or to pageable host memory, as every Image and std::vector has it, is complete when the call
/// returns. Pinned host memory (cudaMallocHost, cudaHostRegister) is read and written when the stream comes
/// to it, like device memory: leave it as it is until synchronize(). In a recording (core/graph.h) host
/// memory of either kind is read and written at every replay.
void copy_bytes(Context& context, const void* from, std::int64_t from_pitch_bytes, void* to,
                std::int64_t to_pitch_bytes, std::int64_t row_bytes, std::int64_t rows);

template <class T, class U>
requires std::is_same_v<std::remove_const_t<U>, T>
void copy(Context& context, View<U> from, View<T> to) {
  if (!same_size(from, to) || from.channels != to.channels)
    throw Error(ErrorKind::usage, "copy: the views differ in width, height or channels");
  if (overlap(from, to)) throw Error(ErrorKind::usage, "copy: the views overlap");
  copy_bytes(context, from.data, from.pitch * static_cast<std::int64_t>(sizeof(T)), to.data,
             to.pitch * static_cast<std::int64_t>(sizeof(T)),
             from.row_samples() * static_cast<std::int64_t>(sizeof(T)), from.height);
}

/// Makes an image readable by the context's backend: on a CPU context the image itself, on CUDA a copy on the
/// device, complete when the call returns.
template <class T>
Image<T> upload(Context& context, Image<T> host) {
  if (context.cuda_ordinal() == host.cuda_ordinal()) return host;
  if (host.backend() != Backend::cpu) throw Error(ErrorKind::usage, "upload: the image is on another device");
  Image<T> device(context, host.width(), host.height(), host.channels());
  copy(context, std::as_const(host).view(), device.view());
  context.synchronize();  // before `host` goes, which the caller may have pinned
  return device;
}

/// Makes an image readable by the host, and waits until it is: the image itself when it already is.
template <class T>
Image<T> download(Context& context, Image<T> image) {
  Image<T> host;
  if (image.backend() == Backend::cpu) {
    host = std::move(image);
  } else {
    if (context.cuda_ordinal() != image.cuda_ordinal())
      throw Error(ErrorKind::usage, "download: the image is on another device than the context");
    host = Image<T>(image.width(), image.height(), image.channels());
    copy(context, std::as_const(image).view(), host.view());
  }
  context.synchronize();
  return host;
}

}  // namespace scanlens
