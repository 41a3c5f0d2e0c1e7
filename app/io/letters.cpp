#include "app/io/letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "app/io/file.h"
#include "app/io/text.h"
#include "core/error.h"

#if defined(SCANLENS_HAS_FREETYPE)
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#endif

namespace scanlens {

namespace fs = std::filesystem;

fs::path font_of_system() {
  constexpr const char* kFonts[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
                                    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
                                    "/usr/share/fonts/truetype/ubuntu/Ubuntu-R.ttf",
                                    "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf"};
  std::error_code error;
  for (const char* file : kFonts)
    if (fs::exists(file, error)) return file;
  return {};
}

#if !defined(SCANLENS_HAS_FREETYPE)

Letters letters_of(const std::string&, const LetterRoom&, const std::filesystem::path&) {
  throw Error("text: this build has no FreeType; install libfreetype-dev and build it anew");
}

#else

namespace {

/// A font that is open, with a size.
class Font {
 public:
  explicit Font(const fs::path& file) : name_(file.string()), bytes_(read_file(file, kMostBytes)) {
    FT_Library library = nullptr;
    if (FT_Init_FreeType(&library)) throw Error("text: FreeType cannot begin; free some memory");
    library_.reset(library);
    FT_Face face = nullptr;
    if (FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(bytes_.data()),
                           static_cast<FT_Long>(bytes_.bytes()), 0, &face))
      throw Error(name_ + ": is no font that FreeType reads; name a .ttf or .otf: font=FILE");
    face_.reset(face);
    if (!FT_IS_SCALABLE(face) || face->ascender <= face->descender || face->units_per_EM == 0)
      throw Error(name_ + ": has no outlines of letters; name a .ttf or .otf: font=FILE");
  }

  /// Sets the pixels from the highest letter's top to the lowest one's bottom.
  void set_height(double pixels) {
    const double per_unit = pixels / (face_->ascender - face_->descender);
    const double em = per_unit * face_->units_per_EM;
    if (FT_Set_Char_Size(face_.get(), 0, static_cast<FT_F26Dot6>(std::lround(em * kPerPixel)), 72, 72))
      throw Error(name_ + ": cannot be scaled; name another: font=FILE");
    ascent_ = per_unit * face_->ascender;
    step_ = std::max(pixels, per_unit * face_->height);
  }
  double ascent() const { return ascent_; }
  double step() const { return step_; }  ///< from line to line

  /// Loads a letter, and returns its place in the font: 0 for one that it lacks.
  FT_UInt load(char32_t letter) {
    const FT_UInt index = FT_Get_Char_Index(face_.get(), letter);
    if (FT_Load_Glyph(face_.get(), index, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP))
      throw Error(name_ + ": has a broken letter; name another: font=FILE");
    return index;
  }
  double advance() const { return static_cast<double>(face_->glyph->linearHoriAdvance) / 65536; }
  // The ink of the letter, which may reach beyond its room: its beginning and width.
  double ink_begin() const { return static_cast<double>(face_->glyph->metrics.horiBearingX) / kPerPixel; }
  double ink_width() const { return static_cast<double>(face_->glyph->metrics.width) / kPerPixel; }

  double kerning(FT_UInt before, FT_UInt index) const {
    FT_Vector by = {};
    if (before && index && FT_HAS_KERNING(face_))
      FT_Get_Kerning(face_.get(), before, index, FT_KERNING_UNFITTED, &by);
    return static_cast<double>(by.x) / kPerPixel;
  }

  /// Adds the letter that is loaded to what is covered; (x, y) is where its line begins.
  void draw(double x, double y, View<float> coverage) {
    FT_GlyphSlot glyph = face_->glyph;
    if (glyph->format != FT_GLYPH_FORMAT_OUTLINE) return;
    const double left = std::floor(x), top = std::floor(y);
    FT_Outline_Translate(&glyph->outline, static_cast<FT_Pos>((x - left) * kPerPixel),
                         static_cast<FT_Pos>((top - y) * kPerPixel));
    FT_BBox box;
    FT_Outline_Get_CBox(&glyph->outline, &box);
    const auto most = static_cast<FT_Pos>((8 * step_ + 64) * kPerPixel);
    if (box.xMax - box.xMin > most || box.yMax - box.yMin > most ||
        FT_Render_Glyph(glyph, FT_RENDER_MODE_NORMAL))
      throw Error(name_ + ": has a letter that cannot be drawn; name another: font=FILE");
    const FT_Bitmap& bitmap = glyph->bitmap;
    for (unsigned j = 0; j < bitmap.rows; ++j) {
      const auto row = static_cast<std::int64_t>(top) - glyph->bitmap_top + j;
      const unsigned char* const from = bitmap.buffer + static_cast<std::ptrdiff_t>(j) * bitmap.pitch;
      for (unsigned i = 0; i < bitmap.width; ++i) {
        const auto column = static_cast<std::int64_t>(left) + glyph->bitmap_left + i;
        if (row < 0 || row >= coverage.height || column < 0 || column >= coverage.width) continue;
        float& to = coverage(column, row);
        to = std::min(1.f, to + static_cast<float>(from[i]) / 255.f);
      }
    }
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr double kPerPixel = 64;

  struct End {
    void operator()(FT_Library library) const { FT_Done_FreeType(library); }
    void operator()(FT_Face face) const { FT_Done_Face(face); }
  };

  std::string name_;
  Memory bytes_;
  std::unique_ptr<std::remove_pointer_t<FT_Library>, End> library_;
  std::unique_ptr<std::remove_pointer_t<FT_Face>, End> face_;
  double ascent_ = 0, step_ = 0;
};

/// Cuts a character off text in UTF-8.
char32_t next_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  char32_t character = length == 1 ? first : first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i)
    character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  text.remove_prefix(length);
  return character;
}

std::vector<std::u32string> lines_of(std::string_view words) {
  std::vector<std::u32string> lines(1);
  while (!words.empty()) {
    if (words.starts_with("\\n")) {
      words.remove_prefix(2);
      lines.emplace_back();
    } else if (const char32_t character = next_character(words); character == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += character;
    }
  }
  return lines;
}

/// Goes along a line, letter by letter: at(x) is called where each is loaded. Returns the line's width.
template <class At>
double along(Font& font, const std::u32string& line, const At& at) {
  double x = 0;
  FT_UInt before = 0;
  for (const char32_t character : line) {
    const FT_UInt index = font.load(character);
    x += font.kerning(before, index);
    const double advance = font.advance();
    at(x, index, character);
    x += advance;
    before = index;
  }
  return x;
}

std::string utf8_of(char32_t c) {
  if (c < 0x80) return {static_cast<char>(c)};
  std::string text;
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  text += static_cast<char>((0xff00u >> (more + 1) & 0xff) | c >> 6 * more);
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (c >> 6 * i & 0x3f));
  return text;
}

}  // namespace

Letters letters_of(const std::string& words, const LetterRoom& room, const fs::path& font_file) {
  if (!is_utf8(words)) throw Error(ErrorKind::usage, "text: the words are not UTF-8; write them in UTF-8");
  Letters made;
  made.font = font_file.empty() ? font_of_system() : font_file;
  if (made.font.empty())
    throw Error("text: no font was found; install fonts-dejavu-core, or name one: font=FILE");
  Font font(made.font);
  const std::vector<std::u32string> lines = lines_of(words);
  const auto count = static_cast<double>(lines.size());
  std::vector<double> widths;
  double widest = 0, before = 0, behind = 0, pixels = room.line;
  bool has_ink = false;
  const auto measure = [&] {
    font.set_height(pixels);
    widths.clear();
    before = behind = 0;
    for (const std::u32string& line : lines) {
      double end = 0;
      widths.push_back(along(font, line, [&](double x, FT_UInt, char32_t) {
        before = std::max(before, -(x + font.ink_begin()));
        end = std::max(end, x + font.ink_begin() + font.ink_width());
        has_ink |= font.ink_width() > 0;
      }));
      behind = std::max(behind, end - widths.back());
    }
    widest = *std::max_element(widths.begin(), widths.end());
  };
  measure();
  const double fits = std::min({1., (static_cast<double>(room.width) - 1) / (before + widest + behind),
                                (static_cast<double>(room.height) - 1) / (font.step() * count)});
  if (fits < 1) {
    pixels = std::max(1., pixels * fits);
    measure();
  }
  if (!has_ink)
    throw Error(ErrorKind::usage,
                fmt::format("text: '{}' has no letters; write words=WORDS", printable(words)));
  const auto side = [](double length, std::int64_t most) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(length)), 1, most);
  };
  made.coverage =
      Image<float>(side(before + widest + behind, room.width), side(font.step() * count, room.height));
  const View<float> coverage = made.coverage.view();
  std::fill_n(coverage.data, coverage.extent(), 0.f);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double left = before + (widest - widths[i]) * (room.side + 1) / 2;
    along(font, lines[i], [&](double x, FT_UInt index, char32_t character) {
      if (const std::string own = utf8_of(character);
          index == 0 && made.missing.find(own) == std::string::npos)
        made.missing += own;
      font.draw(left + x, font.ascent() + static_cast<double>(i) * font.step(), coverage);
    });
  }
  return made;
}

#endif

}  // namespace scanlens
