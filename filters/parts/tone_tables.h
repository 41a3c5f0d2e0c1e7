// Tables of tones where a context's calls read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/image.h"
#include "core/runtime/count.h"
#include "core/runtime/device.h"
#include "core/runtime/kept_memory.h"
#include "filters/filter.h"
#include "filters/parts/light.h"
#include "filters/tones.h"

namespace scanlens {

/// Constant arrays where the context's calls read them.
class ReadableArray {
 public:
  /// The array lasts as long as the object.
  template <class T>
  ReadableArray(Context& context, const std::vector<T>& array) : data_(array.data()) {
    if (!context.on_cuda()) return;
    refuse_capture(context, "a filter with tables");  // a replay would read the array, which is gone by then
    memory_ = KeptMemory(context, array.size() * sizeof(T));
    const auto bytes = static_cast<std::int64_t>(array.size() * sizeof(T));
    copy_bytes(context, array.data(), bytes, memory_.data(), bytes, bytes, 1);
    data_ = memory_.data();
  }
  ReadableArray() = default;

  template <class T>
  const T* as() const {
    return static_cast<const T*>(data_);
  }

 private:
  const void* data_ = nullptr;
  KeptMemory memory_;
};

/// The tones of a call's picture, or else sRGB's; none for floats.
class ReadableTones {
 public:
  ReadableTones(Context& context, const FilterCall& call, int sample_bytes) : own_(call.tones) {
    if (sample_bytes > 2) return;
    const Tones& tones = own_ ? *own_ : srgb_tones(sample_bytes);
    if (counts(context)) count(context, srgb_tones(sample_bytes));
    light_ = ReadableArray(context, tones.light);
    above_ = ReadableArray(context, tones.above);
    first_ = ReadableArray(context, tones.first);
    const bool one = tones.colours == 1;
    view_ = {light_.as<double>(),
             above_.as<float>(),
             first_.as<std::uint16_t>(),
             tones.buckets,
             one ? 0 : tones.codes,
             one ? 0 : tones.buckets + 1,
             &tones};
  }
  const ToneView& view() const { return view_; }

 private:
  /// Counts the tables of three colours on a GPU: the picture's own may come later.
  static void count(Context& context, const Tones& one) {
    const std::size_t bytes = one.light.size() * sizeof(one.light[0]) +
                              one.above.size() * sizeof(one.above[0]) +
                              one.first.size() * sizeof(one.first[0]);
    KeptMemory(context, 3 * bytes);
  }

  std::shared_ptr<const Tones> own_;  ///< whose tables are read
  ReadableArray light_, above_, first_;
  ToneView view_;
};

}  // namespace scanlens
