// Numbered files in the place of a clip: as its frames, and for its frames.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "app/color/profile.h"
#include "app/frames/frames.h"
#include "app/video/clip.h"
#include "app/video/clip_range.h"
#include "app/video/frame_ends.h"

namespace scanlens {

/// Returns true if a path stands for numbered files: it has a number's field, and no such file is there.
bool names_frames(const std::filesystem::path& path);

/// Returns what a clip of frames of these rows is that comes from no file, each shown for 1/`rate` seconds.
Clip clip_of_frames(const RowFormat& rows, double rate);

/// Returns what a clip of these files would be, each shown for 1/`rate` seconds, of the size of the first.
/// Throws Error where one between them is missing.
Clip clip_of_files(const std::filesystem::path& pattern, double rate, const Limits& limits);

/// Makes codes of sRGB of a picture's samples, in which clips without colour tags are understood.
Picture as_srgb_codes(Picture picture);

/// Reads them. Samples become codes of sRGB.
class FilesSource : public FrameSource {
 public:
  FilesSource(const Clip& clip, const ClipRange& range, const Limits& limits)
      : clip_(clip), range_(range), limits_(limits), pattern_(*FramePattern::of(clip.path)) {}
  bool read(ClipFrame& frame) override;
  bool goes_on() const override { return next_ < clip_.files.size(); }

 private:
  const Clip& clip_;
  const ClipRange range_;
  const Limits limits_;
  const FramePattern pattern_;
  std::size_t next_ = 0;
  bool given_ = false;
};

/// Writes each frame under its number, from 0, or one frame under the name itself.
class FilesSink : public FrameSink {
 public:
  FilesSink(std::filesystem::path path, const WriteOptions& write, Remarks say)
      : path_(std::move(path)), write_(write), say_(std::move(say)) {}
  /// Throws Error before any work where files cannot be written under such names.
  static void check(const std::filesystem::path& path, const WriteOptions& write);
  void write(ClipFrame& frame) override;
  void finish() override {}

 private:
  const std::filesystem::path path_;
  const WriteOptions write_;
  const Remarks say_;
};

}  // namespace scanlens
