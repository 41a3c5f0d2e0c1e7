// Photoshop's resources: blocks with numbers, in one of which the words of IPTC stand. Inside scanlens_files.
#pragma once

#include <vector>

#include "app/io/file.h"

namespace scanlens {

/// Returns the words of IPTC (IIM) among the resources; nothing where there are none.
Bytes iptc_in(Bytes resources);

/// Returns the resources with these words of IPTC behind them.
std::vector<std::byte> with_iptc(Bytes resources, Bytes iptc);

/// Returns the resources without small pictures of the picture. What is damaged, and what follows it, goes.
std::vector<std::byte> without_thumbnails(Bytes resources);

}  // namespace scanlens
