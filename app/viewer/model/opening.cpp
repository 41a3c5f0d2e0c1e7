// Reads the next photo or map while the window goes on.
#include <utility>

#include "app/viewer/model/model.h"

namespace scanlens {

void ViewerModel::begin_open(Album album) {
  album_.give_up();
  put_aside(std::exchange(next_album_, std::move(album)));
  if (!next_album_.reads()) next_album_.begin_first();
  opened_next_ = Opens::album;
}

/// Keeps an album until what it reads is complete: its end would wait for that.
void ViewerModel::put_aside(Album album) {
  std::erase_if(aside_, [](Album& other) { return other.retire(); });
  if (!album.retire()) aside_.push_back(std::move(album));
}

void ViewerModel::begin_step(std::ptrdiff_t by) {
  if (album_.size() < 2) return;
  album_.begin_step(by);
  opened_next_ = Opens::step;
}

void ViewerModel::begin_take_depth(const std::filesystem::path& file) {
  PhotoOptions options = photo_options_;
  options.depth = file;
  options.network = {};
  begin_read_again(std::move(options));
}

void ViewerModel::begin_take_network(const std::filesystem::path& file) {
  PhotoOptions options = photo_options_;
  options.depth.clear();
  options.network.choice.model = file;
  begin_read_again(std::move(options));
}

/// Begins to read the photo that is shown in another way.
void ViewerModel::begin_read_again(PhotoOptions options) {
  if (!photo_) return;
  album_.give_up();
  leave_early();
  map_options_ = std::move(options);
  map_options_.lens = {};
  album_.drop(std::exchange(with_map_, PhotoReading(map_options_, talk_.settings, false)));
  opened_next_ = Opens::map;
}

std::filesystem::path ViewerModel::opens_file() const {
  switch (opened_next_) {
    case Opens::album:
      return next_album_.shown();
    case Opens::step:
      return album_.shown();
    case Opens::map:
      return map_options_.depth.empty() ? map_options_.network.choice.model : map_options_.depth;
    case Opens::nothing:
      break;
  }
  return {};
}

/// Shows the picture of what is being read.
void ViewerModel::show_early(const SmallPicture& picture) {
  early_ = image_of_photo(gl_, picture.picture, nullptr, 1);
  forget_frames();
  if (!is_early_) state.show_all();
  is_early_ = true;
  size_ = {picture.full_width, picture.full_height};
  shown_.image = &early_;
  shown_.result = &early_.color();
  shown_.size = size_;
}

/// Shows again what is open.
void ViewerModel::leave_early() {
  if (!is_early_) return;
  is_early_ = false;
  forget_frames();
  if (photo_) size_ = {photo_->picture.width(), photo_->picture.height()};
}

std::optional<ViewedPhoto> ViewerModel::arrived(bool wait, std::vector<std::string>& unreadable) {
  if (!opens()) return std::nullopt;
  if (opened_next_ == Opens::map && !wait && !with_map_.has_arrived()) return std::nullopt;
  try {
    if (opened_next_ == Opens::map) return std::exchange(with_map_, {}).take();
    Album& album = opened_next_ == Opens::album ? next_album_ : album_;
    std::optional<ViewedPhoto> photo = album.arrived(wait, unreadable);
    if (photo) return photo;
    if (const std::optional<SmallPicture> early = shows_at_once ? album.take_early() : std::nullopt)
      show_early(*early);
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

void ViewerModel::show_arrived(ViewedPhoto photo) {
  const Opens kind = std::exchange(opened_next_, Opens::nothing);
  try {
    if (kind == Opens::album) {
      open(std::exchange(next_album_, {}), std::move(photo));
    } else if (kind == Opens::step) {
      show_photo(std::move(photo), album_.options());
    } else {
      show_photo(std::move(photo), map_options_);
      album_.set_options(map_options_);
    }
  } catch (...) {
    leave_early();
    throw;
  }
}

}  // namespace scanlens
