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

/// Ends of the names of files, photo_strokes.json.
constexpr const char *kDepthKind = "strokes", *kSharpKind = "sharp";

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

/// Writes strokes to a file beside the photo: to `file`, if it is one that this viewer wrote or read for the
/// photo, else to one of a free name. Returns its name.
fs::path StrokeMode::write_strokes(const Strokes& strokes, fs::path file, const char* kind) {
  const fs::path& photo = open_.photo()->file;
  fs::path folder = photo.parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) folder.clear();
  const auto text_in = [&](const fs::path& name) {
    Strokes written = strokes;
    if (!strokes.map.empty()) written.map = named_from(name.parent_path(), map_file_);
    return written;
  };
  const std::string key = photo.string() + kind;
  if (const auto written = written_.find(key); written != written_.end()) file = written->second;
  for (int i = 1; file.empty(); ++i) {
    const fs::path name =
        folder / fmt::format("{}_{}{}.json", photo.stem().string(), kind, i == 1 ? "" : fmt::format("{}", i));
    std::error_code error;
    if (!fs::exists(name, error) || holds(name, text_in(name))) file = name;
  }
  if (const Strokes written = text_in(file); !holds(file, written)) {
    const std::string text = text_of(written);
    scanlens::write_file(file, std::as_bytes(std::span(text)));
    const bool is_depth = kind == kDepthKind;
    talk_.say(fmt::format("{}: written, {} takes it", file.string(), is_depth ? "--depth" : "--keep-sharp"));
  }
  return written_[key] = file;
}

void StrokeMode::write_file() {
  if (!open_.strokes && !open_.sharp) return;
  const ViewedPhoto& photo = *open_.photo();
  if (is_standard_stream(photo.file))
    throw Error("standard input cannot be read again: save the photo to a file and view that");
  if (open_.sharp) open_.sharp_file = write_strokes(*open_.sharp, {}, kSharpKind);
  if (!open_.strokes) return;
  if (open_.strokes == photo.strokes && !photo.depth_file.empty()) {  // as they were read
    open_.strokes_file = photo.depth_file;
    return;
  }
  open_.note_written(
      write_strokes(*open_.strokes, photo.strokes ? photo.depth_file : fs::path(), kDepthKind));
}

}  // namespace scanlens
