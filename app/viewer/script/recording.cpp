#include "app/viewer/script/recording.h"

#include <utility>

namespace scanlens {
namespace {

WriteOptions with_quality(WriteOptions write, int quality) {
  write.quality = quality;
  return write;
}

}  // namespace

void Recording::check(const steps::RecordBegin& record, const WriteOptions& write) {
  FrameWriter::check(record.file, record.frames_per_second, with_quality(write, record.quality));
}

Recording::Recording(const steps::RecordBegin& record, const WriteOptions& write)
    : name_(record.file.string()),
      writer_(record.file, record.frames_per_second, with_quality(write, record.quality)) {}

void Recording::add(Image<std::uint8_t> rgb) {
  writer_.add(Picture{std::move(rgb)});
}

}  // namespace scanlens
