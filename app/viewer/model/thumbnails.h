// Small pictures of a folder's photos, read by a thread of their own.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "app/gl/objects.h"
#include "app/session/session.h"
#include "core/image.h"

namespace scanlens {

/// Belongs to the OpenGL context. Keeps at most kMostThumbnails textures.
class Thumbnails {
 public:
  explicit Thumbnails(const Settings& settings);
  /// Waits for the photo that is being read.
  ~Thumbnails();
  Thumbnails(const Thumbnails&) = delete;
  Thumbnails& operator=(const Thumbnails&) = delete;

  /// Says which photos are seen, the most wanted first. Those that were asked for earlier are not read.
  void want(const std::vector<std::filesystem::path>& files);
  /// Brings what has been read to textures, a few in a frame.
  void take();
  /// Returns a photo's texture; null until it is there, and for a file that cannot be read.
  const Texture* of(const std::filesystem::path& file) const;
  /// Returns true if all that are wanted are there, or cannot be read.
  bool at_rest() const;

 private:
  using File = std::filesystem::path;
  void work();

  const Settings settings_;
  std::map<File, Texture> textures_;  ///< without a texture: cannot be read
  std::vector<File> seen_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false, reads_ = false;
  std::vector<File> wanted_;                  ///< the last one is read next
  std::map<File, Image<std::uint8_t>> read_;  ///< empty: cannot be read
  std::thread thread_;                        ///< started when something is wanted first
};

}  // namespace scanlens
