#include "app/viewer/model/thumbnails.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/viewer/model/photo.h"

namespace scanlens {
namespace {

constexpr std::size_t kMostThumbnails = 256, kMostInAFrame = 4;

}  // namespace

Thumbnails::Thumbnails(const Settings& settings) : settings_(settings) {}

Thumbnails::~Thumbnails() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Thumbnails::want(const std::vector<File>& files) {
  if (files == seen_) return;
  seen_ = files;
  {
    const std::scoped_lock lock(mutex_);
    wanted_.clear();
    for (const File& file : files)
      if (!textures_.contains(file) && !read_.contains(file)) wanted_.insert(wanted_.begin(), file);
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_all();
}

void Thumbnails::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !wanted_.empty(); });
    if (ends_) return;
    const File file = std::move(wanted_.back());
    wanted_.pop_back();
    reads_ = true;
    lock.unlock();
    Image<std::uint8_t> small = read_thumbnail(file, settings_.limits());
    lock.lock();
    reads_ = false;
    read_.insert_or_assign(file, std::move(small));
  }
}

void Thumbnails::take() {
  std::map<File, Image<std::uint8_t>> taken;
  {
    const std::scoped_lock lock(mutex_);
    while (!read_.empty() && taken.size() < kMostInAFrame) taken.insert(read_.extract(read_.begin()));
  }
  for (auto& [file, small] : taken) {
    Texture& texture = textures_[file];
    if (small.empty()) continue;
    texture = Texture::image_2d(GL_RGB8, static_cast<int>(small.width()), static_cast<int>(small.height()));
    glTextureParameteri(texture.id(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(texture.id(), GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(texture.id(), 0, 0, 0, texture.width(), texture.height(), GL_RGB, GL_UNSIGNED_BYTE,
                        small.view().data);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  }
  for (auto at = textures_.begin(); at != textures_.end() && textures_.size() > kMostThumbnails;)
    at =
        std::find(seen_.begin(), seen_.end(), at->first) == seen_.end() ? textures_.erase(at) : std::next(at);
}

const Texture* Thumbnails::of(const File& file) const {
  const auto found = textures_.find(file);
  return found == textures_.end() || !found->second ? nullptr : &found->second;
}

bool Thumbnails::at_rest() const {
  const std::scoped_lock lock(mutex_);
  return !reads_ && wanted_.empty() && read_.empty();
}

}  // namespace scanlens
