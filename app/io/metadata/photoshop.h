// Photoshop's resources: blocks with numbers, among them the words of IPTC. Inside scanlens_files.
#pragma once

#include <vector>

#include "app/io/file.h"

namespace scanlens {

/// Returns the words of IPTC (IIM) among the resources; nothing without them.
Bytes iptc_in(Bytes resources);

/// Returns the resources with these words of IPTC behind them.
std::vector<std::byte> with_iptc(Bytes resources, Bytes iptc);

/// Returns the resources without small pictures of the picture. They end at the first that is damaged.
std::vector<std::byte> without_thumbnails(Bytes resources);

}  // namespace scanlens
