// Device memory that frames of one size use again and again.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "core/context.h"
#include "core/device_allocator.h"

namespace scanlens {

/// Keeps what is given back for the next who asks for as much on the same stream: cudaMalloc and cudaFree
/// take milliseconds and wait for the device. Where memory is short, what is kept is freed first.
class SpareMemory : public DeviceAllocator {
 public:
  void* allocate(std::size_t bytes, int ordinal, void* stream) override;
  void release(void* memory, std::size_t bytes, int ordinal, void* stream) noexcept override;

 private:
  struct Key {
    void* stream;
    int ordinal;
    std::size_t bytes;
    auto operator<=>(const Key&) const = default;
  };

  Memory spare(const Key& key);

  std::mutex mutex_;
  std::multimap<Key, Memory> spare_;
  std::map<void*, Memory> lent_;
};

}  // namespace scanlens
