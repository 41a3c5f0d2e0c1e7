// Checks that all ranks make the same call.
#include "core/ranks/backends.h"
#include "core/ranks/group.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"

namespace scanlens {
namespace {

/// Source: Fowler, Noll, Vo, FNV-1a.
struct Hash {
  std::uint64_t value = 14695981039346656037u;

  void add(std::string_view bytes) {
    for (const char byte : bytes) value = (value ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  }
};

bool captured([[maybe_unused]] const Context& context) {
#ifdef SCANLENS_WITH_CUDA
  return context.on_cuda() && gpu::is_captured(context);
#else
  return false;
#endif
}

}  // namespace

void require_agreement(Ranks::Impl& ranks, const char* call, std::string_view types,
                       std::span<const std::uint64_t> words) {
  if (!ranks.check || captured(ranks.context(0))) return;
  Scratch scratch(ranks);
  Gathered<std::uint64_t> hashes(ranks, scratch);
  for (int i = 0; i < ranks.local(); ++i) {
    Hash hash;
    hash.add(call);
    hash.add(types);
    const std::uint64_t word = words[static_cast<std::size_t>(i)];
    hash.add({reinterpret_cast<const char*>(&word), sizeof word});
    SCANLENS_DISPATCH(ranks.context(i), set_count, hashes.mine(i), hash.value);
  }
  hashes.gather();
  const std::vector<std::uint64_t> all = hashes.on_host();
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    SCANLENS_REQUIRE(
        all[rank] == all[0],
        fmt::format("{}: rank {} makes another call than rank 0; make the same calls of the same "
                    "types and sizes in the same order",
                    call, rank));
}

void require_agreement(Ranks::Impl& ranks, const char* call, std::string_view types, std::uint64_t word) {
  if (!ranks.check) return;
  require_agreement(ranks, call, types, std::vector<std::uint64_t>(ranks.contexts.size(), word));
}

}  // namespace scanlens
