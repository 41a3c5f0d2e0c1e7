#include "app/batch/filtered_picture.h"

#include <fmt/format.h>

#include <system_error>
#include <vector>

#include "app/batch/plan/fingerprint.h"
#include "app/io/file.h"
#include "app/io/file_mark.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

bool stands(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

FilteredPicture::FilteredPicture(Shared& shared, const Work& work, const Item& item)
    : OnePicture(shared, item), work_(work), filtering_(work.filtering) {}

void FilteredPicture::judge() {
  attempt([&] {
    std::vector<fs::path> read = {item_.input};
    for (FilterCall& call : filtering_.calls) {
      if (call.filter->map == MapKind::depth && call.map_file.empty()) call.map_file = item_.depth.string();
      if (!call.map_file.empty()) read.emplace_back(call.map_file);
    }
    outcome_.fingerprint = fingerprint(work_.parameters, read);
    filtering_.write.overwrite.mark = outcome_.fingerprint;
    decide();
  });
}

void FilteredPicture::open() {
  judge();
  attempt([&] {
    try {
      take_lane(shared_.lanes);
      open_here();
    } catch (const Error& error) {
      if (!falls_back(error)) throw;
      file_.reset();
      move_to_cpu(error);
      open_here();
    }
  });
}

void FilteredPicture::open_here() {
  file_.emplace(filtering_, item_.input, item_.output, context(), session_);
  file_->open([&](std::int64_t bytes) { require_memory(bytes); });
}

void FilteredPicture::work() {
  attempt([&] {
    make_folder(folder_of(item_.output));
    try {
      filter_bands();
    } catch (const Error& error) {
      if (!falls_back(error)) throw;
      file_.reset();
      move_to_cpu(error);
      open_here();
      filter_bands();
    }
  });
}

void FilteredPicture::filter_bands() {
  file_->filter([](double) { heed_signals(); });
}

void FilteredPicture::commit() {
  attempt([&] {
    file_->commit();
    outcome_.bytes_out = size_of(item_.output);
    end(Status::written);
  });
}

/// Returns whether the output that stands there is what this run would make: by its mark, or, where the
/// filesystem keeps none, by what the report of an earlier run says.
bool FilteredPicture::is_current() const {
  const std::string mark = mark_of(item_.output);
  if (!mark.empty()) return mark == outcome_.fingerprint;
  const auto found = work_.reported.find(item_.relative.native());
  return found != work_.reported.end() && found->second.fingerprint == outcome_.fingerprint &&
         (found->second.status == "written" || found->second.status == "skipped") &&
         found->second.bytes_out == size_of(item_.output);
}

/// Returns whether an output that stands there is known to be of an earlier batch. Without marks that is what
/// its report at least planned.
bool FilteredPicture::may_replace() const {
  return work_.overwrite || !mark_of(item_.output).empty() ||
         (work_.reported.contains(item_.relative.native()) && !keeps_marks(folder_of(item_.output)));
}

void FilteredPicture::decide() {
  Overwrite& overwrite = filtering_.write.overwrite;
  overwrite.never = false;
  if (!stands(item_.output)) {
    overwrite.never = !work_.overwrite && !work_.skip_existing;
  } else if (work_.skip_existing && is_current()) {
    outcome_.bytes_out = size_of(item_.output);
    end(Status::skipped);
  } else if (!may_replace()) {
    throw Error(fmt::format("{}: exists, and nothing tells that batch wrote it; --overwrite replaces it",
                            item_.output.string()));
  }
}

/// Takes an output for skipped that another worker has written first.
bool FilteredPicture::is_saved() {
  if (!filtering_.write.overwrite.never || !stands(item_.output) ||
      mark_of(item_.output) != outcome_.fingerprint)
    return false;
  outcome_.bytes_out = size_of(item_.output);
  end(Status::skipped);
  return true;
}

void FilteredPicture::drop() {
  file_.reset();
  outcome_.ms = {session_.account.ms_of("decode"), session_.account.ms_of("filter"),
                 session_.account.ms_of("encode")};
}

}  // namespace scanlens
