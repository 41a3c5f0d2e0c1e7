// Notes that a file keeps about itself, as extended attributes: how it was made, and what saved it.
#pragma once

#include <filesystem>
#include <string>

namespace scanlens {

/// Marks a file that is open to be written, where its filesystem has extended attributes; says whether it
/// has.
bool set_mark(int descriptor, const std::string& mark) noexcept;

/// Returns what a file is marked with; nothing where there is no mark or no file.
std::string mark_of(const std::filesystem::path& path);

/// Marks a file as a picture that the viewer saved, by another attribute: user.scanlens.saved. Nothing
/// happens on a filesystem without attributes.
void mark_saved(const std::filesystem::path& path) noexcept;

/// Returns whether a file is marked so.
bool is_marked_saved(const std::filesystem::path& path) noexcept;

/// Returns whether files in this folder can be marked.
bool keeps_marks(const std::filesystem::path& folder);

}  // namespace scanlens
