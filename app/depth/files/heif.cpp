// Reads the depth image that a HEIC or AVIF photo carries (ISO/IEC 23008-12, auxiliary images of depth).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "app/depth/files/apple.h"
#include "app/depth/files/matte.h"
#include "app/depth/files/raw.h"
#include "app/io/codecs/heif_file.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Says what the values mean, as the file's representation info does; nothing where it makes no sense.
std::optional<Stated> stated_by(const heif_depth_representation_info& info, double full) {
  const auto sound = [](double least, double most) {
    return std::isfinite(least) && std::isfinite(most) && least >= 0 && most > least;
  };
  Stated stated;
  stated.metric = true;
  // A damaged file may state a number outside of the enumeration.
  std::uint32_t type = 0;
  static_assert(sizeof(type) == sizeof(info.depth_representation_type));
  std::memcpy(&type, &info.depth_representation_type, sizeof(type));
  const bool has_z = info.has_z_near && info.has_z_far && sound(info.z_near, info.z_far) && info.z_near > 0;
  if (type == heif_depth_representation_type_uniform_Z && has_z) {
    // The values are those of Z itself: the largest is the farthest.
    stated.kind = DepthKind::depth;
    stated.at_zero = info.z_near;
    stated.step = (info.z_far - info.z_near) / full;
    stated.words = fmt::format("uniform distance from {:.4g} to {:.4g} m", info.z_near, info.z_far);
    return stated;
  }
  stated.kind = DepthKind::disparity;
  if (type == heif_depth_representation_type_uniform_disparity && info.has_d_min && info.has_d_max &&
      sound(info.d_min, info.d_max)) {
    stated.at_zero = info.d_min;
    stated.step = (info.d_max - info.d_min) / full;
    stated.words = fmt::format("uniform disparity from {:.4g} to {:.4g} 1/m", info.d_min, info.d_max);
    return stated;
  }
  if (type == heif_depth_representation_type_uniform_inverse_Z && has_z) {
    stated.at_zero = 1 / info.z_far;
    stated.step = (1 / info.z_near - 1 / info.z_far) / full;
    stated.words = fmt::format("uniform inverse distance from {:.4g} to {:.4g} m", info.z_near, info.z_far);
    return stated;
  }
  return std::nullopt;
}

Picture decode_grey(const Source& source, const HeifFile& file, const heif_image_handle* depth) {
  const int width = heif_image_handle_get_width(depth), height = heif_image_handle_get_height(depth);
  const int bits = std::max(heif_image_handle_get_luma_bits_per_pixel(depth), 8);
  const int sample_bytes = bits > 8 ? 2 : 1;
  // Colours may come along.
  check_gate(source, width, height, 3, sample_bytes, kMostModernExpansion);
  check_gate(source, heif_image_handle_get_ispe_width(depth), heif_image_handle_get_ispe_height(depth), 3,
             sample_bytes, kMostModernExpansion);
  file.hold_to(depth);
  heif_image* decoded = nullptr;
  check_heif(source,
             heif_decode_image(depth, &decoded, heif_colorspace_undefined, heif_chroma_undefined, nullptr));
  const HeifPtr<const heif_image> image(decoded);
  const bool rgb = heif_image_get_colorspace(decoded) == heif_colorspace_RGB;
  const heif_channel channel = rgb ? heif_channel_G : heif_channel_Y;
  int stride = 0;
  const std::uint8_t* plane = heif_image_get_plane_readonly(decoded, channel, &stride);
  if (!plane || heif_image_get_width(decoded, channel) != width ||
      heif_image_get_height(decoded, channel) != height)
    throw Error(source.name + ": the HEIF file's depth image has no plane of its announced size");
  // All widths come as 16 bits of the full range, so that 8, 10 and 12 bits are one thing further on.
  const int range = heif_image_get_bits_per_pixel_range(decoded, channel);
  const std::uint32_t most = (1u << std::clamp(range, 1, 16)) - 1;
  Image<std::uint16_t> grey(width, height);
  const View<std::uint16_t> to = grey.view();
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* row = plane + std::ptrdiff_t{stride} * y;
    for (int x = 0; x < width; ++x) {
      const std::uint32_t value =
          range > 8 ? static_cast<std::uint32_t>(row[2 * x]) | static_cast<std::uint32_t>(row[2 * x + 1]) << 8
                    : row[x];
      to(x, y) = static_cast<std::uint16_t>((std::min(value, most) * 65535u + most / 2) / most);
    }
  }
  return Picture{std::move(grey)};
}

/// Moves the edges of the map to those of the person, where the file has Apple's matte of one.
void heed_matte(const Source& source, const HeifFile& file, RawDepth& raw) {
  for (const HeifAuxiliary& other : auxiliaries_of(file.primary())) {
    if (other.type != "urn:com:apple:photo:2018:aux:portraiteffectsmatte") continue;
    sharpen_by_matte(raw, [&] {
      return grey_values(decode_grey(source, file, other.handle.get()), source.name, "", kLossyTolerance);
    });
    return;
  }
}

}  // namespace

std::optional<RawDepth> read_heif(const Source& source) {
  const HeifFile file(source);
  const heif_image_handle* const primary = file.primary();
  heif_item_id id = 0;
  if (heif_image_handle_get_list_of_depth_image_IDs(primary, &id, 1) != 1) return std::nullopt;
  heif_image_handle* handle = nullptr;
  check_heif(source, heif_image_handle_get_depth_image_handle(primary, id, &handle));
  const HeifPtr<const heif_image_handle> depth(handle);
  RawDepth raw = grey_values(decode_grey(source, file, handle), source.name, "", kLossyTolerance);
  raw.format = "the depth image inside the HEIF photo";
  // Apple says more in XMP than in the representation info: whether the disparity has a unit.
  const std::string packet = xmp_of(handle);
  if (apple_image(packet) == AppleImage::depth) raw.stated = stated_by_apple(packet, raw.full);
  const heif_depth_representation_info* info = nullptr;
  if (!raw.stated && heif_image_handle_get_depth_image_representation_info(primary, id, &info) && info) {
    const HeifPtr<const heif_depth_representation_info> owned(info);
    raw.stated = stated_by(*info, raw.full);
  }
  if (!raw.stated) take_without_range(raw, "d_min, d_max or z_near, z_far");
  heed_matte(source, file, raw);
  return raw;
}

}  // namespace scanlens
