// Reads the depth image that a HEIC or AVIF photo carries (ISO/IEC 23008-12, auxiliary images of depth).
#include <fmt/format.h>
#include <libheif/heif.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "app/depth/raw.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

template <auto free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using HeifContext = std::unique_ptr<heif_context, Freed<&heif_context_free>>;
using HeifHandle = std::unique_ptr<heif_image_handle, Freed<&heif_image_handle_release>>;
using HeifImage = std::unique_ptr<heif_image, Freed<&heif_image_release>>;
using HeifInfo = std::unique_ptr<const heif_depth_representation_info, Freed<&heif_depth_representation_info_free>>;

constexpr int kLossyTolerance = 4;

void check(const Source& source, const heif_error& error) {
  const bool memory = error.code == heif_error_Memory_allocation_error &&
                      error.subcode != heif_suberror_Security_limit_exceeded;
  if (error.code != heif_error_Ok)
    throw Error(memory ? ErrorKind::retry : ErrorKind::failed,
                fmt::format("{}: the HEIF file's depth image cannot be read: {}", source.name, without_line_end(error.message)));
}

/// Says what the values mean, as the file's representation info does; nothing where it makes no sense.
std::optional<Stated> stated_by(const heif_depth_representation_info& info, double full) {
  const auto sound = [](double least, double most) {
    return std::isfinite(least) && std::isfinite(most) && least >= 0 && most > least;
  };
  Stated stated;
  stated.metric = true;
  // A damaged file may say any number, which is none of the enumeration's.
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
  if (type == heif_depth_representation_type_uniform_disparity && info.has_d_min &&
      info.has_d_max && sound(info.d_min, info.d_max)) {
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

Picture decode_grey(const Source& source, const heif_image_handle* depth) {
  const int width = heif_image_handle_get_width(depth), height = heif_image_handle_get_height(depth);
  const int bits = std::max(heif_image_handle_get_luma_bits_per_pixel(depth), 8);
  const int sample_bytes = bits > 8 ? 2 : 1;
  check_gate(source, width, height, 3, sample_bytes);  // colours may come along
  check_gate(source, heif_image_handle_get_ispe_width(depth), heif_image_handle_get_ispe_height(depth), 3, sample_bytes);
  heif_image* decoded = nullptr;
  check(source, heif_decode_image(depth, &decoded, heif_colorspace_undefined, heif_chroma_undefined, nullptr));
  const HeifImage image(decoded);
  const bool rgb = heif_image_get_colorspace(decoded) == heif_colorspace_RGB;
  const heif_channel channel = rgb ? heif_channel_G : heif_channel_Y;
  int stride = 0;
  const std::uint8_t* plane = heif_image_get_plane_readonly(decoded, channel, &stride);
  if (!plane || heif_image_get_width(decoded, channel) != width || heif_image_get_height(decoded, channel) != height)
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

}  // namespace

std::optional<RawDepth> read_heif(const Source& source) {
  constexpr std::int64_t kMostSide = 65535, kMostTileSide = 4096;
  const HeifContext context(heif_context_alloc());
  if (!context) throw std::bad_alloc();
  const auto limit_sides = [&](std::int64_t most) {
    heif_context_set_maximum_image_size_limit(context.get(), static_cast<int>(most));
  };
  limit_sides(std::min(source.limits.max_pixels, kMostSide));
  check(source, heif_context_read_from_memory_without_copy(context.get(), source.bytes.data(), source.bytes.size(),
                                                           nullptr));
  heif_image_handle* primary = nullptr;
  check(source, heif_context_get_primary_image_handle(context.get(), &primary));
  const HeifHandle photo(primary);
  heif_item_id id = 0;
  if (heif_image_handle_get_list_of_depth_image_IDs(primary, &id, 1) != 1) return std::nullopt;
  heif_image_handle* handle = nullptr;
  check(source, heif_image_handle_get_depth_image_handle(primary, id, &handle));
  const HeifHandle depth(handle);
  // A grid says once more how large it is, and the library takes its word for it.
  limit_sides(std::max<std::int64_t>({heif_image_handle_get_ispe_width(handle), heif_image_handle_get_ispe_height(handle),
                                      kMostTileSide}));
  const Picture picture = decode_grey(source, handle);

  RawDepth raw = grey_values(picture, source.name, "", kLossyTolerance);
  raw.format = "the depth image inside the HEIF photo";
  const heif_depth_representation_info* info = nullptr;
  if (heif_image_handle_get_depth_image_representation_info(primary, id, &info) && info) {
    const HeifInfo owned(info);
    raw.stated = stated_by(*info, raw.full);
  }
  if (!raw.stated) {
    raw.kind = DepthKind::inverse;
    raw.reason = "the file does not say from where to where its values reach";
    raw.remarks.push_back({true, "the depth image comes without a usable range (d_min, d_max or z_near, z_far), so "
                                 "its values have no unit"});
  }
  return raw;
}

}  // namespace scanlens
