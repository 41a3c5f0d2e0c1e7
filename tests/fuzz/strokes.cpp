// Files of strokes: what is read is written and read as the same, and covers pixels or is refused.
#include "app/depth/strokes/strokes.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "app/depth/strokes/spread.h"
#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  scanlens::are_strokes(std::as_bytes(std::span(text)));
  try {
    const scanlens::Strokes strokes = scanlens::parse_strokes(text, "fuzz");
    if (scanlens::parse_strokes(scanlens::text_of(strokes), "again") != strokes) std::abort();
    const scanlens::StrokeRaster raster = scanlens::rasterised(strokes, 37, 29, "fuzz");
    if (raster.planes.empty() || raster.planes.size() > scanlens::kMostStrokePlanes) std::abort();
    for (std::int64_t i = 0; i < raster.numbers.view().extent(); ++i)
      if (raster.numbers.view().data[i] >= static_cast<int>(raster.planes.size())) std::abort();
  } catch (const scanlens::Error& error) {
    const std::string_view message = error.what();
    if (!message.starts_with("fuzz:")) std::abort();
  }
  scanlens::Stroke stroke;
  scanlens::parse_stroke(text, 40, 30, stroke);
  return 0;
}
