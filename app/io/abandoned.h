// Temporary files of processes that were killed.
#pragma once

#include <cstddef>
#include <filesystem>

namespace scanlens {

/// Removes the temporary files of AtomicFile in a folder that nobody writes any more, and returns how many
/// there were. Those of a living process, of this or of another machine on the same filesystem, are locked
/// and stay; where a filesystem has no locks, all stay. Never throws: what cannot be removed stays.
std::size_t remove_abandoned(const std::filesystem::path& folder) noexcept;

}  // namespace scanlens
