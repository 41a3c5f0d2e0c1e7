// Reads the next photo or map while the window goes on.
#include <utility>

#include "app/viewer/model/opened.h"

namespace scanlens {

void Opened::begin_open(Album album) {
  album_.give_up();
  put_aside(std::exchange(next_album_, std::move(album)));
  if (!next_album_.reads()) next_album_.begin_first();
  opened_next_ = Opens::album;
}

/// Keeps an album until what it reads is complete: its end would wait for that.
void Opened::put_aside(Album album) {
  std::erase_if(aside_, [](Album& other) { return other.retire(); });
  if (!album.retire()) aside_.push_back(std::move(album));
}

void Opened::begin_step(std::ptrdiff_t by) {
  if (album_.size() < 2) return;
  album_.begin_step(by);
  opened_next_ = Opens::step;
}

void Opened::begin_take_depth(const std::filesystem::path& file) {
  PhotoOptions options = photo_options_;
  options.depth = file;
  options.network = {};
  options.lens = {};
  begin_read_again(std::move(options), Opens::map);
}

void Opened::begin_take_network(const std::filesystem::path& file) {
  PhotoOptions options = photo_options_;
  options.depth.clear();
  options.network.choice.model = file;
  options.lens = {};
  begin_read_again(std::move(options), Opens::map);
}

bool Opened::begin_reload_if_changed() {
  if (opens() || !photo_ || is_clip_ || !photo_->changed_on_disk()) return false;
  // Stamps are set first: a file that cannot be read is tried once for each change.
  photo_->stamp = FileStamp::of(photo_->file);
  photo_->depth_stamp = FileStamp::of(photo_->depth_file);
  begin_read_again(photo_options_, Opens::reload);
  return true;
}

/// Begins to read the photo that is shown again, or in another way.
void Opened::begin_read_again(PhotoOptions options, Opens why) {
  if (!photo_) return;
  album_.give_up();
  leave_early();
  again_options_ = std::move(options);
  album_.drop(std::exchange(again_, PhotoReading(again_options_, talk_.settings, false)));
  opened_next_ = why;
}

std::filesystem::path Opened::opens_file() const {
  switch (opened_next_) {
    case Opens::album:
      return next_album_.shown();
    case Opens::step:
      return album_.shown();
    case Opens::map:
      return again_options_.depth.empty() ? again_options_.network.choice.model : again_options_.depth;
    case Opens::reload:
    case Opens::restore:
      return again_options_.input;
    case Opens::nothing:
      break;
  }
  return {};
}

void Opened::give_up() {
  album_.give_up();
  album_.drop(std::exchange(again_, {}));
  put_aside(std::exchange(next_album_, {}));
  opened_next_ = Opens::nothing;
  leave_early();
}

/// Shows again what is open.
void Opened::leave_early() {
  if (!early_) return;
  early_.reset();
  ++opened_;
  if (photo_) size_ = {photo_->picture.width(), photo_->picture.height()};
}

std::optional<ViewedPhoto> Opened::arrived(bool wait, std::vector<std::string>& unreadable) {
  if (!opens()) return std::nullopt;
  const bool again = opened_next_ != Opens::album && opened_next_ != Opens::step;
  if (again && !wait && !again_.has_arrived()) return std::nullopt;
  try {
    if (again) return std::exchange(again_, {}).take();
    Album& album = opened_next_ == Opens::album ? next_album_ : album_;
    std::optional<ViewedPhoto> photo = album.arrived(wait, unreadable);
    if (photo) return photo;
    if (std::optional<SmallPicture> early = shows_at_once ? album.take_early() : std::nullopt) {
      if (!early_) state.show_all();
      early_ = std::move(early);
      size_ = {early_->full_width, early_->full_height};
      ++opened_;
    }
    if (album.reads()) return std::nullopt;
  } catch (...) {
    opened_next_ = Opens::nothing;
    leave_early();
    throw;
  }
  opened_next_ = Opens::nothing;  // no other photo can be read
  leave_early();
  return std::nullopt;
}

void Opened::show_arrived(ViewedPhoto photo) {
  const Opens why = std::exchange(opened_next_, Opens::nothing);
  auto read = std::make_shared<ViewedPhoto>(std::move(photo));
  try {
    switch (why) {
      case Opens::album:
        show_photo(std::move(read), next_album_.options());
        return put_aside(std::exchange(album_, std::exchange(next_album_, {})));
      case Opens::step:
        return show_photo(std::move(read), album_.options());
      case Opens::reload:
        return show_reloaded(std::move(read));
      case Opens::map:
      case Opens::restore: {
        // Edits that were made meanwhile are a step of their own.
        if (why == Opens::restore && treatment() != restores_from_) return leave_early();
        const ViewState kept = state;
        show_photo(std::move(read), again_options_);
        album_.set_options(again_options_);
        if (why == Opens::map) return;
        state = kept;
        return restore(Treatment(restores_));
      }
      case Opens::nothing:
        return;
    }
  } catch (...) {
    leave_early();
    throw;
  }
}

/// Shows what the files hold. Strokes that are drawn stay, and the lens where it fits the depth.
void Opened::show_reloaded(std::shared_ptr<ViewedPhoto> photo) {
  const ViewState kept = state, first = at_opening_;
  const bool had_depth = has_depth(), was_metric = metric();
  const std::shared_ptr<const Strokes> drawn = strokes, before = photo_->strokes;
  const std::filesystem::path drawn_file = strokes_file, kept_file = sharp_file;
  const std::shared_ptr<const Strokes> kept_sharp = sharp;
  show_photo(std::move(photo), again_options_);
  sharp = kept_sharp;
  sharp_file = kept_file;
  if (drawn != before) {
    strokes = drawn;
    strokes_file = drawn_file;
  }
  // A lens set in metres does not fit depth without a unit, nor the other way round.
  const bool keeps_lens = has_depth() == had_depth && metric() == was_metric;
  for (const ViewParam& param : view_params())
    if (keeps_lens || param.group != kLensGroup) {
      state.*param.value = kept.*param.value;
      at_opening_.*param.value = first.*param.value;
    }
  finish_pull();
}

}  // namespace scanlens
