#include "app/batch/written_picture.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <thread>

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

WrittenPicture::WrittenPicture(Shared& shared, const Work& work, const Item& item)
    : OnePicture(shared, item), work_(work), write_(work.filtering.write) {
  if (work.keep_times) write_.overwrite.times_of = item.input;
}

void WrittenPicture::look() {
  attempt([&] {
    read_header(item_.input, talk_.settings.limits());
    if (std::error_code error; !item_.depth.empty() && !std::filesystem::exists(item_.depth, error))
      throw Error(item_.depth.string() + ": no such file");
  });
}

void WrittenPicture::judge() {
  attempt([&] {
    const Made made = made_of();
    // With the name: another input of the same size and time may have this output in another run, by {n}.
    outcome_.fingerprint = fingerprint(made.parameters + "\n" + item_.relative.string(), made.read);
    write_.overwrite.mark = outcome_.fingerprint;
    decide();
  });
}

void WrittenPicture::claim() {
  attempt([&] {
    if (work_.overwrite) return;  // every run replaces every output
    take_claim();
    if (postponed() || !stands(item_.output) || !is_current()) return;
    outcome_.bytes_out = size_of(item_.output);  // another run was faster
    end(Status::skipped);
  });
}

void WrittenPicture::take_claim() {
  constexpr auto kPause = std::chrono::milliseconds(20);
  while (!claim_.take(work_.folder, item_.output)) {
    if (!shared_.waits_for_others) return postpone();
    heed_signals();
    std::this_thread::sleep_for(kPause);
  }
}

void WrittenPicture::make_output_folder() const {
  make_folder(folder_of(item_.output));
}

void WrittenPicture::end_written() {
  outcome_.bytes_out = size_of(item_.output);
  end(Status::written);
}

/// Returns true if the output that stands there is what this run would make: by its mark, or, where the
/// filesystem keeps none, by what the report of an earlier run says.
bool WrittenPicture::is_current() const {
  const std::string mark = mark_of(item_.output);
  if (!mark.empty()) return mark == outcome_.fingerprint;
  const auto found = work_.reported.find(item_.relative.native());
  return found != work_.reported.end() && found->second.fingerprint == outcome_.fingerprint &&
         (found->second.status == "written" || found->second.status == "skipped") &&
         found->second.bytes_out == size_of(item_.output);
}

/// Returns true if an output that stands there is known to be of an earlier batch. Without marks that is what
/// its report at least planned.
bool WrittenPicture::may_replace() const {
  return work_.overwrite || !mark_of(item_.output).empty() ||
         (work_.reported.contains(item_.relative.native()) && !keeps_marks(folder_of(item_.output)));
}

void WrittenPicture::decide() {
  Overwrite& overwrite = write_.overwrite;
  overwrite.never = false;
  if (!stands(item_.output)) {
    overwrite.never = !work_.overwrite && !work_.skip_existing;
  } else if (work_.skip_existing && is_current()) {
    outcome_.bytes_out = size_of(item_.output);
    end(Status::skipped);
  } else if (!may_replace()) {
    throw Error(fmt::format("{}: exists, and nothing tells that batch wrote it; {} it", item_.output.string(),
                            work_.replacing));
  }
}

/// Takes an output for skipped that another worker has written first.
bool WrittenPicture::is_saved() {
  if (!write_.overwrite.never || !stands(item_.output) || mark_of(item_.output) != outcome_.fingerprint)
    return false;
  outcome_.bytes_out = size_of(item_.output);
  end(Status::skipped);
  return true;
}

}  // namespace scanlens
