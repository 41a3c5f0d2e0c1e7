// Temporary files of processes that were killed.
#pragma once

#include <cstddef>
#include <filesystem>

namespace scanlens {

/// Removes temporary files of AtomicFile, and of claims on outputs, that no program holds any more, from a
/// folder. Returns the number of those that were not empty. Those of a living process, of this or of another
/// machine on the same filesystem, are locked and stay; where a filesystem has no locks, all stay. Never
/// throws: what cannot be removed stays.
std::size_t remove_abandoned(const std::filesystem::path& folder) noexcept;

}  // namespace scanlens
