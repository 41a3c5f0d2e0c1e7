#include "app/batch/one_picture.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <new>
#include <system_error>

#include "app/batch/plan/fingerprint.h"
#include "app/io/file.h"
#include "app/io/file_mark.h"
#include "app/io/signals.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Is thrown between bands once a signal was noted.
struct Interrupted {};

std::size_t size_of(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return error ? 0 : static_cast<std::size_t>(size);
}

bool stands(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

OnePicture::OnePicture(Shared& shared, const Item& item)
    : shared_(shared),
      item_(item),
      session_(shared.session),
      filtering_(shared.work.filtering),
      memory_(shared.memory) {
  session_.account = {};
  session_.collects = true;
  outcome_.item = &item;
  outcome_.bytes_in = size_of(item.input);
}

// A thread that waits inside a picture, for its share of a table, must not begin another picture meanwhile.
template <class Stage>
void OnePicture::attempt(const Stage& stage) {
  if (ended_) return;
  try {
    tbb::this_task_arena::isolate(stage);
  } catch (const Interrupted&) {
    ended_ = dropped_ = true;
  } catch (const Error& error) {
    fail(error.kind() == ErrorKind::retry ? Status::retry : Status::failed, error.what());
  } catch (const std::bad_alloc&) {
    fail(Status::retry, "out of memory");
  } catch (const std::exception& error) {
    fail(Status::failed, error.what());
  }
  if (ended_) conclude();
}

void OnePicture::judge() {
  attempt([&] {
    std::vector<fs::path> read = {item_.input};
    for (FilterCall& call : filtering_.calls) {
      if (call.filter->map == MapKind::depth && call.map_file.empty()) call.map_file = item_.depth.string();
      if (!call.map_file.empty()) read.emplace_back(call.map_file);
    }
    outcome_.fingerprint = fingerprint(shared_.work.parameters, read);
    filtering_.write.overwrite.mark = outcome_.fingerprint;
    decide();
  });
}

void OnePicture::open() {
  attempt([&] {
    try {
      open_on(shared_.lanes);
    } catch (const Error& error) {
      if (!falls_back(error)) throw;
    }
  });
}

void OnePicture::open_on(Lanes& lanes) {
  file_.reset();
  lane_.reset();
  lane_.emplace(lanes);
  outcome_.device = lane_->context().device().id;
  file_.emplace(filtering_, item_.input, item_.output, lane_->context(), session_);
  file_->open([&](std::int64_t bytes) {
    memory_.require(bytes);
    if (signal_noted()) throw Interrupted();
  });
}

void OnePicture::filter() {
  attempt([&] {
    make_folder(folder_of(item_.output));
    try {
      filter_bands();
    } catch (const Error& error) {
      if (!falls_back(error)) throw;
      filter_bands();
    }
  });
}

void OnePicture::filter_bands() {
  file_->filter([](double) {
    if (signal_noted()) throw Interrupted();
  });
}

void OnePicture::commit() {
  attempt([&] {
    file_->commit();
    outcome_.status = Status::written;
    outcome_.bytes_out = size_of(item_.output);
    ended_ = true;
  });
}

/// Opens the picture anew on the CPU where a GPU has no memory left, and says so.
bool OnePicture::falls_back(const Error& error) {
  const bool wanted =
      error.kind() == ErrorKind::retry && shared_.work.may_fall_back && lane_ && lane_->context().on_cuda();
  if (!wanted) return false;
  file_.reset();
  lane_->context().trim();
  session_.warn(fmt::format("{}: worked on by the CPU, because {}", item_.input.string(), error.what()));
  open_on(shared_.on_cpu);
  return true;
}

/// Returns whether the output that stands there is what this run would make: by its mark, or, where the
/// filesystem keeps none, by what the report of an earlier run says.
bool OnePicture::is_current() const {
  const std::string mark = mark_of(item_.output);
  if (!mark.empty()) return mark == outcome_.fingerprint;
  const auto found = shared_.work.reported.find(item_.relative.native());
  return found != shared_.work.reported.end() && found->second.fingerprint == outcome_.fingerprint &&
         (found->second.status == "written" || found->second.status == "skipped") &&
         found->second.bytes_out == size_of(item_.output);
}

/// Returns whether an output that stands there is known to be of an earlier batch. Without marks that is what
/// its report at least planned.
bool OnePicture::may_replace() const {
  return shared_.work.overwrite || !mark_of(item_.output).empty() ||
         (shared_.work.reported.contains(item_.relative.native()) && !keeps_marks(folder_of(item_.output)));
}

void OnePicture::decide() {
  Overwrite& overwrite = filtering_.write.overwrite;
  overwrite.never = false;
  if (!stands(item_.output)) {
    overwrite.never = !shared_.work.overwrite && !shared_.work.skip_existing;
  } else if (shared_.work.skip_existing && is_current()) {
    outcome_.status = Status::skipped;
    outcome_.bytes_out = size_of(item_.output);
    ended_ = true;
  } else if (!may_replace()) {
    throw Error(fmt::format("{}: exists, and nothing tells that batch wrote it; --overwrite replaces it",
                            item_.output.string()));
  }
}

void OnePicture::fail(Status status, const std::string& cause) {
  ended_ = true;
  if (filtering_.write.overwrite.never && stands(item_.output) &&
      mark_of(item_.output) == outcome_.fingerprint) {
    outcome_.status = Status::skipped;  // another worker was faster
    outcome_.bytes_out = size_of(item_.output);
    return;
  }
  outcome_.status = status;
  const std::string name = item_.input.string() + ": ";
  outcome_.cause = cause.starts_with(name) ? cause.substr(name.size()) : cause;
}

/// Gives back what the picture used, and notes what is left of it.
void OnePicture::conclude() {
  file_.reset();
  lane_.reset();
  memory_.release();
  outcome_.ms = {session_.account.ms_of("decode"), session_.account.ms_of("filter"),
                 session_.account.ms_of("encode")};
  outcome_.warnings = session_.account.warnings;
}

}  // namespace scanlens
