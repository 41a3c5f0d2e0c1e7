#include "app/batch/one_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "app/io/file.h"
#include "app/io/memory_limit.h"
#include "app/io/signals.h"
#include "core/devices.h"

namespace scanlens {

Shared::Shared(const Settings& settings, const std::vector<std::string>& devices, bool may_fall_back,
               std::int64_t memory)
    : settings(settings),
      may_fall_back(may_fall_back),
      memory(memory, [this] { return lanes.free_kept() | on_cpu.free_kept(); }),
      lanes(this->memory, devices),
      on_cpu(this->memory, {"cpu"}) {}

OnePicture::OnePicture(Shared& shared, const Item& item)
    : shared_(shared), item_(item), talk_(shared.settings, Talk::Kind::collects), memory_(shared.memory) {
  outcome_.item = &item;
  outcome_.bytes_in = size_of(item.input);
  // A file larger than the limit is read in parts, as every clip is, or refused.
  if (!item.is_clip) needed_ = std::min(static_cast<std::int64_t>(outcome_.bytes_in), shared.memory.limit());
}

void OnePicture::wait_for_memory() {
  begins_again_ = false;
  memory_.wait_for(needed_);
}

void OnePicture::attempt(const std::function<void()>& stage) {
  if (!goes_on()) return;
  try {
    stage();
  } catch (const Interrupted&) {
    ended_ = dropped_ = true;
  } catch (const Again&) {
    begins_again_ = begun_again_ = true;
    give_up();
    talk_.account = {};
  } catch (const Error& error) {
    fail(error.kind() == ErrorKind::retry ? Status::retry : Status::failed, error.what());
  } catch (const std::bad_alloc&) {
    fail(Status::retry, "out of memory");
  } catch (const std::exception& error) {
    fail(Status::failed, error.what());
  }
  if (ended_) {
    give_up();
    outcome_.warnings = std::move(talk_.account.warnings);
  }
  note_progress();
}

void OnePicture::heed_signals() {
  if (signal_noted()) throw Interrupted();
}

void OnePicture::require_memory(std::int64_t bytes) {
  heed_signals();
  require_fit(item_.input.string(), bytes, static_cast<std::uint64_t>(shared_.memory.limit()), "host");
  bytes = begun_again_ ? std::max(bytes, needed_) : bytes;
  needed_ = bytes;
  if (!memory_.resize(bytes)) throw Again();
}

void OnePicture::attempt_on(const Lanes::Use& use, const std::function<void(Context& context)>& stage) {
  attempt([&] {
    if (!moved_because_.empty()) talk_.warn(moved_because_);
    const Lanes::Lane lane(moved_because_.empty() ? shared_.lanes : shared_.on_cpu, use);
    Context& context = lane.context();
    outcome_.device = context.device().id;
    try {
      stage(context);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::retry || !shared_.may_fall_back || !context.on_cuda()) throw;
      context.trim();
      moved_because_ =
          fmt::format("{}: worked on by the CPU, because {}", item_.input.string(), error.what());
      throw Again();
    }
  });
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

void OnePicture::give_up() {
  drop();
  memory_.release();
}

std::size_t size_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::size_t>(size);
}

}  // namespace scanlens
