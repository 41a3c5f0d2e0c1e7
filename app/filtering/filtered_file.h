// A picture on its way through filters, from file to file, in bands of rows: what `filter` does with one and
// `batch` with many.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "app/io/stream.h"
#include "app/session/session.h"
#include "core/context.h"
#include "core/image.h"
#include "filters/filter.h"

namespace scanlens {

class DepthNetwork;

/// The work on pictures. Without filters they are written as they are, in another format perhaps.
struct Filtering {
  std::vector<FilterCall> calls;                     ///< every one that takes a mask names its file
  std::shared_ptr<const DepthNetwork> network = {};  ///< guesses depth where a call names no file
  WriteOptions write;
  std::int64_t band = 0;       ///< rows worked on at a time; 0: as many as fit the usual memory
  bool limits_pixels = false;  ///< true if --max-pixels holds for pictures that are read row by row, too
};

/// Goes through three stages in this order: open, filter, commit. Different threads may call them, one at a
/// time, and different files have different sessions and contexts. The session collects what is said, and the
/// time of each stage: "decode", "maps", "filter" and "encode". Formats that are only read or written whole
/// are decoded by `open` and encoded by `commit`; PNG and portable maps are read and written by `filter`,
/// band by band. Context, filtering and session must outlive it. Every failure throws Error and leaves no
/// output.
class FilteredFile {
 public:
  FilteredFile(const Filtering& filtering, std::filesystem::path input, std::filesystem::path output,
               Context& context, Session& session);

  /// Called with the host's bytes that the picture takes in all, once its header is known and before they are
  /// allocated; maybe more than once. It may wait until they are free.
  using Admit = std::function<void(std::int64_t host_bytes)>;
  void open(const Admit& admit = {});

  /// Says what share is done, after every band; it may throw to stop the work.
  using Show = std::function<void(double done)>;
  void filter(const Show& show);

  void commit();

  // Facts that are known once it is open.
  const RowFormat& format() const { return reader_->format(); }
  const RowFormat& made() const { return made_; }  ///< of the output
  std::int64_t band_rows() const { return rows_; }

 private:
  void require_pixels(const Limits& whole) const;
  void take_tones();
  std::int64_t band_for(const RowFormat& format) const;
  std::int64_t bands_bytes(const RowFormat& format, std::int64_t rows) const;
  std::int64_t stream_bytes(const RowFormat& format, std::int64_t rows) const;
  std::int64_t all_host_bytes(const RowFormat& format) const;

  const Filtering& filtering_;
  std::filesystem::path input_, output_;
  Context& context_;
  Session& session_;
  std::vector<FilterCall> calls_;   ///< with the maps of this picture
  std::vector<Image<float>> maps_;  ///< in the context's memory
  RowFormat made_;
  std::int64_t rows_ = 0;
  std::unique_ptr<RowReader> reader_;
  std::unique_ptr<RowWriter> writer_;
};

}  // namespace scanlens
