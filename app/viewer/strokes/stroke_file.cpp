// The file that the viewer keeps strokes in, which `dof --depth` takes.
#include <fmt/format.h>
#include <unistd.h>

#include <span>
#include <system_error>

#include "app/io/file.h"
#include "app/io/text.h"
#include "app/viewer/strokes/stroke_mode.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Returns a file as one of a folder names it.
std::string named_from(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path relative = fs::proximate(file, folder.empty() ? "." : folder, error);
  const bool is_below = !error && !relative.empty() && *relative.begin() != "..";
  return (is_below ? relative : fs::absolute(file, error)).string();
}

}  // namespace

/// Returns true if a file holds just these strokes.
bool StrokeMode::holds(const fs::path& file, const Strokes& strokes) {
  try {
    const Memory memory = read_file(file, kMostStrokeBytes);
    return std::string_view(reinterpret_cast<const char*>(memory.data()), memory.bytes()) == text_of(strokes);
  } catch (const Error&) {
    return false;
  }
}

void StrokeMode::write_file() {
  if (!model_.strokes) return;
  const ViewedPhoto& photo = *model_.photo();
  if (is_standard_stream(photo.file))
    throw Error("standard input cannot be read again: save the photo to a file and view that");
  if (model_.strokes == photo.strokes) {  // as they were read
    model_.strokes_file = photo.depth_file;
    return;
  }
  fs::path folder = photo.file.parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) folder.clear();
  const auto text_in = [&](const fs::path& file) {
    Strokes strokes = *model_.strokes;
    if (corrects_a_map()) strokes.map = named_from(file.parent_path(), map_file_);
    return strokes;
  };
  // A file that this viewer wrote or read for the photo may be written again. Any other file stays.
  const auto written = written_.find(photo.file);
  fs::path file = written != written_.end() ? written->second : photo.strokes ? photo.depth_file : fs::path();
  for (int i = 1; file.empty(); ++i) {
    const fs::path name = folder / fmt::format("{}_strokes{}.json", photo.file.stem().string(),
                                               i == 1 ? "" : fmt::format("{}", i));
    std::error_code error;
    if (!fs::exists(name, error) || holds(name, text_in(name))) file = name;
  }
  const Strokes strokes = text_in(file);
  if (!holds(file, strokes)) {
    const std::string text = text_of(strokes);
    scanlens::write_file(file, std::as_bytes(std::span(text)));
    talk_.say(fmt::format("{}: written, --depth takes it", file.string()));
  }
  written_[photo.file] = file;
  model_.note_written(file);
}

}  // namespace scanlens
