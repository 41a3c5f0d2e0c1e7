// Models of networks, as they are walked through before ONNX Runtime gets them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "app/depth/network/model_file.h"
#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const scanlens::ProtoFile file("fuzz", size, [bytes](std::size_t at, std::span<std::byte> part) {
    if (at > bytes.size() || part.size() > bytes.size() - at) std::abort();
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), part.size(), part.begin());
  });
  try {
    scanlens::model_facts(file);
  } catch (const scanlens::Error& error) {
    if (!std::string_view(error.what()).starts_with("fuzz: ")) std::abort();
  }
  return 0;
}
