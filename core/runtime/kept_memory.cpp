#include "core/runtime/kept_memory.h"

#include <algorithm>
#include <utility>

#include "core/runtime/context_impl.h"

namespace scanlens {
namespace {

/// More blocks than the streams of a few filters hold are not kept.
constexpr std::size_t kMostSpare = 32;

/// Takes the smallest spare block of `bytes` to twice `bytes` bytes; empty if no block fits.
Memory take_spare(std::vector<Memory>& spare, std::size_t bytes) {
  auto best = spare.end();
  for (auto each = spare.begin(); each != spare.end(); ++each)
    if (each->bytes() >= bytes && each->bytes() / 2 <= bytes &&
        (best == spare.end() || each->bytes() < best->bytes()))
      best = each;
  if (best == spare.end()) return {};
  Memory memory = std::move(*best);
  spare.erase(best);
  return memory;
}

}  // namespace

KeptMemory::KeptMemory(Context& context, std::size_t bytes) : arena_(context.impl().arena()) {
  if (CallMemory* const counted = context.impl().counted) {
    counted->kept += static_cast<std::int64_t>(bytes);
    return;
  }
  memory_ = take_spare(arena_->spare, bytes);
  if (memory_.bytes() == 0) memory_ = context.impl().allocate(bytes);
}

KeptMemory::KeptMemory(KeptMemory&& other) noexcept = default;

KeptMemory& KeptMemory::operator=(KeptMemory&& other) noexcept {
  std::swap(arena_, other.arena_);
  std::swap(memory_, other.memory_);
  return *this;
}

KeptMemory::~KeptMemory() {
  if (!arena_ || memory_.backend() == Backend::cpu || memory_.bytes() == 0) return;
  std::vector<Memory>& spare = arena_->spare;
  if (spare.size() == kMostSpare) spare.erase(spare.begin());
  spare.push_back(std::move(memory_));
}

std::shared_ptr<void>& kept_thing(Context& context, const KeptPlace& place) {
  return context.impl().things[&place];
}

}  // namespace scanlens
