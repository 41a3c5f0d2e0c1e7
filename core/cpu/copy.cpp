#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/copy.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "core/cpu/copy.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void CopyPastCache(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t vector = hn::Lanes(d);
  const std::size_t astray = reinterpret_cast<std::uintptr_t>(to) % vector;
  const std::size_t head = std::min(bytes, astray ? vector - astray : 0);
  std::memcpy(to, from, head);
  std::size_t i = head;
  for (; i + vector <= bytes; i += vector) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  std::memcpy(to + i, from + i, bytes - i);
}

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

HWY_EXPORT(CopyPastCache);

void copy_past_cache(const void* from, void* to, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(CopyPastCache)
  (static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to), bytes);
}

void fence_copies() {
  hwy::FlushStream();
}

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
