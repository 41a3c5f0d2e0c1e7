// RAW files of cameras through LibRaw, which makes them colours as its own defaults say, with the white
// balance of the camera.
#include "app/io/codecs/codec.h"

#ifdef SCANLENS_HAS_RAW
#include <fmt/format.h>
#include <libraw/libraw.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "core/error.h"
#include "filters/color.h"
#endif

namespace scanlens {
namespace {

constexpr std::string_view kRawExtensions =
    ".dng .3fr .arw .cr2 .cr3 .crw .erf .iiq .kdc .mrw .nef .nrw .orf .pef .raf .raw .rw2 .rwl .sr2 .srf "
    ".srw .x3f";

/// Most cameras write TIFF, and the name alone tells that it is RAW.
bool is_raw(std::string_view text, const std::filesystem::path& path) {
  if (begins(text, "FUJIFILMCCD-RAW", "IIU\0", "IIRO", "IIRS", "MMOR", "FOVb", "\0MRM",
             "II\x1a\0\0\0HEAPCCDR"))
    return true;
  if (text.size() >= 12 && text.substr(4, 8) == "ftypcrx ") return true;
  if (!begins(text, "II*\0", "MM\0*")) return false;
  if (text.size() >= 12 && text.substr(8, 2) == "CR") return true;
  bool named = false;
  const std::string extension = extension_of(path);
  for_each_extension(kRawExtensions, [&](std::string_view one) { named |= one == extension; });
  return named;
}

#ifdef SCANLENS_HAS_RAW

/// Develops one file.
class RawReader {
 public:
  explicit RawReader(const Source& source) : source_(source), raw_(std::make_unique<LibRaw>()) {
    raw_->set_dataerror_handler(nullptr, nullptr);  // which would print
    libraw_output_params_t& params = raw_->imgdata.params;
    params.output_bps = 16;
    params.gamm[0] = 1 / 2.4;                                // sRGB's curve
    params.gamm[1] = 0.01 / srgb_to_linear_in_double(0.01);  // its slope at black
    params.use_camera_wb = 1;
  }

  Picture read() {
    check(raw_->open_buffer(const_cast<std::byte*>(source_.bytes.data()), source_.bytes.size()));
    const libraw_image_sizes_t& sizes = raw_->imgdata.sizes;
    const std::int64_t raw_width = sizes.raw_width, raw_height = sizes.raw_height;
    check(raw_->adjust_sizes_info_only());
    check_gate(source_, sizes.width, sizes.height, kWorkChannels, 2);
    check_gate(source_, raw_width, raw_height, kWorkChannels, 2);
    reopen();
    check(raw_->unpack());
    check(raw_->dcraw_process());
    int width = 0, height = 0, colours = 0, bits = 0;
    raw_->get_mem_image_format(&width, &height, &colours, &bits);
    if ((colours != 1 && colours != 3) || bits != 16)
      throw Error(fmt::format("{}: RAW of {} colours is not read; develop it with another program",
                              source_.name, colours));
    check_gate(source_, width, height, colours, 2);
    Image<std::uint16_t> image(width, height, colours);
    check(raw_->copy_mem_image(image.view().data, width * colours * 2, 0));
    Picture picture{std::move(image)};
    const bool by_camera = !(raw_->imgdata.process_warnings & LIBRAW_WARN_BAD_CAMERA_WB);
    picture.remarks.push_back(
        {false,
         fmt::format(
             "developed by LibRaw {}: {}, 1 % of the pixels clipped, sRGB of 16 bits", LibRaw::version(),
             by_camera ? "the camera's white balance" : "white balance of daylight, since it names none")});
    return picture;
  }

 private:
  /// Samples of a pixel while it is developed: the sensor's, four colours, and the result.
  static constexpr int kWorkChannels = 8;

  /// Begins anew after sizes were asked for, which leaves LibRaw without a way back.
  void reopen() {
    const libraw_output_params_t params = raw_->imgdata.params;
    raw_->recycle();
    raw_->imgdata.params = params;
    check(raw_->open_buffer(const_cast<std::byte*>(source_.bytes.data()), source_.bytes.size()));
  }

  void check(int status) const {
    if (status == LIBRAW_SUCCESS) return;
    if (status == LIBRAW_UNSUFFICIENT_MEMORY || status == ENOMEM) throw std::bad_alloc();
    if (status == LIBRAW_FILE_UNSUPPORTED)
      throw Error(fmt::format("{}: LibRaw {} does not know this camera's files; convert it to DNG",
                              source_.name, LibRaw::version()));
    throw Error(fmt::format("{}: the RAW data is corrupt ({})", source_.name,
                            status > 0 ? std::strerror(status) : libraw_strerror(status)));
  }

  const Source& source_;
  std::unique_ptr<LibRaw> raw_;
};

Picture decode_raw(const Source& source) {
  return RawReader(source).read();
}

#endif

}  // namespace

constinit const Codec codecs::raw = {
    .traits =
        {
            .name = "RAW",
            .extensions = kRawExtensions,
            .media_types = "image/x-adobe-dng image/x-sony-arw image/x-canon-cr2 "
                           "image/x-canon-cr3 image/x-canon-crw image/x-kodak-kdc "
                           "image/x-minolta-mrw image/x-nikon-nef image/x-nikon-nrw "
                           "image/x-olympus-orf image/x-pentax-pef image/x-fuji-raf "
                           "image/x-panasonic-rw image/x-panasonic-rw2 "
                           "image/x-sony-sr2 image/x-sony-srf image/x-sigma-x3f",
            .read = "what LibRaw develops, by the camera's white balance",
#ifndef SCANLENS_HAS_RAW
            .missing = "libraw",
#endif
        },
    .recognises = is_raw,
#ifdef SCANLENS_HAS_RAW
    .decode = decode_raw,
    .extras = [](Bytes file) { return FileExtras{.tiff = file}; }
#endif
};

}  // namespace scanlens
