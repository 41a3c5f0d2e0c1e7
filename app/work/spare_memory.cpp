#include "app/work/spare_memory.h"

#include <utility>

#include "core/error.h"

namespace scanlens {

Memory SpareMemory::spare(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = spare_.find(key);
  return found == spare_.end() ? Memory() : std::move(spare_.extract(found).mapped());
}

void* SpareMemory::allocate(std::size_t bytes, int ordinal, void* stream) {
  const auto fresh = [&] { return Memory(Backend::cuda, bytes, ordinal); };
  Memory memory = spare({stream, ordinal, bytes});
  try {
    if (!memory.data()) memory = fresh();
  } catch (const Error&) {
    std::multimap<Key, Memory> freed;
    {
      const std::lock_guard lock(mutex_);
      freed.swap(spare_);
    }
    freed.clear();  // cudaFree waits for who still uses it
    try {
      memory = fresh();
    } catch (const Error&) {
      return nullptr;
    }
  }
  void* const data = memory.data();
  const std::lock_guard lock(mutex_);
  lent_.emplace(data, std::move(memory));
  return data;
}

void SpareMemory::release(void* memory, std::size_t bytes, int ordinal, void* stream) noexcept {
  const std::lock_guard lock(mutex_);
  if (auto given = lent_.extract(memory))
    spare_.emplace(Key{stream, ordinal, bytes}, std::move(given.mapped()));
}

}  // namespace scanlens
