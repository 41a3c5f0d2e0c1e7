// The members of a ZIP archive in memory, as numpy writes them; inside scanlens_files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/io/codecs/codecs.h"

namespace scanlens {

struct ZipMember {
  std::string name;
  Bytes packed;
  std::size_t size = 0;  ///< unpacked
  bool deflated = false;
  std::uint32_t crc = 0;
};

/// Lists the members by the central directory. Throws Error "NAME: cause" when it is corrupt, and for what
/// numpy does not write: encryption, methods other than stored and deflate, and parts.
std::vector<ZipMember> zip_members(const Source& source);

/// Returns a member unpacked, as large as announced and with the right checksum, else throws Error. The
/// source's limits are checked before any allocation.
Memory unzipped(const Source& source, const ZipMember& member);

}  // namespace scanlens
