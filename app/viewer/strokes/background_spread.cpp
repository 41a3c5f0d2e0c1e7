#include "app/viewer/strokes/background_spread.h"

#include <utility>

#include "app/depth/strokes/spread.h"
#include "app/photo/photo_options.h"

namespace scanlens {
namespace {

constexpr const char* kName = "the strokes";

}  // namespace

/// Data of one thread.
struct BackgroundSpread::Source {
  Source(const Picture& picture, std::int64_t most_pixels, const Depth* map)
      : photo(rows_of(picture)), spreading(photo, most_pixels, map) {}
  PhotoRows photo;
  StrokeSpreading spreading;
};

BackgroundSpread::BackgroundSpread(SpreadPhoto photo, const Settings& settings)
    : photo_(std::move(photo)), settings_(settings) {
  for (const Kind kind : {kPreview, kFinal}) threads_[kind] = std::thread([this, kind] { work(kind); });
}

BackgroundSpread::~BackgroundSpread() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void BackgroundSpread::want(std::shared_ptr<const Strokes> strokes) {
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = std::move(strokes);
    ++number_;
  }
  changed_.notify_all();
}

void BackgroundSpread::want_final() {
  {
    const std::scoped_lock lock(mutex_);
    final_wanted_ = number_;
  }
  changed_.notify_all();
}

std::optional<BackgroundSpread::Result> BackgroundSpread::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

void BackgroundSpread::wait(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [this] { return result_.has_value(); });
}

/// Reads what the viewer does not hold: the file's own samples, and the map. The thread of previews does it,
/// and that of final maps begins after it.
void BackgroundSpread::prepare() {
  std::shared_ptr<const Picture> picture = photo_.picture;
  if (!photo_.file.empty())
    picture = std::make_shared<const Picture>(PhotoFile(photo_.file, settings_.limits()).picture());
  if (!photo_.map && !photo_.map_file.empty()) {
    Depth map = read_depth(photo_.map_file, photo_.options, settings_.limits());
    photo_.map = std::make_shared<const Depth>(
        fitted(std::move(map), rows_of(*picture), photo_.options, photo_.map_file, settings_));
  }
  {
    const std::scoped_lock lock(mutex_);
    stored_ = std::move(picture);
  }
  changed_.notify_all();
}

BackgroundSpread::Result BackgroundSpread::made(Kind kind, const std::shared_ptr<const Strokes>& strokes,
                                                std::unique_ptr<Source>& source) {
  Result result{strokes, std::nullopt, kind == kFinal || !strokes};
  try {
    if (kind == kPreview && !stored_) prepare();
    if (!strokes) {
      if (photo_.map) result.depth = copy_of(*photo_.map);
      return result;
    }
    if (!source) {
      // More strokes may be drawn later.
      if (kind == kFinal)
        settings_.require_host_memory(kName, spreading_bytes(rows_of(*stored_).format, kMostStrokes));
      source = std::make_unique<Source>(*stored_, kind == kFinal ? kStrokePixels : kStrokePreviewPixels,
                                        photo_.map.get());
    }
    const PhotoRows& photo = source->photo;
    Depth depth = source->spreading.spread(*strokes, kName, kind == kPreview);
    result.depth = kind == kFinal ? fitted(std::move(depth), photo, photo_.options, kName, settings_)
                                  : resized(std::move(depth), photo, DepthResample::bilinear);
  } catch (...) {
    result.failure = std::current_exception();
  }
  return result;
}

void BackgroundSpread::work(Kind kind) {
  std::unique_ptr<Source> source;
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto has_work = [&] {
      return number_ != done_[kind] && (kind == kPreview || (stored_ && final_wanted_ == number_ && wanted_));
    };
    changed_.wait(lock, [&] { return ends_ || has_work(); });
    if (ends_) return;
    const int number = done_[kind] = number_;
    const std::shared_ptr<const Strokes> strokes = wanted_;
    lock.unlock();
    Result result = made(kind, strokes, source);
    lock.lock();
    // A final map replaces the preview of the same strokes, and is not replaced by it.
    const bool is_newer =
        number > result_number_ || (number == result_number_ && result.is_final && !result_is_final_);
    if (!is_newer) continue;
    result_number_ = number;
    result_is_final_ = result.is_final;
    result_ = std::move(result);
    changed_.notify_all();
  }
}

}  // namespace scanlens
