// Frames on their way into a clip, encoded by ffmpeg beside the other streams of the clip that they come
// from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/io/file.h"
#include "app/video/clip.h"
#include "app/video/clip_range.h"
#include "app/video/frame_ends.h"
#include "app/work/process.h"

namespace scanlens {

class Command;
class OptionGroup;
struct Option;

/// The encoding of a clip, in ffmpeg's own names.
struct ClipEncoding {
  std::string codec;         ///< "" for what browsers play
  std::string pixel_format;  ///< "" for the codec's usual one
  std::optional<double> crf;
  Overwrite overwrite;
  ClipRange range;   ///< of the clip that the frames come from
  double rate = 30;  ///< of numbered files: frames a second

  void add_options(Command& command);
  /// Adds those that say how frames are encoded.
  void add_codec_options(const OptionGroup& group);
};

/// Words of ffmpeg's command line, and remarks about what they lose.
struct ClipPlan {
  std::vector<std::string> words;
  std::vector<Remark> remarks;
};

/// Returns the pixels that frames of these rows are encoded as, by ffmpeg's name; "" for the codec's own
/// choice.
std::string encoded_pixels(const Clip& clip, const RowFormat& rows, const std::filesystem::path& path,
                           const ClipEncoding& encoding);

/// Plans a clip of frames of this format, the first of them shown at `first`. It gets the other streams, the
/// chapters and the tags of `clip`, from which it is made. `output` is ffmpeg's name for the file. Throws
/// Error (usage) for a name without a container.
ClipPlan plan_clip(const Clip& clip, const RawFormat& format, std::int64_t first,
                   const std::filesystem::path& path, const ClipEncoding& encoding,
                   const std::string& output);

/// A clip that appears under its name complete or not at all.
class ClipWriter : public FrameSink {
 public:
  /// Throws Error before any work where the output cannot be.
  static void check(const std::filesystem::path& path, const Clip& clip, const ClipEncoding& encoding);

  ClipWriter(const std::filesystem::path& path, const Clip& clip, const RowFormat& rows, std::int64_t first,
             const ClipEncoding& encoding, const Remarks& say);

  /// Takes a frame of these rows. It becomes what ffmpeg is handed, unless it is that.
  void write(ClipFrame& frame) override;

  /// Waits for ffmpeg, and puts the file in its place.
  void finish() override;

  void kill() override { ffmpeg_.kill(); }

 private:
  std::int64_t ns_of(std::int64_t time) const;
  [[noreturn]] void fail();

  const std::string name_;
  const Clip& clip_;
  const RawFormat format_;
  const std::int64_t begin_;  ///< the time that becomes 0
  AtomicFile file_;
  ClipPlan plan_;
  Child ffmpeg_;
};

}  // namespace scanlens
