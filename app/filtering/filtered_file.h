// A picture on its way through filters, from file to file, in bands of rows: what `filter` does with one and
// `batch` with many.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "app/filtering/filter_maps.h"
#include "app/io/stream.h"
#include "app/photo/photo_options.h"
#include "app/session/session.h"
#include "core/context.h"
#include "core/image.h"
#include "filters/filter.h"

namespace scanlens {

/// The work on pictures. Without filters they are written as they are, in another format perhaps.
struct Filtering {
  std::vector<FilterCall> calls;  ///< every one that takes a mask names its file
  PhotoOptions photo = {};        ///< where depth comes from if a call names no file, and the lens
  WriteOptions write;
  std::int64_t band = 0;       ///< rows worked on at a time; 0: as many as fit the usual memory
  bool limits_pixels = false;  ///< true if --max-pixels holds for pictures that are read row by row, too
};

/// Goes through three stages in this order: open, filter, commit. Different threads may call them, one at a
/// time, and different files have different talks and contexts. The talk collects what is said, and the
/// time of each stage: "decode", "maps", "filter" and "encode". Formats that are only read or written whole
/// are decoded by `open` and encoded by `commit`; PNG and portable maps are read and written by `filter`,
/// band by band. Filtering, talk and what Admit gives must outlive it. Every failure throws Error and
/// leaves no output.
class FilteredFile {
 public:
  /// `on_cuda`: true if the context will be a GPU's.
  FilteredFile(const Filtering& filtering, std::filesystem::path input, std::filesystem::path output,
               bool on_cuda, Talk& talk);

  /// Bytes of the host.
  struct HostMemory {
    std::int64_t most = 0;  ///< that the picture takes at once
    std::int64_t kept = 0;  ///< of them those that the context keeps at most for the next picture
  };

  /// Called with the host's memory that the picture takes, once its header is known and before that is
  /// allocated; again where its map turns out to be larger. It may throw to refuse.
  using Admit = std::function<void(const HostMemory&)>;
  void open(Admit admit);

  /// Says what share is done, after every band; it may throw to stop the work.
  using Show = std::function<void(double done)>;
  void filter(Context& context, const Show& show);

  void commit();

  // Facts that are known once it is open.
  const RowFormat& format() const { return reader_->format(); }
  const RowFormat& made() const { return made_; }  ///< of the output
  std::int64_t band_rows() const { return rows_; }
  std::int64_t kept_bytes() const { return memory_.kept; }  ///< of the host, by the context
  /// Returns true if `filter` neither decodes nor encodes, nor reads maps.
  bool only_filters() const;

 private:
  void pass(Context& context, RowReader& reader, const std::vector<FilterCall>& calls,
            const std::function<void(Bytes)>& take, const Show& show);
  std::shared_ptr<const Image<float>> filtered_light(Context& context);
  bool may_be_turned() const;
  std::unique_ptr<RowWriter> turned_without_loss(const Metadata& metadata);
  void require_pixels(const Limits& whole) const;
  void take_tones();
  void admit_memory(const HostMemory& memory);
  void take_memory(const RowFormat& format, bool whole);
  Limits limits_of_maps();
  std::int64_t band_for(const RowFormat& format, bool whole) const;
  std::int64_t bands_bytes(const RowFormat& format, std::int64_t rows) const;
  std::int64_t stream_bytes(const RowFormat& format, std::int64_t rows) const;
  HostMemory host_memory(const RowFormat& format, std::int64_t rows, bool whole) const;

  const Filtering& filtering_;
  std::filesystem::path input_, output_;
  const bool on_cuda_;
  Talk& talk_;
  Admit admit_;
  HostMemory memory_;              ///< that was admitted
  std::vector<FilterCall> calls_;  ///< with the maps of this picture
  FilterMaps maps_;                ///< in the context's memory
  RowFormat made_;
  std::int64_t file_bytes_ = 0;
  std::int64_t rows_ = 0;
  bool is_whole_ = false;  ///< decoded by `open`
  std::unique_ptr<RowReader> reader_;
  std::unique_ptr<RowWriter> writer_;
};

}  // namespace scanlens
