// A word that a file keeps about itself, as an extended attribute: user.scanlens.made.
#pragma once

#include <filesystem>
#include <string>

namespace scanlens {

/// Marks a file that is open to be written, where its filesystem has extended attributes; says whether it
/// has.
bool set_mark(int descriptor, const std::string& mark) noexcept;

/// Returns what a file is marked with; nothing where there is no mark or no file.
std::string mark_of(const std::filesystem::path& path);

/// Returns whether files in this folder can be marked.
bool keeps_marks(const std::filesystem::path& folder);

}  // namespace scanlens
