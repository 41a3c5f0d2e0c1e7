#include "app/batch/one_picture.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <new>
#include <system_error>
#include <utility>

#include "app/io/file.h"
#include "app/io/signals.h"
#include "core/devices.h"

namespace scanlens {

OnePicture::OnePicture(Shared& shared, const Item& item)
    : shared_(shared), item_(item), session_(shared.session), memory_(shared.memory) {
  outcome_.item = &item;
  outcome_.bytes_in = size_of(item.input);
}

// A thread that waits inside a picture, for its share of a table, must not begin another picture meanwhile.
void OnePicture::attempt(const std::function<void()>& stage) {
  if (ended_ || postponed_) return;
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
  note_progress();
}

void OnePicture::heed_signals() {
  if (signal_noted()) throw Interrupted();
}

void OnePicture::require_memory(std::int64_t bytes) {
  memory_.require(bytes);
  heed_signals();
}

void OnePicture::take_lane(Lanes& lanes) {
  lane_.reset();
  lane_.emplace(lanes);
  outcome_.device = context().device().id;
}

bool OnePicture::falls_back(const Error& error) const {
  return error.kind() == ErrorKind::retry && shared_.may_fall_back && lane_ && context().on_cuda();
}

void OnePicture::move_to_cpu(const Error& error) {
  context().trim();
  session_.warn(fmt::format("{}: worked on by the CPU, because {}", item_.input.string(), error.what()));
  take_lane(shared_.on_cpu);
}

void OnePicture::end(Status status) {
  outcome_.status = status;
  ended_ = true;
}

void OnePicture::fail(Status status, const std::string& cause) {
  ended_ = true;
  if (is_saved()) return;
  outcome_.status = status;
  const std::string name = item_.input.string() + ": ";
  outcome_.cause = cause.starts_with(name) ? cause.substr(name.size()) : cause;
}

/// Gives back what the picture used, and notes what is left of it.
void OnePicture::conclude() {
  drop();
  lane_.reset();
  memory_.release();
  outcome_.warnings = std::move(session_.account.warnings);
}

std::size_t size_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::size_t>(size);
}

}  // namespace scanlens
