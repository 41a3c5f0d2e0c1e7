#include "app/io/codecs/png.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/io/codecs/codec.h"
#include "app/io/png_chunks.h"
#include "core/error.h"

namespace scanlens {
namespace {

// An ancillary chunk may take as much as a large colour profile or EXIF block needs, not what a bomb asks
// for.
constexpr std::size_t kMostChunkBytes = std::size_t{64} << 20;

// libspng takes an end mark without its checksum for complete.
void check_complete(const Source& source) {
  if (!find_png_chunk(source.bytes, [](const PngChunk& chunk) { return chunk.kind == "IEND"; }))
    throw Error(fmt::format("{}: the PNG data is truncated (it has no end mark)", source.name));
}

template <class T>
Picture decode_samples(spng_ctx* context, const Source& source, const spng_ihdr& header,
                       const PngLayout& layout) {
  check_gate(source, header.width, header.height, layout.channels, sizeof(T));
  Image<T> image(header.width, header.height, layout.channels);
  check_png_read(spng_decode_image(context, image.view().data, image.bytes(), layout.format, layout.flags),
                 source.name);
  // The pixels are complete; the rest of the file, the end mark above all, has to be there and intact as
  // well.
  check_png_read(spng_decode_chunks(context), source.name);
  return Picture{std::move(image)};
}

template <class T>
Encoded encode_samples(View<const T> image, const std::string& name, const Metadata& metadata,
                       int compression) {
  std::vector<std::byte> file;
  PngEncoder encoder(name, {image.width, image.height, image.channels, sizeof(T)}, metadata, compression,
                     [&](Bytes bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); });
  encoder.write(std::as_bytes(std::span(image.data, static_cast<std::size_t>(image.extent()))));
  return owned(std::move(file));
}

}  // namespace

PngPtr open_png_decoder(const std::string& name) {
  PngPtr context(spng_ctx_new(0));
  if (!context) check_png_read(SPNG_EMEM, name);
  // An ancillary chunk may be the transparency or the orientation: a broken one makes the picture a different
  // one.
  check_png_read(spng_set_crc_action(context.get(), SPNG_CRC_ERROR, SPNG_CRC_ERROR), name);
  check_png_read(spng_set_chunk_limits(context.get(), kMostChunkBytes, kMostChunkBytes), name);
  return context;
}

void check_png_read(int status, const std::string& name) {
  if (status == SPNG_OK) return;
  if (status == SPNG_EMEM) throw Error(ErrorKind::retry, fmt::format("{}: out of memory", name));
  if (status == SPNG_IO_EOF || status == SPNG_EIDAT_TOO_SHORT)
    throw Error(fmt::format("{}: the PNG data is truncated ({})", name, spng_strerror(status)));
  if (status == SPNG_ECHUNK_CRC)
    throw Error(fmt::format("{}: the PNG data is corrupt (bad CRC: {})", name, spng_strerror(status)));
  throw Error(fmt::format("{}: the PNG data is corrupt ({})", name, spng_strerror(status)));
}

PngLayout png_layout(spng_ctx* context, const spng_ihdr& header, const std::function<void(int)>& check) {
  spng_trns transparency = {};
  const int status = spng_get_trns(context, &transparency);
  if (status != SPNG_ECHUNKAVAIL) check(status);
  const bool alpha = status == SPNG_OK || header.color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA ||
                     header.color_type == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
  const bool grey = header.color_type == SPNG_COLOR_TYPE_GRAYSCALE;
  const int bytes = header.bit_depth == 16 ? 2 : 1;
  if (alpha) return {4, bytes, bytes == 2 ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8, SPNG_DECODE_TRNS};
  if (bytes == 2) return {grey ? 1 : 3, 2, SPNG_FMT_PNG, 0};
  return grey ? PngLayout{1, 1, SPNG_FMT_G8, 0} : PngLayout{3, 1, SPNG_FMT_RGB8, 0};
}

Picture decode_png(const Source& source) {
  const PngPtr owner = open_png_decoder(source.name);
  spng_ctx* context = owner.get();
  check_png_read(spng_set_png_buffer(context, source.bytes.data(), source.bytes.size()), source.name);
  spng_ihdr header = {};
  check_png_read(spng_get_ihdr(context, &header), source.name);

  // The number of channels is known after the chunks that follow; a picture that is too large may be known
  // already.
  check_gate(source, header.width, header.height, 1, 1, kAnyExpansion);
  check_complete(source);
  const PngLayout layout =
      png_layout(context, header, [&](int status) { check_png_read(status, source.name); });
  return layout.sample_bytes == 2 ? decode_samples<std::uint16_t>(context, source, header, layout)
                                  : decode_samples<std::uint8_t>(context, source, header, layout);
}

Encoded encode_png(View<const std::uint8_t> image, const std::string& name, const Metadata& metadata,
                   int compression) {
  return encode_samples(image, name, metadata, compression);
}

Encoded encode_png(View<const std::uint16_t> image, const std::string& name, const Metadata& metadata,
                   int compression) {
  return encode_samples(image, name, metadata, compression);
}

constinit const Codec codecs::png = {
    .traits = {.name = "PNG",
               .extensions = ".png",
               .media_types = "image/png",
               .read = "all, of an animation the first frame; `filter` row by row",
               .written = "8 and 16 bit, on all cores, `--compression 0…9`",
               .channels = kAnyChannels,
               .samples = kCodes,
               .extras = kAnyExtras | kHoldsPhotoshop | kHoldsTexts | kHoldsResolution,
               .compression = true,
               .map_rank = 6},
    .recognises = [](std::string_view text, const auto&) { return begins(text, "\x89PNG\r\n\x1A\n"); },
    .decode = decode_png,
    .encode =
        [](const Prepared& picture, const WriteOptions& options, const std::string& name, const Remarks&) {
          const auto encode = [&](const auto& image) {
            return encode_png(image.view(), name, picture.metadata, options.compression);
          };
          const auto* wide = std::get_if<Image<std::uint16_t>>(&picture.samples());
          return wide ? encode(*wide) : encode(std::get<Image<std::uint8_t>>(picture.samples()));
        },
    .extras = png_extras,
    .open_rows = open_png_rows,
    .create_rows = create_png_rows,
    .most_waiting = kPngBatchBytes};

}  // namespace scanlens
