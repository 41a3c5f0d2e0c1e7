// GIF (CompuServe 1989) through giflib: pictures, and an animation's first frame.
#include "app/io/codecs/gif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "app/io/animation.h"
#include "app/io/codecs/codec.h"
#include "app/io/codecs/palette.h"
#include "app/io/text.h"
#include "core/error.h"

#ifdef SCANLENS_HAS_GIF
#include <gif_lib.h>
#endif

namespace scanlens {
namespace {

bool is_gif(std::string_view text) {
  return begins(text, "GIF87a", "GIF89a");
}

/// Returns true if a file of this size has more than one frame, by the lengths of its blocks. `byte` gives
/// the one at a place, 0 behind the end.
template <class ByteAt>
bool has_many_frames(std::size_t size, ByteAt byte) {
  const auto palette_bytes = [&](unsigned flags) {
    return flags & 0x80 ? std::size_t{3} << ((flags & 7) + 1) : std::size_t{0};
  };
  std::size_t at = 13 + palette_bytes(byte(10));
  const auto pass_blocks = [&] {
    while (at < size && byte(at) != 0) at += byte(at) + 1;
    ++at;
  };
  constexpr unsigned kExtension = 0x21, kFrame = 0x2c;
  int frames = 0;
  while (at < size && frames < 2) {
    if (byte(at) == kExtension) {
      at += 2;
    } else if (byte(at) == kFrame) {
      ++frames;
      at += 10 + palette_bytes(byte(at + 9)) + 1;
    } else {
      break;
    }
    pass_blocks();
  }
  return frames > 1;
}

/// The bytes of a file, read by pieces.
class FileBytes {
 public:
  explicit FileBytes(const InputFile& file) : file_(file) {}

  unsigned operator()(std::size_t at) {
    if (at >= file_.size()) return 0;
    if (at < begin_ || at - begin_ >= piece_.size()) {
      begin_ = at;
      piece_.resize(std::min(kPiece, file_.size() - at));
      file_.read(begin_, piece_);
    }
    return std::to_integer<unsigned>(piece_[at - begin_]);
  }

 private:
  static constexpr std::size_t kPiece = 65536;

  const InputFile& file_;
  std::size_t begin_ = 0;
  std::vector<std::byte> piece_;
};

#ifdef SCANLENS_HAS_GIF

constexpr std::int64_t kMostGifSide = 65535;
/// A code of 12 bits stands for up to 4096 pixels, of up to 4 bytes each.
constexpr int kMostGifExpansion = 12000;

struct CloseDecoder {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};

/// Decodes the first frame of a file.
class GifReader {
 public:
  explicit GifReader(const Source& source) : source_(source), rest_(source.bytes) {
    int error = 0;
    gif_.reset(DGifOpen(this, &GifReader::give, &error));
    if (!gif_) fail(error);
  }

  Picture read() {
    for (GifRecordType type = UNDEFINED_RECORD_TYPE;;) {
      check(DGifGetRecordType(gif_.get(), &type));
      if (type == IMAGE_DESC_RECORD_TYPE) return read_frame();
      if (type == TERMINATE_RECORD_TYPE) corrupt("it has no picture");
      if (type == EXTENSION_RECORD_TYPE) read_extension();
    }
  }

 private:
  static int give(GifFileType* gif, GifByteType* to, int count) {
    Bytes& rest = static_cast<GifReader*>(gif->UserData)->rest_;
    const std::size_t given = std::min(rest.size(), static_cast<std::size_t>(count));
    if (given > 0) std::memcpy(to, rest.data(), given);
    rest = rest.subspan(given);
    return static_cast<int>(given);
  }

  [[noreturn]] void corrupt(const std::string& cause) const {
    throw Error(fmt::format("{}: the GIF data is corrupt ({})", source_.name, cause));
  }
  [[noreturn]] void fail(int error) const {
    if (rest_.empty()) throw Error(fmt::format("{}: the GIF data is truncated", source_.name));
    const char* const words = GifErrorString(error);
    corrupt(words ? words : "it makes no sense");
  }
  void check(int status) const {
    if (status == GIF_ERROR) fail(gif_->Error);
  }

  void read_extension() {
    int code = 0;
    GifByteType* block = nullptr;
    std::string text;
    constexpr std::size_t kMostText = 65536;
    for (check(DGifGetExtension(gif_.get(), &code, &block)); block;
         check(DGifGetExtensionNext(gif_.get(), &block))) {
      if (code == GRAPHICS_EXT_FUNC_CODE) {
        GraphicsControlBlock control = {};
        if (DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
          transparent_ = control.TransparentColor;
      }
      if (code == COMMENT_EXT_FUNC_CODE && text.size() < kMostText)
        text.append(reinterpret_cast<const char*>(block + 1), block[0]);
    }
    if (!text.empty() && is_utf8(text)) comment_ = std::move(text);
  }

  Picture read_frame() {
    check(DGifGetImageDesc(gif_.get()));
    const GifImageDesc& frame = gif_->Image;
    const ColorMapObject* const palette = frame.ColorMap ? frame.ColorMap : gif_->SColorMap;
    if (!palette) corrupt("it has no palette");
    if (frame.Width < 1 || frame.Height < 1) corrupt("its first frame is empty");
    // As browsers do, a screen that is too small is taken to be as large as its frame.
    const std::int64_t width = std::max(gif_->SWidth, frame.Left + frame.Width);
    const std::int64_t height = std::max(gif_->SHeight, frame.Top + frame.Height);
    const bool has_holes = transparent_ >= 0 || frame.Width < width || frame.Height < height;
    const bool grey = !has_holes && std::all_of(palette->Colors, palette->Colors + palette->ColorCount,
                                                [](const GifColorType& one) {
                                                  return one.Red == one.Green && one.Green == one.Blue;
                                                });
    const int channels = has_holes ? 4 : grey ? 1 : 3;
    check_gate(source_, width, height, channels, 1, kMostGifExpansion);
    Image<std::uint8_t> image(width, height, channels);
    if (has_holes) std::fill_n(image.view().data, image.view().extent(), std::uint8_t{0});
    const View<std::uint8_t> view = image.view().region(frame.Left, frame.Top, frame.Width, frame.Height);
    std::vector<GifPixelType> line(static_cast<std::size_t>(frame.Width));
    constexpr std::array<std::pair<int, int>, 4> kPasses = {{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
    const auto read_rows = [&](int first, int step) {
      for (int y = first; y < frame.Height; y += step) {
        check(DGifGetLine(gif_.get(), line.data(), frame.Width));
        put(line, *palette, view, y);
      }
    };
    if (frame.Interlace)
      for (const auto& [first, step] : kPasses) read_rows(first, step);
    else
      read_rows(0, 1);
    Picture picture{std::move(image)};
    if (!comment_.empty()) picture.metadata.texts.push_back({std::string(kComment), comment_});
    const auto byte = [&](std::size_t at) {
      return at < source_.bytes.size() ? std::to_integer<unsigned>(source_.bytes[at]) : 0u;
    };
    if (has_many_frames(source_.bytes.size(), byte))
      picture.remarks.push_back({true, "it moves, and its first frame alone is read"});
    return picture;
  }

  void put(const std::vector<GifPixelType>& line, const ColorMapObject& palette, View<std::uint8_t> to,
           std::int64_t y) const {
    for (std::int64_t x = 0; x < to.width; ++x) {
      const int index = line[static_cast<std::size_t>(x)];
      if (index == transparent_) continue;
      if (index >= palette.ColorCount) corrupt("a pixel is beyond the palette");
      const GifColorType& colour = palette.Colors[index];
      std::uint8_t* const pixel = &to(x, y);
      pixel[0] = colour.Red;
      if (to.channels == 1) continue;
      pixel[1] = colour.Green;
      pixel[2] = colour.Blue;
      if (to.channels == 4) pixel[3] = 255;
    }
  }

  const Source& source_;
  Bytes rest_;
  std::unique_ptr<GifFileType, CloseDecoder> gif_;
  int transparent_ = -1;
  std::string comment_;
};

Encoded encode_gif(const Prepared& prepared, const WriteOptions&, const std::string& name,
                   const Remarks& say) {
  const auto& image = std::get<Image<std::uint8_t>>(prepared.samples());
  std::vector<std::byte> file;
  GifWriter writer([&](Bytes bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); }, name,
                   image.width(), image.height());
  for (const NamedText& text : prepared.metadata.texts)
    if (text.name == kComment) writer.comment(text.text);
  const bool is_exact = writer.add(image.view());
  writer.finish();
  if (say && !is_exact) say({false, "GIF holds 256 colours; others are mixed of dots"});
  const std::uint8_t* const samples = image.view().data;
  bool is_partial = false;
  for (std::int64_t i = 3; image.channels() == 4 && i < image.view().extent(); i += 4)
    is_partial |= samples[i] > 0 && samples[i] < 255;
  if (say && is_partial) say({true, "GIF holds no partial alpha; pixels from one half on cover"});
  return owned(std::move(file));
}

#endif

}  // namespace

#ifdef SCANLENS_HAS_GIF

struct GifWriter::Impl {
  GifSink sink;
  std::string name;
  GifFileType* gif = nullptr;
  bool moves = false;
  std::exception_ptr failure = {};  ///< of the sink, which must not go through giflib

  ~Impl() {
    if (gif) EGifCloseFile(gif, nullptr);
  }
  static int put(GifFileType* gif, const GifByteType* bytes, int count) {
    Impl& self = *static_cast<Impl*>(gif->UserData);
    if (self.failure) return 0;
    try {
      self.sink(std::as_bytes(std::span(bytes, static_cast<std::size_t>(count))));
      return count;
    } catch (...) {
      self.failure = std::current_exception();
      return 0;
    }
  }
  void check(int status, int error) const {
    if (failure) std::rethrow_exception(failure);
    if (status == GIF_ERROR)
      throw Error(fmt::format("{}: cannot be encoded ({})", name, GifErrorString(error)));
  }
  void check(int status) const { check(status, gif->Error); }
};

GifWriter::GifWriter(GifSink sink, const std::string& name, std::int64_t width, std::int64_t height,
                     std::optional<int> loops)
    : impl_(std::make_unique<Impl>()) {
  if (width > kMostGifSide || height > kMostGifSide)
    throw Error(fmt::format("{}: {} x {} pixels, and a GIF has at most {} a side", name, width, height,
                            kMostGifSide));
  impl_->sink = std::move(sink);
  impl_->name = name;
  impl_->moves = loops.has_value();
  int error = 0;
  impl_->gif = EGifOpen(impl_.get(), &Impl::put, &error);
  impl_->check(impl_->gif ? GIF_OK : GIF_ERROR, error);
  EGifSetGifVersion(impl_->gif, true);
  impl_->check(
      EGifPutScreenDesc(impl_->gif, static_cast<int>(width), static_cast<int>(height), 8, 0, nullptr));
  if (!loops) return;
  const std::array<GifByteType, 3> times = {1, static_cast<GifByteType>(*loops & 255),
                                            static_cast<GifByteType>(*loops >> 8)};
  impl_->check(EGifPutExtensionLeader(impl_->gif, APPLICATION_EXT_FUNC_CODE));
  impl_->check(EGifPutExtensionBlock(impl_->gif, 11, "NETSCAPE2.0"));
  impl_->check(EGifPutExtensionBlock(impl_->gif, 3, times.data()));
  impl_->check(EGifPutExtensionTrailer(impl_->gif));
}

void GifWriter::comment(const std::string& text) {
  // giflib writes an empty one wrongly: by two blocks that end it.
  if (!text.empty()) impl_->check(EGifPutComment(impl_->gif, text.c_str()));
}

bool GifWriter::add(View<const std::uint8_t> frame, std::int64_t x, std::int64_t y, int hundredths) {
  const Paletted made = paletted(frame);
  if (impl_->moves || made.transparent >= 0) {
    const GraphicsControlBlock control = {DISPOSE_DO_NOT, false, std::min(hundredths, 65535),
                                          made.transparent};
    std::array<GifByteType, 4> bytes;
    EGifGCBToExtension(&control, bytes.data());
    impl_->check(EGifPutExtension(impl_->gif, GRAPHICS_EXT_FUNC_CODE, 4, bytes.data()));
  }
  int count = 2;
  while (count < static_cast<int>(made.colours.size())) count *= 2;
  std::array<GifColorType, 256> colours = {};
  for (std::size_t i = 0; i < made.colours.size(); ++i)
    colours[i] = {made.colours[i][0], made.colours[i][1], made.colours[i][2]};
  const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(
      GifMakeMapObject(count, colours.data()), GifFreeMapObject);
  impl_->check(EGifPutImageDesc(impl_->gif, static_cast<int>(x), static_cast<int>(y),
                                static_cast<int>(frame.width), static_cast<int>(frame.height), false,
                                map.get()));
  for (std::int64_t row = 0; row < frame.height; ++row)
    impl_->check(EGifPutLine(impl_->gif, const_cast<GifPixelType*>(made.indices.view().row(row)),
                             static_cast<int>(frame.width)));
  return made.is_exact;
}

void GifWriter::finish() {
  int error = 0;
  const int status = EGifCloseFile(std::exchange(impl_->gif, nullptr), &error);
  impl_->check(status, error);
}

#else

struct GifWriter::Impl {};
GifWriter::GifWriter(GifSink, const std::string& name, std::int64_t, std::int64_t, std::optional<int>) {
  throw Error(name + ": this build does not write GIF; install libgif-dev and build it anew");
}
void GifWriter::comment(const std::string&) {}
bool GifWriter::add(View<const std::uint8_t>, std::int64_t, std::int64_t, int) {
  return true;
}
void GifWriter::finish() {}

#endif

GifWriter::~GifWriter() = default;

bool is_animated_gif(const std::filesystem::path& path) try {
  const InputFile file(path);
  std::array<std::byte, kMostMagic> magic;
  const std::span<std::byte> head = std::span(magic).first(std::min(magic.size(), file.size()));
  file.read(0, head);
  if (!is_gif({reinterpret_cast<const char*>(head.data()), head.size()})) return false;
  return has_many_frames(file.size(), FileBytes(file));
} catch (const Error&) {  // its reader says what is wrong
  return false;
}

constinit const Codec codecs::gif = {
    .traits = {.name = "GIF",
               .extensions = ".gif",
               .media_types = "image/gif",
               .read = "pictures; an animation is a clip",
               .written = "256 colours",
#ifndef SCANLENS_HAS_GIF
               .missing = "libgif",
#endif
               .channels = kAnyChannels,
               .samples = kHolds8,
               .extras = kHoldsComment,
               .work_bytes = 4,
               .most_side = 65535},
    .recognises = [](std::string_view text, const auto&) { return is_gif(text); },
#ifdef SCANLENS_HAS_GIF
    .decode = [](const Source& source) { return GifReader(source).read(); },
    .encode = encode_gif
#endif
};

}  // namespace scanlens
