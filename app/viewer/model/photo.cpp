#include "app/viewer/model/photo.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <system_error>
#include <utility>

#include "app/batch/plan/inputs.h"
#include "app/color/profile.h"
#include "app/depth/strokes/spread.h"
#include "app/io/depth_beside.h"
#include "app/io/gain_map.h"
#include "app/viewer/model/image.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Converts the samples to what a screen of today shows. Returns true if they had to be.
bool convert_for_screen(Picture& picture) {
  if (picture.metadata.icc.empty()) return false;
  const Profile profile(picture.metadata.icc, picture.channels());
  if (profile.is_srgb()) return false;
  std::visit([&](auto& image) { convert_to_srgb(profile, image, image.view().data); }, picture.samples);
  return true;
}

/// Makes light of codes that tell light above white. Returns true if they did.
bool make_lit(Picture& picture, const Settings& settings) {
  const Metadata& metadata = picture.metadata;
  const bool has_codes = !std::holds_alternative<Image<float>>(picture.samples);
  const bool is_high = !metadata.icc.empty() && Profile(metadata.icc, picture.channels()).white() < 1;
  if (!has_codes || !(metadata.gain || is_high)) return false;
  settings.require_host_memory("its light",
                               light_bytes(picture.width() * picture.height() * picture.channels()));
  picture = light_of(picture.samples, metadata);
  return true;
}

}  // namespace

Image<std::uint8_t> read_thumbnail(const std::filesystem::path& file, const Limits& limits) {
  constexpr std::int64_t kSide = 192, kPixels = 192 * 144;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return {};
  try {
    std::optional<SmallPicture> small = read_small_picture(file, limits, kSide);
    Picture picture = small ? std::move(small->picture) : read_picture(file, limits);
    convert_for_screen(picture);
    return stroke_photo(rows_of(picture), kPixels);
  } catch (const std::exception&) {
    return {};
  }
}

FileStamp FileStamp::of(const std::filesystem::path& file) {
  std::error_code gone;
  FileStamp stamp;
  if (!std::filesystem::is_regular_file(file, gone)) return stamp;  // nor does a pipe change
  stamp.time = std::filesystem::last_write_time(file, gone);
  stamp.bytes = std::filesystem::file_size(file, gone);
  return stamp;
}

bool ViewedPhoto::changed_on_disk() const {
  // A file that has gone for the moment is being replaced, or stays what was seen.
  std::error_code error;
  for (const std::filesystem::path& part : {file, depth_file})
    if (!part.empty() && !std::filesystem::exists(part, error)) return false;
  return FileStamp::of(file) != stamp || FileStamp::of(depth_file) != depth_stamp;
}

bool ViewedPhoto::is_gone() const {
  std::error_code error;
  return stamp != FileStamp() && !std::filesystem::exists(file, error);
}

void EarlyPicture::put(SmallPicture picture) {
  const std::scoped_lock lock(mutex_);
  latest_ = std::move(picture);
}

std::optional<SmallPicture> EarlyPicture::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(latest_, std::nullopt);
}

namespace {

/// Photos that are read at once: the one that somebody waits for, two ahead, and four that were dropped.
constexpr int kMostReadings = 7;

/// Never destroyed: readings may outlive what is static.
struct Line {
  std::mutex guard;
  std::condition_variable moved;
  int reading = 0;
};
Line& line() {
  static auto& all = *new Line;
  return all;
}

template <class Result>
bool is_ready(const std::future<Result>& future) {
  return !future.valid() || future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

ReadingTurn::Taken::Taken(ReadingTurn& turn) {
  std::unique_lock lock(line().guard);
  line().moved.wait(lock, [&] { return turn.dropped_ || line().reading < kMostReadings; });
  if (turn.dropped_) throw Error(ErrorKind::retry, "the photo was passed over; open it again");
  ++line().reading;
}

ReadingTurn::Taken::~Taken() {
  const std::scoped_lock lock(line().guard);
  --line().reading;
  line().moved.notify_all();
}

void ReadingTurn::drop() {
  const std::scoped_lock lock(line().guard);
  dropped_ = true;
  line().moved.notify_all();
}

bool ReadingTurn::is_dropped() const {
  const std::scoped_lock lock(line().guard);
  return dropped_;
}

PhotoReading::PhotoReading(const PhotoOptions& options, const Settings& settings, bool waited_for)
    : early_(std::make_shared<EarlyPicture>()), turn_(std::make_shared<ReadingTurn>()) {
  const auto read_small = [early = early_, turn = turn_, file = options.input, limits = settings.limits()] {
    constexpr std::int64_t kSide = 1280;
    if (turn->is_dropped()) return;
    if (std::optional<SmallPicture> small = read_small_picture(file, limits, kSide)) {
      convert_for_screen(small->picture);
      early->put(std::move(*small));
    }
  };
  const auto read = [early = early_, turn = turn_, options, settings] {
    const ReadingTurn::Taken taken(*turn);
    return open_photo(options, settings, early.get());
  };
  if (waited_for) small_ = std::async(std::launch::async, read_small);
  photo_ = std::async(std::launch::async, read);
}

bool PhotoReading::has_arrived() const {
  return is_ready(photo_);
}

bool PhotoReading::is_idle() const {
  return is_ready(photo_) && is_ready(small_);
}

void PhotoReading::drop() {
  if (turn_) turn_->drop();
}

ViewedPhoto open_photo(const PhotoOptions& named, const Settings& settings, EarlyPicture* early) {
  Talk talk(settings, Talk::Kind::collects);
  PhotoOptions options = named;
  options.network.open(talk);
  ViewedPhoto photo;
  photo.file = options.input;
  photo.depth_file = options.depth.empty() ? depth_beside(options.input) : options.depth;
  photo.stamp = FileStamp::of(photo.file);
  photo.depth_stamp = FileStamp::of(photo.depth_file);
  const auto show_early = [&](const Picture& picture) {
    constexpr std::int64_t kSide = 2048;
    SmallPicture small{
        smaller(picture, static_cast<int>(std::max(picture.width(), picture.height()) / kSide + 1)),
        picture.width(), picture.height()};
    convert_for_screen(small.picture);
    early->put(std::move(small));
  };
  PictureAndDepth loaded =
      load_picture_and_depth(options, DepthNeed::if_there, settings.limits(), talk, FloatSamples::light,
                             early ? show_early : std::function<void(const Picture&)>());
  photo.description = loaded.picture.description();
  photo.lens = exif_lens(loaded.picture);
  photo.picture = std::move(loaded.picture);
  photo.depth = std::move(loaded.depth);
  photo.depth_file = std::move(loaded.depth_file);
  if (photo.depth_file.empty()) photo.depth_stamp = {};
  about(photo.file, [&] {
    photo.is_lit = make_lit(photo.picture, settings);
    photo.is_converted = convert_for_screen(photo.picture) || photo.is_lit;
  });
  if (samples_beyond_white(photo.picture) > 0) photo.description += ", HDR";
  photo.strokes = std::move(loaded.strokes);
  if (std::optional<Strokes> strokes = strokes_of_file(photo.depth_file))
    photo.strokes = std::make_shared<const Strokes>(std::move(*strokes));
  if (photo.strokes && !photo.strokes->map.empty())
    photo.corrected_map = photo.depth_file.parent_path() / photo.strokes->map;
  photo.assumed = std::move(talk.account.assumed);
  photo.warnings = std::move(talk.account.warnings);
  return photo;
}

Album::Album(const std::vector<std::filesystem::path>& named, PhotoOptions first, const Settings& settings)
    : common_(first), settings_(settings) {
  common_.depth.clear();  // a map that is named belongs to the photo that is
  std::error_code error;
  one_file_ = named.size() == 1 && !std::filesystem::is_directory(named[0], error);
  if (one_file_ && (is_standard_stream(named[0]) || !std::filesystem::is_regular_file(named[0], error))) {
    files_ = named;  // a pipe, or a name that reading will complain of
    own_options_[files_[place_]] = std::move(first);
    return;
  }
  InputOptions inputs;
  inputs.roots = named;
  inputs.recursive = false;
  if (one_file_) inputs.roots = {named[0].has_parent_path() ? named[0].parent_path() : "."};
  for (Input& input : find_inputs(inputs).found) files_.push_back(std::move(input.path));
  // Files that are named stay in their order.
  const auto is_file = [&](const std::filesystem::path& path) {
    return !std::filesystem::is_directory(path, error);
  };
  if (named.size() > 1 && std::all_of(named.begin(), named.end(), is_file)) files_ = named;
  if (one_file_) {
    const auto found = std::find_if(files_.begin(), files_.end(), [&](const std::filesystem::path& file) {
      return file.filename() == named[0].filename();
    });
    place_ = static_cast<std::size_t>(found - files_.begin());
    if (found == files_.end()) files_.push_back(named[0]);  // no picture by its name, or a map
    files_[place_] = named[0];
  }
  if (files_.empty()) throw Error(fmt::format("{}: there are no pictures in it", named[0].string()));
  own_options_[files_[place_]] = std::move(first);
}

PhotoOptions Album::options_of(std::size_t place) const {
  const auto own = own_options_.find(files_[place]);
  PhotoOptions options = own == own_options_.end() ? common_ : own->second;
  options.input = files_[place];
  return options;
}

std::size_t Album::beside(std::ptrdiff_t by) const {
  const auto count = static_cast<std::ptrdiff_t>(files_.size());
  return static_cast<std::size_t>(((static_cast<std::ptrdiff_t>(place_) + by) % count + count) % count);
}

void Album::drop(PhotoReading photo) {
  photo.drop();
  if (!photo.is_idle()) dropped_.push_back(std::move(photo));
  std::erase_if(dropped_, [](const PhotoReading& dropped) { return dropped.is_idle(); });
}

bool Album::retire() {
  give_up();
  for (auto& [place, photo] : ahead_) drop(std::move(photo));
  ahead_.clear();
  std::erase_if(dropped_, [](const PhotoReading& dropped) { return dropped.is_idle(); });
  return dropped_.empty();
}

/// Begins to read what is shown next.
void Album::begin_at(std::size_t place) {
  drop(std::exchange(reading_, {}));
  place_ = place;
  if (const auto found = ahead_.find(place_); found != ahead_.end()) {
    reading_ = std::move(found->second);
    ahead_.erase(found);
  } else {
    reading_ = PhotoReading(options_of(place_), settings_, true);
  }
}

void Album::begin_first() {
  stepped_from_.reset();
  begin_at(place_);
}

void Album::begin_step(std::ptrdiff_t by) {
  const std::size_t shown = reads() && stepped_from_ ? *stepped_from_ : place_, next = beside(by);
  direction_ = by < 0 ? -1 : 1;
  stepped_from_ = shown;
  next == shown ? give_up() : begin_at(next);
}

void Album::give_up() {
  if (!reads()) return;
  drop(std::exchange(reading_, {}));
  if (stepped_from_) place_ = *stepped_from_;
}

/// Goes on behind a photo that cannot be read; returns whether there is another one.
bool Album::pass_over(const Error& error, std::vector<std::string>& unreadable) {
  const bool is_last = stepped_from_ ? false : one_file_ || place_ + 1 == files_.size();
  if (error.kind() == ErrorKind::retry || is_last) throw;
  unreadable.emplace_back(error.what());
  const std::size_t next = stepped_from_ ? beside(direction_) : place_ + 1;
  if (next == stepped_from_) {
    place_ = next;
    return false;
  }
  begin_at(next);
  return true;
}

/// Begins to read the next two photos in the direction of the last step, and drops all others.
void Album::read_ahead() {
  if (direction_ == 0) return;
  std::map<std::size_t, PhotoReading> ahead;
  for (const std::ptrdiff_t by : {direction_, 2 * direction_}) {
    const std::size_t place = beside(by);
    if (place == place_ || ahead.contains(place)) continue;
    const auto found = ahead_.find(place);
    ahead.emplace(place, found == ahead_.end() ? PhotoReading(options_of(place), settings_, false)
                                               : std::move(found->second));
  }
  for (auto& [place, photo] : ahead_) drop(std::move(photo));
  ahead_ = std::move(ahead);
}

std::optional<ViewedPhoto> Album::arrived(bool wait, std::vector<std::string>& unreadable) {
  while (reads() && (wait || reading_.has_arrived())) {
    PhotoReading done = std::exchange(reading_, {});
    try {
      ViewedPhoto photo = done.take();
      drop(std::move(done));  // its small picture may still be on the way
      read_ahead();
      return photo;
    } catch (const Error& error) {
      drop(std::move(done));
      if (!pass_over(error, unreadable)) break;
    }
  }
  return std::nullopt;
}

ViewedPhoto Album::open_first(std::vector<std::string>& unreadable) {
  begin_first();
  return *arrived(true, unreadable);
}

std::optional<ViewedPhoto> Album::step(std::ptrdiff_t by, std::vector<std::string>& unreadable) {
  begin_step(by);
  return arrived(true, unreadable);
}

ViewedPhoto Album::open() {
  begin_at(place_);
  return std::exchange(reading_, {}).take();
}

}  // namespace scanlens
