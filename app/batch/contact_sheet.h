// All outputs of a batch at a glance.
#pragma once

#include <filesystem>
#include <span>

#include "app/io/picture.h"

namespace scanlens {

/// Throws Error (usage) unless its name is that of a sheet: a page (.html), or a picture.
void check_contact_sheet(const std::filesystem::path& sheet);

/// Writes small copies of the outputs side by side, in their order; or a page that shows them, with their
/// names and sizes. Outputs that cannot be read stay out of a picture. Throws Error "SHEET: cause".
void write_contact_sheet(const std::filesystem::path& sheet, std::span<const std::filesystem::path> outputs,
                         const Limits& limits, const Overwrite& overwrite);

}  // namespace scanlens
