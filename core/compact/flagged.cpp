// Compactions by flags: the calls, and the CPU by vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/compact/flagged.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include "core/compact/cpu_vectors.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

/// As many flags as the vector has lanes, widened to its lanes.
template <class D>
hn::Mask<D> flagged(D d, const std::uint8_t* flags) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<std::uint32_t, D> words;
  const auto bytes = hn::LoadU(hn::Rebind<std::uint8_t, D>(), flags);
  if constexpr (sizeof(hn::TFromD<D>) <= 4)
    return hn::RebindMask(d, differ(hn::PromoteTo(du, bytes), hn::Zero(du)));
  else
    return hn::RebindMask(d, differ(hn::PromoteTo(du, hn::PromoteTo(words, bytes)), hn::Zero(du)));
}

template <class T>
std::int64_t split_flagged(const T* in, std::int64_t first, std::int64_t count, T* kept, T* rejected,
                           const std::uint8_t* flags) {
  return split_vectors(
      in, first, count, kept, rejected, [=](std::int64_t i) { return flagged(Lanes<T>(), flags + i); },
      [=](const T&, std::int64_t i) { return flags[i] != 0; });
}

#define SCANLENS_DEFINE_FLAGGED(name, T)                                                                \
  std::int64_t Flagged##name(const T* in, std::int64_t first, std::int64_t count, T* kept, T* rejected, \
                             const std::uint8_t* flags) {                                               \
    return split_flagged(in, first, count, kept, rejected, flags);                                      \
  }
SCANLENS_COMPACTED_BITS(SCANLENS_DEFINE_FLAGGED)

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/compact/checks.h"
#include "core/runtime/dispatch.h"

namespace scanlens::cpu {

#define SCANLENS_DEFINE_COMPACT_FLAGGED(name, T)                                                       \
  HWY_EXPORT(Flagged##name);                                                                           \
  template <>                                                                                          \
  void compact_flagged(Context& context, const T* in, const std::uint8_t* flags, T* kept, T* rejected, \
                       std::uint64_t* count, std::int64_t n) {                                         \
    compact_by(context, kept, rejected, count, n,                                                      \
               [=](std::int64_t first, std::int64_t length, T* stay, T* go) {                          \
                 return HWY_DYNAMIC_DISPATCH(Flagged##name)(in, first, length, stay, go, flags);       \
               });                                                                                     \
  }
SCANLENS_COMPACTED_BITS(SCANLENS_DEFINE_COMPACT_FLAGGED)

}  // namespace scanlens::cpu
namespace scanlens {

template <class T>
void compiled::compact_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                               std::span<T> out, std::uint64_t* count) {
  require_compactable("compact_flagged", {"in", in}, {"out", out}, count);
  require_flags("compact_flagged", {"in", in}, {"flags", flags}, {"out", out}, count);
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, compact_flagged, in.data(), flags.data(), out.data(), static_cast<T*>(nullptr),
                    count, n);
}

template <class T>
void compiled::partition_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                                 std::span<T> kept, std::span<T> rejected, std::uint64_t* count) {
  require_partition("partition_flagged", {"in", in}, {"kept", kept}, {"rejected", rejected}, count);
  require_flags("partition_flagged", {"in", in}, {"flags", flags}, {"kept", kept}, count);
  require_flags("partition_flagged", {"in", in}, {"flags", flags}, {"rejected", rejected}, count);
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, compact_flagged, in.data(), flags.data(), kept.data(), rejected.data(), count,
                    n);
}

#define SCANLENS_INSTANTIATE(name, T)                                                                    \
  template void compiled::compact_flagged(Context&, std::span<const T>, std::span<const std::uint8_t>,   \
                                          std::span<T>, std::uint64_t*);                                 \
  template void compiled::partition_flagged(Context&, std::span<const T>, std::span<const std::uint8_t>, \
                                            std::span<T>, std::span<T>, std::uint64_t*);
SCANLENS_COMPACTED_BITS(SCANLENS_INSTANTIATE)

}  // namespace scanlens
#endif  // HWY_ONCE
