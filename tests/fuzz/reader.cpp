// One reader of foreign bytes per executable: SCANLENS_FUZZ_CALL reads the source.
#include <cstddef>
#include <cstdint>

#include "app/depth/files/raw.h"
#include "app/io/codecs/codecs.h"
#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scanlens;
  if (size == 0) return 0;  // refused before a reader sees it
  const Source source{"fuzz", {reinterpret_cast<const std::byte*>(data), size}, {1 << 20, 16 << 20}};
  try {
    SCANLENS_FUZZ_CALL;
  } catch (const Error&) {  // how a reader refuses
  }
  return 0;
}
