// Reads HEIC and AVIF through libheif, which turns, mirrors and crops as the file says.
#include <fmt/format.h>
#include <libheif/heif.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "app/io/codecs/codec.h"
#include "app/io/codecs/heif_encode.h"
#include "app/io/codecs/heif_file.h"
#include "app/io/codecs/heif_items.h"
#include "app/io/gain_map.h"
#include "app/io/metadata/gain_words.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// The brands of still pictures in HEVC, and in AV1.
constexpr std::string_view kBrands[] = {"heic", "heix", "heim", "heis", "hevc", "hevx",
                                        "hevm", "hevs", "mif1", "mif2", "msf1"};
constexpr std::string_view kAv1Brands[] = {"avif", "avis"};

/// Looks for a brand in the file type box that such a file begins with: the major brand, or a compatible one.
bool has_brand(std::string_view text, std::span<const std::string_view> brands) {
  if (text.size() < 12 || text.substr(4, 4) != "ftyp") return false;
  const auto known = [&](std::string_view brand) {
    return std::find(brands.begin(), brands.end(), brand) != brands.end();
  };
  const auto length = static_cast<unsigned char>(text[3]) + 256u * static_cast<unsigned char>(text[2]);
  const std::size_t end = std::min<std::size_t>(text.size(), length);
  bool found = known(text.substr(8, 4));
  for (std::size_t at = 16; at + 4 <= end && !found; at += 4) found = known(text.substr(at, 4));
  return found;
}

constexpr std::int64_t kMostSide = 65535, kMostTileSide = 4096;

/// Tells whether all pictures in the file are grey, by the configuration boxes of their codecs: the library
/// tells only when it has decoded.
bool is_grey(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  bool any = false;
  const auto all_grey = [&](std::string_view box, std::size_t at, unsigned mask, unsigned grey) {
    for (std::size_t i = text.find(box); i != std::string_view::npos; i = text.find(box, i + 4)) {
      if (i + 4 + at >= text.size()) return false;
      any = true;
      if ((static_cast<unsigned char>(text[i + 4 + at]) & mask) != grey) return false;
    }
    return true;
  };
  return all_grey("hvcC", 16, 3, 0) && all_grey("av1C", 2, 0x10, 0x10) && any;
}

void read_metadata(const Source& source, const heif_image_handle* handle, Metadata& metadata) {
  if (const std::size_t size = heif_image_handle_get_raw_color_profile_size(handle); size > 0) {
    metadata.icc.resize(size);
    check_heif(source, heif_image_handle_get_raw_color_profile(handle, metadata.icc.data()));
  }
  heif_color_profile_nclx* nclx = nullptr;
  const bool named = heif_image_handle_get_nclx_color_profile(handle, &nclx).code == heif_error_Ok;
  const HeifPtr<heif_color_profile_nclx> owner(nclx);  // on some errors, too
  if (named && nclx) metadata.cicp = Cicp{nclx->color_primaries, nclx->transfer_characteristics};
  const int count = heif_image_handle_get_number_of_metadata_blocks(handle, nullptr);
  std::vector<heif_item_id> ids(static_cast<std::size_t>(std::max(count, 0)));
  heif_image_handle_get_list_of_metadata_block_IDs(handle, nullptr, ids.data(), count);
  for (const heif_item_id id : ids) {
    const std::string_view type = heif_image_handle_get_metadata_type(handle, id);
    const bool exif = type == "Exif";
    const bool xmp = type == "mime" && std::string_view(heif_image_handle_get_metadata_content_type(
                                           handle, id)) == "application/rdf+xml";
    if (!exif && !xmp) {
      metadata.lost.push_back(fmt::format("metadata of the kind {}", printable(type)));
      continue;
    }
    std::vector<std::byte> block(heif_image_handle_get_metadata_size(handle, id));
    if (block.empty() || heif_image_handle_get_metadata(handle, id, block.data()).code != heif_error_Ok)
      continue;
    if (xmp) {
      metadata.xmp = std::move(block);
    } else if (block.size() > 4) {
      // Four bytes say how far behind them the TIFF structure begins.
      std::size_t skipped = 0;
      for (int i = 0; i < 4; ++i)
        skipped = skipped << 8 | std::to_integer<std::size_t>(block[static_cast<std::size_t>(i)]);
      if (skipped < block.size() - 4)
        metadata.exif.assign(block.begin() + 4 + static_cast<std::ptrdiff_t>(skipped), block.end());
    }
  }
}

/// Names the boxes beside those of the picture: a clip, a sequence of frames, signatures.
void name_boxes(Bytes file, Picture& picture) {
  constexpr std::string_view kOfPicture[] = {"ftyp", "meta", "mdat", "idat", "free", "skip", "pdin", "moov"};
  std::vector<std::string>& lost = picture.metadata.lost;
  each_box(file, [&](std::string_view type, Bytes box) {
    if (type == "moov") picture.remarks.push_back({true, "its still picture is read, not its frames"});
    if (std::find(std::begin(kOfPicture), std::end(kOfPicture), type) != std::end(kOfPicture)) return;
    std::string name = type == "mpvd" ? fmt::format("the clip of {} bytes behind the picture", box.size())
                                      : fmt::format("the box {}", printable(type));
    if (std::find(lost.begin(), lost.end(), name) == lost.end()) lost.push_back(std::move(name));
  });
}

/// Names the pictures beside the picture that are not alpha, depth or gain.
void name_others(const heif_image_handle* handle, Metadata& metadata) {
  for (const HeifAuxiliary& other : auxiliaries_of(handle))
    if (!other.type.ends_with(kAppleGain))
      metadata.lost.push_back("the auxiliary picture " + printable(other.type));
}

/// Copies the samples of one plane, `channels` to a pixel, and brings `bits` to the full range of T.
/// `limited` means video's range, which the library expands for colours alone.
template <class T>
Image<T> copied(const heif_image* image, heif_channel plane, int width, int height, int channels, int bits,
                bool limited) {
  int pitch = 0;
  const std::uint8_t* data = heif_image_get_plane_readonly(image, plane, &pitch);
  Image<T> result(width, height, channels);
  constexpr std::uint32_t kFull = static_cast<T>(-1);
  const std::uint32_t low = limited ? 16u << (bits - 8) : 0;
  const std::uint32_t most = limited ? 219u << (bits - 8) : (1u << bits) - 1;
  for (int y = 0; y < height; ++y) {
    const auto* row = reinterpret_cast<const T*>(data + static_cast<std::ptrdiff_t>(y) * pitch);
    T* out = &result.view()(0, y);
    for (int i = 0; i < width * channels; ++i) {
      const std::uint32_t value = std::min(row[i] > low ? row[i] - low : 0u, most);
      out[i] = static_cast<T>((value * std::uint64_t{kFull} + most / 2) / most);
    }
  }
  return result;
}

}  // namespace

std::vector<HeifAuxiliary> auxiliaries_of(const heif_image_handle* picture) {
  constexpr int kOthers = LIBHEIF_AUX_IMAGE_FILTER_OMIT_ALPHA | LIBHEIF_AUX_IMAGE_FILTER_OMIT_DEPTH;
  const int count = heif_image_handle_get_number_of_auxiliary_images(picture, kOthers);
  std::vector<heif_item_id> ids(static_cast<std::size_t>(std::max(count, 0)));
  heif_image_handle_get_list_of_auxiliary_image_IDs(picture, kOthers, ids.data(), count);
  std::vector<HeifAuxiliary> found;
  for (const heif_item_id id : ids) {
    heif_image_handle* handle = nullptr;
    if (heif_image_handle_get_auxiliary_image_handle(picture, id, &handle).code != heif_error_Ok) continue;
    HeifAuxiliary other{HeifPtr<const heif_image_handle>(handle), {}};
    const char* type = nullptr;
    if (heif_image_handle_get_auxiliary_type(handle, &type).code != heif_error_Ok || !type) continue;
    other.type = type;
    heif_image_handle_free_auxiliary_types(handle, &type);
    found.push_back(std::move(other));
  }
  return found;
}

std::string xmp_of(const heif_image_handle* picture) {
  const int count = heif_image_handle_get_number_of_metadata_blocks(picture, "mime");
  std::vector<heif_item_id> ids(static_cast<std::size_t>(std::max(count, 0)));
  heif_image_handle_get_list_of_metadata_block_IDs(picture, "mime", ids.data(), count);
  for (const heif_item_id id : ids) {
    std::string packet(heif_image_handle_get_metadata_size(picture, id), '\0');
    if (!packet.empty() && heif_image_handle_get_metadata(picture, id, packet.data()).code == heif_error_Ok)
      return packet;
  }
  return "";
}

void check_heif(const Source& source, const heif_error& error) {
  if (error.code == heif_error_Ok) return;
  if (error.code == heif_error_Memory_allocation_error &&
      error.subcode != heif_suberror_Security_limit_exceeded)
    throw Error(ErrorKind::retry, fmt::format("{}: out of memory", source.name));
  const bool unknown =
      error.code == heif_error_Unsupported_feature || error.code == heif_error_Unsupported_filetype;
  throw Error(
      fmt::format("{}: the HEIC or AVIF data {} ({})", source.name,
                  unknown ? "is of a kind that this libheif does not read" : "is truncated or corrupt",
                  without_line_end(error.message)));
}

HeifFile::HeifFile(const Source& source) : source_(source), context_(heif_context_alloc()) {
  if (!context_) throw std::bad_alloc();
  limit_sides(std::min(source.limits.max_pixels, kMostSide));
  check_heif(source, heif_context_read_from_memory_without_copy(context_.get(), source.bytes.data(),
                                                                source.bytes.size(), nullptr));
  heif_image_handle* primary = nullptr;
  check_heif(source, heif_context_get_primary_image_handle(context_.get(), &primary));
  primary_.reset(primary);
}

int HeifFile::pictures_but(heif_item_id id) const {
  return heif_context_get_number_of_top_level_images(context_.get()) -
         heif_context_is_top_level_image_ID(context_.get(), id);
}

heif_item_id HeifFile::primary_id() const {
  heif_item_id id = 0;
  check_heif(source_, heif_context_get_primary_image_ID(context_.get(), &id));
  return id;
}

HeifPtr<const heif_image_handle> HeifFile::picture(heif_item_id id) const {
  heif_image_handle* handle = nullptr;
  check_heif(source_, heif_context_get_image_handle(context_.get(), id, &handle));
  return HeifPtr<const heif_image_handle>(handle);
}

void HeifFile::hold_to(const heif_image_handle* picture) const {
  const std::int64_t width = heif_image_handle_get_ispe_width(picture);
  const std::int64_t height = heif_image_handle_get_ispe_height(picture);
  limit_sides(std::max({width, height, kMostTileSide}));
  check_heif_frames(source_, std::max(width * height * 2, kMostTileSide * kMostTileSide));
}

void HeifFile::limit_sides(std::int64_t most) const {
  heif_context_set_maximum_image_size_limit(context_.get(), static_cast<int>(most));
}

namespace {

/// Says how a picture is asked for, by what its handle tells before it is decoded.
struct Wanted {
  bool alpha, grey, wide;
  int depth;

  int channels() const { return grey ? 1 : alpha ? 4 : 3; }
  int sample_bytes() const { return wide ? 2 : 1; }
  heif_chroma chroma() const {
    if (grey) return heif_chroma_undefined;  // as it is coded
    if (!wide) return alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    return alpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE;
  }
};

Wanted wanted_of(const Source& source, const heif_image_handle* handle) {
  const bool alpha = heif_image_handle_has_alpha_channel(handle) != 0;
  const int depth = heif_image_handle_get_luma_bits_per_pixel(handle);
  return {alpha, !alpha && is_grey(source.bytes), depth > 8, depth};
}

HeifPtr<heif_image> decoded(const Source& source, const heif_image_handle* handle, const Wanted& wanted) {
  const HeifPtr<heif_decoding_options> options(heif_decoding_options_alloc());
  if (!options) throw std::bad_alloc();
  options->strict_decoding = 1;
  heif_image* image = nullptr;
  check_heif(source,
             heif_decode_image(handle, &image, wanted.grey ? heif_colorspace_undefined : heif_colorspace_RGB,
                               wanted.chroma(), options.get()));
  return HeifPtr<heif_image>(image);
}

/// Says whether the grey of an image has video's range.
bool has_limited_range(const heif_image* image) {
  heif_color_profile_nclx* nclx = nullptr;
  const bool known = heif_image_get_nclx_color_profile(image, &nclx).code == heif_error_Ok;
  const HeifPtr<heif_color_profile_nclx> owner(nclx);
  return known && nclx && nclx->full_range_flag == 0;
}

/// Checks what was decoded against what was announced, and takes its samples.
decltype(Picture::samples) samples_of(const Source& source, heif_image* image, const Wanted& wanted) {
  // Grey comes as the one plane Y, or as three alike.
  const heif_channel plane = !wanted.grey                                         ? heif_channel_interleaved
                             : heif_image_has_channel(image, heif_channel_Y) != 0 ? heif_channel_Y
                                                                                  : heif_channel_R;
  const int width = heif_image_get_width(image, plane), height = heif_image_get_height(image, plane);
  const int bits = heif_image_get_bits_per_pixel_range(image, plane);
  if (width <= 0 || height <= 0 || heif_image_get_decoding_warnings(image, 0, nullptr, 0) > 0)
    throw Error(fmt::format("{}: the HEIC or AVIF data is corrupt", source.name));
  check_gate(source, width, height, wanted.channels(), wanted.sample_bytes(), kMostModernExpansion);
  if (bits < 8 || bits > 16 || (bits > 8) != wanted.wide)
    throw Error(fmt::format("{}: the HEIC or AVIF data is corrupt (its samples have {} bits, not {})",
                            source.name, bits, wanted.depth));
  const bool limited = plane == heif_channel_Y && has_limited_range(image);
  if (wanted.wide)
    return copied<std::uint16_t>(image, plane, width, height, wanted.channels(), bits, limited);
  return copied<std::uint8_t>(image, plane, width, height, wanted.channels(), bits, limited);
}

/// Checks what the file announces before it is decoded.
void check_announced(const Source& source, const HeifFile& file, const heif_image_handle* handle,
                     const Wanted& wanted) {
  // The decoder holds the picture once more, and its planes as they are coded, some of them twice.
  const int channels = 5 * wanted.channels();
  check_gate(source, heif_image_handle_get_width(handle), heif_image_handle_get_height(handle), channels,
             wanted.sample_bytes(), kMostModernExpansion);
  check_gate(source, heif_image_handle_get_ispe_width(handle), heif_image_handle_get_ispe_height(handle),
             channels, wanted.sample_bytes(), kMostModernExpansion);
  file.hold_to(handle);
}

Picture decode_heif(const Source& source) {
  const HeifFile file(source);
  const heif_image_handle* const handle = file.primary();
  const Wanted wanted = wanted_of(source, handle);
  check_announced(source, file, handle, wanted);
  Picture picture{samples_of(source, decoded(source, handle, wanted).get(), wanted)};
  if (wanted.alpha && heif_image_handle_is_premultiplied_alpha(handle) != 0)
    std::visit([](auto& image) { unpremultiply(image.view()); }, picture.samples);
  read_metadata(source, handle, picture.metadata);
  name_others(handle, picture.metadata);
  name_boxes(source.bytes, picture);
  const heif_item_id map = read_heif_gain(source, file, picture.metadata);
  if (const int pictures = file.pictures_but(map); pictures > 1)
    picture.remarks.push_back({true, fmt::format("it holds {} pictures; the primary one is read", pictures)});
  return picture;
}

}  // namespace

AnySamples heif_samples(const Source& source, const HeifFile& file, const heif_image_handle* picture) {
  Wanted wanted = wanted_of(source, picture);
  wanted.alpha = false;
  wanted.grey = true;
  check_announced(source, file, picture, wanted);
  HeifPtr<heif_image> image = decoded(source, picture, wanted);
  if (heif_image_get_colorspace(image.get()) != heif_colorspace_monochrome) {
    wanted.grey = false;
    image = decoded(source, picture, wanted);
  }
  return samples_of(source, image.get(), wanted);
}

namespace {

constexpr Codec codec_named(std::string_view name, std::string_view extensions, std::string_view media) {
  Codec codec;
  codec.traits = {.name = name,
                  .extensions = extensions,
                  .media_types = media,
                  .read = "8 to 12 bit, alpha; turned as the file says",
                  .written = "8 bit, alpha, `--quality`; where it is asked for",
                  .channels = kHoldsRgb | kHoldsRgba,
                  .samples = kHolds8,
                  .extras = kAnyExtras,
                  .quality = QualityOption::lossy,
                  .only_if_asked = true,
                  .work_bytes = 60,
                  .most_side = 16384};
  codec.decode = decode_heif;
  codec.is_lossy = always;  // its codec alone knows, and nearly all have losses
  return codec;
}

constexpr Codec heic_codec() {
  Codec codec = codec_named("HEIC", ".heic .heif", "image/heif");
  codec.recognises = [](std::string_view text, const auto&) {
    return has_brand(text, kBrands) && !has_brand(text, kAv1Brands);
  };
  codec.encode = [](const Prepared& picture, const WriteOptions& options, const std::string& name,
                    const Remarks&) { return encode_heif(picture, options.quality, HeifCoding::hevc, name); };
  return codec;
}

constexpr Codec avif_codec() {
  Codec codec = codec_named("AVIF", ".avif", "image/avif");
  codec.recognises = [](std::string_view text, const auto&) { return has_brand(text, kAv1Brands); };
  codec.encode = [](const Prepared& picture, const WriteOptions& options, const std::string& name,
                    const Remarks&) { return encode_heif(picture, options.quality, HeifCoding::av1, name); };
  return codec;
}

}  // namespace

constinit const Codec codecs::heif = heic_codec();
constinit const Codec codecs::avif = avif_codec();

}  // namespace scanlens
