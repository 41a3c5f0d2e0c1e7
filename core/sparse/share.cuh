// A block's share of a sparse matrix, and how it comes into shared memory. The algorithm stands at the head
// of core/sparse/cuda.cu.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>
#include <cstring>

#include "core/runtime/cuda_check.cuh"

namespace scanlens::gpu {

constexpr int kShareThreads = 128;
constexpr int kGroup = 4;  // values that a thread loads at once

/// Numbers of items that a block and a thread take.
template <class T>
struct Share {
  static constexpr int kItems = 64 / sizeof(T);
  static constexpr int kSlots = kShareThreads * kItems;
  /// A block begins with the group of its first value, up to kGroup - 1 slots before it.
  static constexpr int kCount = kSlots - (kGroup - 1);
  static constexpr int kGroups = kItems / kGroup;         // groups per thread
  static constexpr int kStride = kShareThreads * kGroup;  // slots from one of its groups to the next

  /// Position of a slot in shared memory. An element of padding after every 128 bytes keeps threads that step
  /// through rows, or through kItems items, off a single bank (GPU Gems 3, section 39.2.3).
  __device__ static constexpr int place(int slot) { return slot + slot / static_cast<int>(128 / sizeof(T)); }
};

template <class T>
struct ShareMatrix {
  const std::uint32_t* row_begin;
  const std::uint32_t* columns;
  const T* values;
  std::int64_t rows;
  std::int64_t stored;  // values
  bool aligned;         // true if groups of columns and of values lie on 16-byte boundaries

  __host__ __device__ std::int64_t items() const { return rows + stored; }
  __host__ __device__ std::int64_t shares() const {
    return (items() + Share<T>::kCount - 1) / Share<T>::kCount;
  }
  __device__ std::int64_t end_item(std::int64_t row) const { return row + row_begin[row + 1]; }
};

/// The rows and values of a block's share. Slots count from the group of the first value: that has slot
/// `skipped`.
template <class T>
struct ShareExtent {
  std::int64_t first_row;
  std::int64_t first_group;  // the stored value at slot 0
  int rows;                  // number of rows that end in the share
  int skipped, end;          // the share's values have slots from `skipped` to before `end`

  __device__ ShareExtent(const ShareMatrix<T>& a, const std::uint32_t* share_row, std::int64_t share) {
    const std::int64_t first_item = share * Share<T>::kCount, last_row = share_row[share + 1];
    first_row = share_row[share];
    rows = static_cast<int>(last_row - first_row);
    skipped = static_cast<int>((first_item - first_row) % kGroup);
    end = skipped + static_cast<int>(min(first_item + Share<T>::kCount, a.items()) - first_item) - rows;
    first_group = first_item - first_row - skipped;
  }
  __device__ bool has_value(int slot) const { return slot >= skipped && slot < end; }
};

/// Loads kGroup elements, 16 bytes at a time. They are used once, and had better leave the cache to x.
template <class T>
__device__ void load_group(const T* from, T (&to)[kGroup]) {
#pragma unroll
  for (int i = 0; i < kGroup; i += 16 / sizeof(T)) {
    const uint4 words = __ldcs(reinterpret_cast<const uint4*>(from + i));
    memcpy(to + i, &words, 16);
  }
}

/// The stored values of a share on their way: their loads are issued, and no thread has waited for them.
template <class T>
struct ShareValues {
  std::uint32_t columns[Share<T>::kGroups][kGroup] = {};
  T values[Share<T>::kGroups][kGroup] = {};

  __device__ ShareValues(const ShareMatrix<T>& a, const ShareExtent<T>& extent) {
    const int first_slot = threadIdx.x * kGroup;
    const std::uint32_t* from_columns = a.columns + extent.first_group + first_slot;
    const T* from_values = a.values + extent.first_group + first_slot;
    if (a.aligned && extent.first_group + extent.end + kGroup <= a.stored) {
#pragma unroll
      for (int i = 0; i < Share<T>::kGroups; ++i)
        if (first_slot + i * Share<T>::kStride < extent.end) {
          load_group(from_columns + i * Share<T>::kStride, columns[i]);
          load_group(from_values + i * Share<T>::kStride, values[i]);
        }
    } else {
#pragma unroll
      for (int i = 0; i < Share<T>::kGroups; ++i)
#pragma unroll
        for (int j = 0; j < kGroup; ++j)
          if (const int slot = i * Share<T>::kStride + j; extent.has_value(first_slot + slot)) {
            columns[i][j] = __ldcs(from_columns + slot);
            values[i][j] = __ldcs(from_values + slot);
          }
    }
  }

  /// Fills the slots: products of the share's values, and zeros before and after them, which are harmless to
  /// add. All elements of x are in flight together. Groups that were not loaded have column 0, which is
  /// there.
  __device__ void multiply(const ShareExtent<T>& extent, const T* x, T* products) const {
    T factors[Share<T>::kGroups][kGroup];
#pragma unroll
    for (int i = 0; i < Share<T>::kGroups; ++i)
#pragma unroll
      for (int j = 0; j < kGroup; ++j) factors[i][j] = x[columns[i][j]];
#pragma unroll
    for (int i = 0; i < Share<T>::kGroups; ++i) {
      const int slot = threadIdx.x * kGroup + i * Share<T>::kStride;
#pragma unroll
      for (int j = 0; j < kGroup; ++j) factors[i][j] *= values[i][j];
      if (slot < extent.skipped || slot + kGroup > extent.end)
#pragma unroll
        for (int j = 0; j < kGroup; ++j)
          if (!extent.has_value(slot + j)) factors[i][j] = 0;
#pragma unroll
      for (int j = 0; j < kGroup; ++j) products[Share<T>::place(slot) + j] = factors[i][j];
    }
  }
};

/// The beginnings of the share's rows, copied to shared memory asynchronously: that takes no registers, and
/// no order among other loads. Only from compute capability 8.0 on; before, the threads copy.
template <class T>
class ShareRows {
 public:
  static constexpr int kBegins = Share<T>::kCount + 1;

  __device__ ShareRows(const ShareMatrix<T>& a, const ShareExtent<T>& extent, std::uint32_t* begins)
      : extent_(extent), begins_(begins) {
    for (int row = threadIdx.x; row <= extent.rows; row += kShareThreads)
      __pipeline_memcpy_async(begins + row, a.row_begin + extent.first_row + row, sizeof(std::uint32_t));
    __pipeline_commit();
  }
  /// To be called by every thread, with a barrier after it, before anything is asked.
  __device__ void wait() const { __pipeline_wait_prior(0); }

  /// The slots of row i of the share, from first to before last. Row `extent.rows` is the one that is left
  /// open.
  __device__ int first(int row) const { return row == 0 ? extent_.skipped : slot(begins_[row]); }
  __device__ int last(int row) const { return row == extent_.rows ? extent_.end : slot(begins_[row + 1]); }

 private:
  __device__ int slot(std::uint32_t value) const {
    return static_cast<int>(value - static_cast<std::uint32_t>(extent_.first_group));
  }
  const ShareExtent<T>& extent_;
  const std::uint32_t* begins_;
};

}  // namespace scanlens::gpu
