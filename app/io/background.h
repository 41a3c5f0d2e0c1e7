// Pixels with alpha, laid over one colour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/io/picture.h"

namespace scanlens {

/// Returns the colour that a person names: white, black, grey or #rrggbb; nothing for other words.
std::optional<Colour> parse_colour(const std::string& text);

/// Returns "white", or "#ff8000".
std::string name_of(const Colour& colour);

/// Makes pixels of three samples from such with alpha: 1, 2 or 4 bytes each. Codes are mixed as browsers do,
/// floats as the light that they are.
class OverBackground {
 public:
  OverBackground(const Background& background, int sample_bytes)
      : background_(background), sample_bytes_(sample_bytes) {}

  void convert(const std::byte* from, std::byte* to, std::int64_t pixels);

  /// Says what was done, unless no pixel let the background through.
  void tell(const Remarks& say) const;

 private:
  template <class T>
  void mix(const T* from, T* to, std::int64_t pixels);

  const Background background_;
  const int sample_bytes_;
  bool is_seen_ = false;
};

/// Returns true if a picture of this many channels is laid over a background to be written in a format.
inline bool is_laid_over(int channels, const FormatTraits& traits, const WriteOptions& options) {
  return channels == 4 && options.background && !(traits.channels & kHoldsRgba);
}

}  // namespace scanlens
