// The frames of a script on their way into files.
#pragma once

#include <cstdint>
#include <string>

#include "app/frames/frame_writer.h"
#include "app/viewer/script/script.h"

namespace scanlens {

/// Writes the frames that a step of a script asks for.
class Recording {
 public:
  /// Throws Error before anything is written where the path cannot be.
  static void check(const steps::RecordBegin& record, const WriteOptions& write);

  Recording(const steps::RecordBegin& record, const WriteOptions& write);

  void add(Image<std::uint8_t> rgb);
  void finish() { writer_.finish(); }

  std::string name() const { return name_; }
  std::int64_t frames() const { return writer_.frames(); }

 private:
  std::string name_;
  FrameWriter writer_;
};

}  // namespace scanlens
