// GIF's writer, for pictures and animations. Inside scanlens_files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/io/file.h"
#include "core/view.h"

namespace scanlens {

using GifSink = std::function<void(Bytes)>;

class GifWriter {
 public:
  /// `loops`: how often an animation is played, 0 without end; nothing for a picture.
  GifWriter(GifSink sink, const std::string& name, std::int64_t width, std::int64_t height,
            std::optional<int> loops = {});
  ~GifWriter();

  void comment(const std::string& text);

  /// Adds a frame that lies at (x, y) on those before, of 1, 3 or 4 channels; alpha from one half on covers.
  /// It has up to 256 colours of its own. Returns false where they are not those of the picture.
  bool add(View<const std::uint8_t> frame, std::int64_t x = 0, std::int64_t y = 0, int hundredths = 0);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scanlens
