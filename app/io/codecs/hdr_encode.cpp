// Radiance HDR through stb_image_write, into memory, where its lack of checks does no harm.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wshadow"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include <fmt/format.h>

#include <algorithm>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {

Encoded encode_hdr(View<const float> image, const std::string& name) {
  constexpr float kMost = 1.6e38f;  // the largest exponent is 127
  if (image.channels != 3 || std::max(image.width, image.height) > INT32_MAX / 16)
    throw Error(fmt::format("{}: the picture is too wide or too high for Radiance HDR", name));
  std::vector<float> light(image.data, image.data + image.extent());
  for (float& value : light) value = value > 0 ? std::min(value, kMost) : 0;  // NaN is not above 0
  std::vector<std::byte> file;
  const auto append = [](void* to, void* data, int size) {
    const auto* first = static_cast<const std::byte*>(data);
    auto& bytes = *static_cast<std::vector<std::byte>*>(to);
    bytes.insert(bytes.end(), first, first + size);
  };
  if (!stbi_write_hdr_to_func(append, &file, static_cast<int>(image.width), static_cast<int>(image.height), 3,
                              light.data()))
    throw Error(fmt::format("{}: cannot be encoded as Radiance HDR", name));
  return owned(std::move(file));
}

}  // namespace scanlens
