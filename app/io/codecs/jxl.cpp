// JPEG XL (ISO/IEC 18181) through libjxl: lossy, lossless, with alpha; of an animation its first frame.
#include "app/io/codecs/codec.h"

#ifdef SCANLENS_HAS_JXL
#include <fmt/format.h>
#include <jxl/decode.h>
#include <jxl/encode.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

#include "app/color/profile.h"
#include "app/io/gain_map.h"
#include "app/io/metadata/gain_words.h"
#include "app/io/metadata/jpeg_parts.h"
#include "app/io/text.h"
#include "core/error.h"
#endif

namespace scanlens {
namespace {

bool is_jxl(std::string_view text) {
  return begins(text, "\xFF\x0A", "\0\0\0\x0CJXL \r\n\x87\n");
}

#ifdef SCANLENS_HAS_JXL

/// Runs libjxl's pieces on this program's threads, as JxlParallelRunner asks for.
JxlParallelRetCode run(void*, void* work, JxlParallelRunInit init, JxlParallelRunFunction piece,
                       std::uint32_t begin, std::uint32_t end) {
  const int threads = tbb::this_task_arena::max_concurrency();
  if (const JxlParallelRetCode status = init(work, static_cast<std::size_t>(threads))) return status;
  try {
    tbb::parallel_for(begin, end, [&](std::uint32_t i) {
      piece(work, i, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
    });
  } catch (...) {
    return JXL_PARALLEL_RET_RUNNER_ERROR;
  }
  return 0;
}

struct DestroyDecoder {
  void operator()(JxlDecoder* decoder) const { JxlDecoderDestroy(decoder); }
};
using DecoderPtr = std::unique_ptr<JxlDecoder, DestroyDecoder>;

/// Opens a decoder of the whole file.
DecoderPtr opened(Bytes file, int events) {
  DecoderPtr decoder(JxlDecoderCreate(nullptr));
  if (!decoder || JxlDecoderSetParallelRunner(decoder.get(), run, nullptr) != JXL_DEC_SUCCESS ||
      JxlDecoderSubscribeEvents(decoder.get(), events) != JXL_DEC_SUCCESS ||
      JxlDecoderSetInput(decoder.get(), reinterpret_cast<const std::uint8_t*>(file.data()), file.size()) !=
          JXL_DEC_SUCCESS)
    throw std::bad_alloc();
  return decoder;
}

class JxlReader {
 public:
  /// Reads no gain map beside what is one itself.
  explicit JxlReader(const Source& source, bool is_map = false)
      : source_(source),
        is_map_(is_map),
        owner_(opened(source.bytes, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME |
                                        JXL_DEC_FULL_IMAGE | JXL_DEC_BOX)),
        decoder_(owner_.get()) {
    check(JxlDecoderSetKeepOrientation(decoder_, JXL_TRUE), "its orientation");
    check(JxlDecoderSetUnpremultiplyAlpha(decoder_, JXL_TRUE), "its alpha");
    check(JxlDecoderSetDecompressBoxes(decoder_, JXL_TRUE), "its boxes");
  }

  Picture read() {
    for (;;) switch (JxlDecoderProcessInput(decoder_)) {
        case JXL_DEC_BASIC_INFO:
          read_header();
          break;
        case JXL_DEC_COLOR_ENCODING:
          read_colours();
          break;
        case JXL_DEC_BOX:
          begin_box();
          break;
        case JXL_DEC_BOX_NEED_MORE_OUTPUT:
          grow_box();
          break;
        case JXL_DEC_FRAME:
          ++frames_;
          break;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
          check(frames_ > 1 ? JxlDecoderSkipCurrentFrame(decoder_) : set_buffer(), "a frame");
          break;
        case JXL_DEC_FULL_IMAGE:
          complete_ = true;
          break;
        case JXL_DEC_SUCCESS:
          return finished();
        case JXL_DEC_NEED_MORE_INPUT:
          // Said only once the picture is there: libjxl writes of what is missing to standard error.
          if (!complete_ || std::exchange(closed_, true)) fail("it ends too early");
          JxlDecoderCloseInput(decoder_);
          break;
        default:
          fail("its codestream");
      }
  }

 private:
  [[noreturn]] void fail(const char* cause) const {
    throw Error(fmt::format("{}: the JPEG XL data is truncated or corrupt ({})", source_.name, cause));
  }

  void check(JxlDecoderStatus status, const char* cause) const {
    if (status != JXL_DEC_SUCCESS) fail(cause);
  }

  JxlDecoderStatus set_buffer() {
    return std::visit(
        [&](auto& image) {
          return JxlDecoderSetImageOutBuffer(decoder_, &format_, image.view().data, image.bytes());
        },
        picture_.samples);
  }

  void read_header() {
    check(JxlDecoderGetBasicInfo(decoder_, &info_), "its header");
    const bool alpha = info_.alpha_bits > 0;
    const int channels = alpha ? 4 : info_.num_color_channels == 1 ? 1 : 3;
    // libjxl holds colours and extra channels as 32-bit numbers, those of a progressive or animated file more
    // than once.
    constexpr std::uint32_t kCopies = 3;
    const std::uint32_t held = kCopies * (info_.num_color_channels + info_.num_extra_channels);
    check_gate(source_, info_.xsize, info_.ysize, static_cast<int>(held), sizeof(float),
               kMostModernExpansion);
    floats_ = info_.exponent_bits_per_sample > 0;
    format_ = {static_cast<std::uint32_t>(channels), JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    if (!floats_ && info_.bits_per_sample > 16)
      remark(true, fmt::format("its samples of {} bits are read as 16 bits", info_.bits_per_sample));
    const std::uint32_t others = info_.num_extra_channels - (alpha ? 1 : 0);
    if (others > 0)
      remark(true, fmt::format("{} of its channels {} neither colour nor alpha and {} left out", others,
                               others == 1 ? "is" : "are", others == 1 ? "is" : "are"));
  }

  void remark(bool warning, std::string_view text) {
    picture_.remarks.push_back({warning, std::string(text)});
  }

  ProfileBytes profile(JxlColorProfileTarget target) const {
    std::size_t size = 0;
    if (JxlDecoderGetICCProfileSize(decoder_, nullptr, target, &size) != JXL_DEC_SUCCESS || size > kMostExtra)
      return {};
    ProfileBytes icc(size);
    check(JxlDecoderGetColorAsICCProfile(decoder_, nullptr, target,
                                         reinterpret_cast<std::uint8_t*>(icc.data()), size),
          "its colour profile");
    return icc;
  }

  /// Chooses what the samples are decoded to, and allocates them.
  void read_colours() {
    JxlColorEncoding colours = {};
    const bool named = JxlDecoderGetColorAsEncodedProfile(
                           decoder_, nullptr, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &colours) == JXL_DEC_SUCCESS;
    if (named)
      read_named(colours);
    else
      read_profile();
    const auto width = static_cast<std::int64_t>(info_.xsize),
               height = static_cast<std::int64_t>(info_.ysize);
    const int channels = static_cast<int>(format_.num_channels);
    if (floats_ || from_linear_) {
      format_.data_type = JXL_TYPE_FLOAT;
      picture_.samples = Image<float>(width, height, channels);
    } else if (info_.bits_per_sample > 8) {
      format_.data_type = JXL_TYPE_UINT16;
      picture_.samples = Image<std::uint16_t>(width, height, channels);
    } else {
      picture_.samples = Image<std::uint8_t>(width, height, channels);
    }
  }

  /// Colours by numbers, which libjxl decodes to.
  void read_named(JxlColorEncoding colours) {
    Metadata& metadata = picture_.metadata;
    const bool grey = colours.color_space == JXL_COLOR_SPACE_GRAY;
    if (floats_ && colours.transfer_function != JXL_TRANSFER_FUNCTION_LINEAR) {
      if (info_.uses_original_profile) return codes_of_floats(profile(JXL_COLOR_PROFILE_TARGET_DATA));
      colours.transfer_function = JXL_TRANSFER_FUNCTION_LINEAR;
      check(JxlDecoderSetPreferredColorProfile(decoder_, &colours), "its colours");
    }
    const double* const points[] = {colours.primaries_red_xy, colours.primaries_green_xy,
                                    colours.primaries_blue_xy, colours.white_point_xy};
    if (floats_) {
      metadata.cicp = Cicp{1, 13};  // in place of a profile, which light does not need
      if (grey) return;
      metadata.chromaticities.emplace();
      for (std::size_t i = 0; i < 8; ++i)
        (*metadata.chromaticities)[i] = static_cast<float>(points[i / 2][i % 2]);
      return;
    }
    const int primaries = grey || (colours.primaries == JXL_PRIMARIES_SRGB) ? 1
                          : colours.primaries == JXL_PRIMARIES_2100         ? 9
                          : colours.primaries == JXL_PRIMARIES_P3           ? 12
                                                                            : 0;
    const bool numbered = primaries > 0 && colours.white_point == JXL_WHITE_POINT_D65 &&
                          colours.transfer_function != JXL_TRANSFER_FUNCTION_GAMMA &&
                          colours.transfer_function != JXL_TRANSFER_FUNCTION_UNKNOWN &&
                          colours.transfer_function != JXL_TRANSFER_FUNCTION_DCI;
    if (numbered)
      metadata.cicp = Cicp{primaries, static_cast<int>(colours.transfer_function)};
    else
      metadata.icc = profile(JXL_COLOR_PROFILE_TARGET_DATA);
  }

  /// Colours by a profile, which libjxl decodes to only where the file was compressed in it.
  void read_profile() {
    ProfileBytes icc = profile(JXL_COLOR_PROFILE_TARGET_ORIGINAL);
    if (!info_.uses_original_profile) from_linear_ = !icc.empty();
    const bool linear = !floats_ || from_linear_ || is_linear(icc);
    if (!linear) return codes_of_floats(std::move(icc));
    picture_.metadata.icc = std::move(icc);
  }

  void codes_of_floats(ProfileBytes icc) {
    floats_ = false;
    info_.bits_per_sample = 16;
    picture_.metadata.icc = std::move(icc);
    remark(true, "its float samples are not linear light; read as 16-bit codes, clipped to 0 .. 1");
  }

  bool is_linear(const ProfileBytes& icc) const {
    try {
      const Profile profile(icc, info_.num_color_channels == 1 ? 1 : 3);
      for (const std::vector<float>& curve : profile.light_of_codes())
        for (std::size_t code = 0; code < curve.size(); code += 257)
          if (std::abs(curve[code] - static_cast<float>(code) / 65535) > 1e-4f) return false;
    } catch (const Error&) {  // said when the metadata are completed
    }
    return true;
  }

  /// Metadata in boxes: what follows is collected where it is EXIF or XMP.
  void begin_box() {
    end_box();
    JxlBoxType type;
    check(JxlDecoderGetBoxType(decoder_, type, JXL_TRUE), "a box");
    const std::string_view name(type, sizeof(type));
    box_ = name == "Exif" && exif_.empty()                   ? &exif_
           : name == "xml " && picture_.metadata.xmp.empty() ? &picture_.metadata.xmp
           : name == "jhgm" && gain_.empty() && !is_map_     ? &gain_
                                                             : nullptr;
    if (box_) grow_box();
    constexpr std::string_view kOfPixels[] = {"JXL ", "ftyp", "jxlc", "jxlp", "jxll", "jxli", "jbrd"};
    if (!box_ && std::find(std::begin(kOfPixels), std::end(kOfPixels), name) == std::end(kOfPixels))
      picture_.metadata.lost.push_back(fmt::format("the box {}", printable(name)));
  }

  void grow_box() {
    const std::size_t filled = box_->size() - (box_->empty() ? 0 : JxlDecoderReleaseBoxBuffer(decoder_));
    if (filled >= kMostExtra) fail("its metadata are too large");
    box_->resize(std::max(2 * filled, std::size_t{1} << 14));
    check(JxlDecoderSetBoxBuffer(decoder_, reinterpret_cast<std::uint8_t*>(box_->data()) + filled,
                                 box_->size() - filled),
          "a box");
  }

  void end_box() {
    if (!box_) return;
    box_->resize(box_->size() - JxlDecoderReleaseBoxBuffer(decoder_));
    box_ = nullptr;
  }

  /// Reads the gain map: ISO's numbers, colours of the light, and the codestream of the map.
  void read_gain() {
    const Bytes box(gain_);
    std::size_t at = 1;
    const auto part = [&](std::size_t length_bytes) {
      if (at + length_bytes > box.size()) return Bytes{};
      const std::size_t length = number_at(box, at, length_bytes, true);
      at += length_bytes;
      const std::size_t begin = std::min(at, box.size());
      at += length;
      return box.subspan(begin, std::min(length, box.size() - begin));
    };
    const Bytes words = part(2);
    part(1);
    part(4);
    std::optional<GainMap> map;
    if (box[0] == std::byte{0}) map = parse_iso_gain(words);
    if (!map) return picture_.metadata.lost.push_back("the gain map, of a kind that is not read");
    try {
      Limits limits = source_.limits;
      limits.admit = {};
      const Source inside{source_.name, box.subspan(std::min(at, box.size())), limits};
      map->samples = JxlReader(inside, true).read().samples;
      picture_.metadata.gain = std::make_shared<GainMap>(std::move(*map));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::retry) throw;
      picture_.metadata.lost.push_back("the gain map, which is broken");
    }
  }

  Picture finished() {
    end_box();
    if (!complete_) fail("it has no picture");
    constexpr std::size_t kOffset = 4;  // where the TIFF structure begins, behind these bytes
    if (exif_.size() > kOffset) {
      std::size_t begin = 0;
      for (std::size_t i = 0; i < kOffset; ++i) begin = begin << 8 | std::to_integer<std::size_t>(exif_[i]);
      if (begin < exif_.size() - kOffset)
        picture_.metadata.exif.assign(exif_.begin() + static_cast<std::ptrdiff_t>(kOffset + begin),
                                      exif_.end());
    }
    if (!gain_.empty()) read_gain();
    if (frames_ > 1) remark(true, fmt::format("the first of its {} frames is read", frames_));
    if (from_linear_) encode_colours();
    return upright(std::move(picture_), static_cast<int>(info_.orientation));
  }

  /// Brings linear sRGB to the picture's profile.
  void encode_colours() {
    const View<const float> light = std::as_const(std::get<Image<float>>(picture_.samples)).view();
    try {
      if (floats_)
        picture_.samples = in_profile<float>(light, picture_.metadata.icc);
      else if (info_.bits_per_sample > 8)
        picture_.samples = in_profile<std::uint16_t>(light, picture_.metadata.icc);
      else
        picture_.samples = in_profile<std::uint8_t>(light, picture_.metadata.icc);
    } catch (const Error& error) {
      remark(true, fmt::format("its colour profile cannot be used ({}); read as linear light of sRGB",
                               error.what()));
      picture_.metadata.icc.clear();
    }
  }

  const Source& source_;
  const bool is_map_;
  DecoderPtr owner_;
  JxlDecoder* decoder_;
  JxlBasicInfo info_ = {};
  JxlPixelFormat format_ = {};
  bool floats_ = false;       ///< samples are light
  bool from_linear_ = false;  ///< libjxl gives linear sRGB, which is not what the profile says
  bool complete_ = false;
  bool closed_ = false;  ///< libjxl knows that the file ends here
  int frames_ = 0;
  std::vector<std::byte> exif_, gain_;
  std::vector<std::byte>* box_ = nullptr;  ///< null: not one that is collected
  Picture picture_;
};

bool is_lossy(Bytes file) {
  const DecoderPtr decoder = opened(file, JXL_DEC_BASIC_INFO);
  JxlBasicInfo info;
  if (JxlDecoderProcessInput(decoder.get()) != JXL_DEC_BASIC_INFO ||
      JxlDecoderGetBasicInfo(decoder.get(), &info) != JXL_DEC_SUCCESS)
    return true;
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  return !info.uses_original_profile || text.find("jbrd") != std::string_view::npos;  // a JPEG, packed again
}

struct DestroyEncoder {
  void operator()(JxlEncoder* encoder) const { JxlEncoderDestroy(encoder); }
};

/// Returns Butteraugli's distance for a quality, as cjxl has it; 0 is without loss.
float distance_of(int quality) {
  const auto q = static_cast<float>(quality);
  if (quality == 100) return 0;
  return quality >= 30 ? 0.1f + (100 - q) * 0.09f : 6.4f + std::pow(2.5f, (30 - q) / 5) / 6.25f;
}

/// Says to the encoder what colours the samples are of.
JxlEncoderStatus set_colours(JxlEncoder* encoder, const ProfileBytes& icc, bool grey, bool floats) {
  JxlColorEncoding colours;
  if (icc.empty()) {
    (floats ? JxlColorEncodingSetToLinearSRGB : JxlColorEncodingSetToSRGB)(&colours, grey);
    return JxlEncoderSetColorEncoding(encoder, &colours);
  }
  const auto cicp = cicp_tag(icc);
  const int primaries = cicp ? std::to_integer<int>((*cicp)[0]) : 0;
  if (primaries == 1 || primaries == 9 || primaries == 12) {
    JxlColorEncodingSetToSRGB(&colours, grey);
    colours.primaries = primaries == 1   ? JXL_PRIMARIES_SRGB
                        : primaries == 9 ? JXL_PRIMARIES_2100
                                         : JXL_PRIMARIES_P3;
    colours.transfer_function = static_cast<JxlTransferFunction>(std::to_integer<int>((*cicp)[1]));
    if (JxlEncoderSetColorEncoding(encoder, &colours) == JXL_ENC_SUCCESS) return JXL_ENC_SUCCESS;
  }
  return JxlEncoderSetICCProfile(encoder, reinterpret_cast<const std::uint8_t*>(icc.data()), icc.size());
}

Encoded encode_jxl(const Prepared& prepared, const WriteOptions& options, const std::string& name,
                   const Remarks&) {
  const std::unique_ptr<JxlEncoder, DestroyEncoder> owner(JxlEncoderCreate(nullptr));
  if (!owner) throw std::bad_alloc();
  JxlEncoder* const encoder = owner.get();
  const auto check = [&](JxlEncoderStatus status, const char* what) {
    if (status == JXL_ENC_SUCCESS) return;
    const JxlEncoderError error = JxlEncoderGetError(encoder);
    throw Error(
        error == JXL_ENC_ERR_OOM ? ErrorKind::retry : ErrorKind::failed,
        fmt::format("{}: cannot be encoded as JPEG XL ({}, error {})", name, what, static_cast<int>(error)));
  };
  check(JxlEncoderSetParallelRunner(encoder, run, nullptr), "threads");
  const Metadata& metadata = prepared.metadata;
  std::vector<std::byte> exif(metadata.exif.empty() ? 0 : 4);  // where the TIFF structure begins: at once
  exif.insert(exif.end(), metadata.exif.begin(), metadata.exif.end());
  if (!exif.empty() || !metadata.xmp.empty()) {
    check(JxlEncoderUseBoxes(encoder), "boxes");
    const auto add = [&](const char* type, const std::vector<std::byte>& bytes) {
      if (!bytes.empty())
        check(JxlEncoderAddBox(encoder, type, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                               bytes.size(), JXL_FALSE),
              type);
    };
    add("Exif", exif);
    add("xml ", metadata.xmp);
  }

  std::visit(
      [&]<class T>(const Image<T>& image) {
        const bool lossless = options.quality == 100, alpha = image.channels() == 4,
                   floats = std::is_same_v<T, float>;
        JxlBasicInfo info;
        JxlEncoderInitBasicInfo(&info);
        info.xsize = static_cast<std::uint32_t>(image.width());
        info.ysize = static_cast<std::uint32_t>(image.height());
        info.bits_per_sample = info.alpha_bits = 8 * sizeof(T);
        info.exponent_bits_per_sample = info.alpha_exponent_bits = floats ? 8 : 0;
        info.num_color_channels = image.channels() == 1 ? 1 : 3;
        info.num_extra_channels = alpha ? 1 : 0;
        if (!alpha) info.alpha_bits = info.alpha_exponent_bits = 0;
        info.uses_original_profile = lossless;
        check(JxlEncoderSetBasicInfo(encoder, &info), "its header");
        check(set_colours(encoder, metadata.icc, image.channels() == 1, floats), "its colour profile");
        JxlEncoderFrameSettings* const settings = JxlEncoderFrameSettingsCreate(encoder, nullptr);
        constexpr int kEffort = 3;  // of 1 to 9; 4 takes eight times as long without loss, for 2 %
        check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, kEffort),
              "its effort");
        check(JxlEncoderSetFrameLossless(settings, lossless), "its losses");
        if (!lossless)
          check(JxlEncoderSetFrameDistance(settings, distance_of(options.quality)), "its quality");
        const JxlPixelFormat format = {static_cast<std::uint32_t>(image.channels()),
                                       floats           ? JXL_TYPE_FLOAT
                                       : sizeof(T) == 2 ? JXL_TYPE_UINT16
                                                        : JXL_TYPE_UINT8,
                                       JXL_NATIVE_ENDIAN, 0};
        check(JxlEncoderAddImageFrame(settings, &format, image.view().data, image.bytes()), "its pixels");
      },
      prepared.samples());
  JxlEncoderCloseInput(encoder);

  std::vector<std::byte> file(std::size_t{1} << 16);
  std::size_t filled = 0;
  for (JxlEncoderStatus status = JXL_ENC_NEED_MORE_OUTPUT; status == JXL_ENC_NEED_MORE_OUTPUT;) {
    if (filled == file.size()) file.resize(2 * file.size());
    auto* next = reinterpret_cast<std::uint8_t*>(file.data()) + filled;
    std::size_t left = file.size() - filled;
    status = JxlEncoderProcessOutput(encoder, &next, &left);
    filled = file.size() - left;
    if (status == JXL_ENC_NEED_MORE_OUTPUT)
      file.resize(2 * file.size());
    else
      check(status, "its codestream");
  }
  file.resize(filled);
  return owned(std::move(file));
}

#endif

}  // namespace

constinit const Codec codecs::jxl = {
    .traits = {.name = "JPEG XL",
               .extensions = ".jxl",
               .media_types = "image/jxl",
               .read = "8 and 16 bit, float, alpha; turned as the file says; the first frame",
               .written = "8 and 16 bit, float, `--quality`; 100 is without loss",
#ifndef SCANLENS_HAS_JXL
               .missing = "libjxl",
#endif
               .channels = kAnyChannels,
               .samples = kCodes | kHoldsFloat,
               .extras = kAnyExtras,
               .quality = QualityOption::lossless_at_100,
               .work_bytes = 20,
               .lossless_work_bytes = 24,
               .most_side = std::int64_t{1} << 30},
    .recognises = [](std::string_view text, const auto&) { return is_jxl(text); },
#ifdef SCANLENS_HAS_JXL
    .decode = [](const Source& source) { return JxlReader(source).read(); },
    .encode = encode_jxl,
    .is_lossy = is_lossy
#endif
};

}  // namespace scanlens
