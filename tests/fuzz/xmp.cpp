// XMP packets: read for their structures, judged, and given to Exiv2 as those of pictures are.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "app/io/metadata/metadata.h"
#include "app/io/metadata/xml_tags.h"
#include "app/io/metadata/xmp_values.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scanlens;
  const std::string_view packet(reinterpret_cast<const char*>(data), size);
  xmp_structures(packet, "http://ns.adobe.com/xmp/note");
  const bool refused = is_too_much(packet);
  Metadata metadata;
  const auto* first = reinterpret_cast<const std::byte*>(data);
  metadata.xmp.assign(first, first + size);
  std::vector<Remark> remarks;
  complete_metadata({}, {1, 1, 3, false}, metadata, remarks);
  if (refused && !metadata.xmp.empty()) std::abort();
  return 0;
}
