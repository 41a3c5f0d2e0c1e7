// Photos that the viewer opens, and those beside them in their folder.
#pragma once

#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/depth/depth.h"
#include "app/depth/strokes/strokes.h"
#include "app/io/exif_lens.h"
#include "app/io/picture.h"
#include "app/photo/photo_options.h"
#include "app/session/session.h"

namespace scanlens {

/// Tells whether a file has been written since.
struct FileStamp {
  std::filesystem::file_time_type time = {};
  std::uintmax_t bytes = 0;

  static FileStamp of(const std::filesystem::path& file);
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Holds what the files of a photo hold.
struct ViewedPhoto {
  std::filesystem::path file,
      depth_file;                ///< the latter empty if the photo carries its depth, or has no depth
  FileStamp stamp, depth_stamp;  ///< as they were before they were read
  Picture picture;               ///< in sRGB, float samples in linear light of its primaries
  std::optional<Depth> depth;    ///< at the picture's size
  std::shared_ptr<const Strokes> strokes = {};  ///< that depth is made of; null if its file holds a map
  std::filesystem::path corrected_map = {};     ///< the map that these correct
  bool is_converted = false;                    ///< the picture's samples are not those of the file
  bool is_lit = false;                          ///< its light was made of codes
  ExifLens lens;
  std::string description;  ///< "1920 x 1080 RGB, 8 bit, HDR"
  std::vector<std::string> assumed, warnings;

  /// Returns the bits of a sample: 8, 16 or, of light, 32.
  int bits() const {
    return std::visit([]<class T>(const Image<T>&) { return static_cast<int>(8 * sizeof(T)); },
                      picture.samples);
  }
  bool changed_on_disk() const;
  /// Returns true if a file of the photo no longer exists.
  bool is_gone() const;
};

/// Returns a small picture of a file, of 8 bits and 3 channels; empty where it cannot be read.
Image<std::uint8_t> read_thumbnail(const std::filesystem::path& file, const Limits& limits);

/// Hands a photo's picture, at a size that is quick to show, from the thread that reads to the one that
/// shows.
class EarlyPicture {
 public:
  void put(SmallPicture picture);
  /// Returns the latest one since the last call.
  std::optional<SmallPicture> take();

 private:
  std::mutex mutex_;
  std::optional<SmallPicture> latest_;
};

/// Reads a photo, and its depth if there is one. Throws Error that names the file. Any thread may call it.
/// The picture is put into `early`, if any, before its depth is read.
ViewedPhoto open_photo(const PhotoOptions& options, const Settings& settings, EarlyPicture* early = nullptr);

/// The place of a reading in the line: a bounded number of photos is read at once, for their memory.
class ReadingTurn {
 public:
  /// Waits for the turn, and has it while this lives. Throws Error if nobody waits for the photo any more.
  class Taken {
   public:
    explicit Taken(ReadingTurn& turn);
    ~Taken();
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
  };
  /// Lets a reading that has not begun end at once.
  void drop();
  bool is_dropped() const;

 private:
  bool dropped_ = false;
};

/// A photo that a thread of its own reads. The destructor waits for the thread, unless the reading has not
/// begun.
class PhotoReading {
 public:
  PhotoReading() = default;
  PhotoReading(const PhotoOptions& options, const Settings& settings, bool waited_for);
  PhotoReading(PhotoReading&&) = default;
  PhotoReading& operator=(PhotoReading&&) = default;
  ~PhotoReading() { drop(); }

  /// Returns true until the photo is taken.
  bool reads() const { return photo_.valid(); }
  /// Returns true if take() does not wait.
  bool has_arrived() const;
  /// Returns true if the destructor does not wait.
  bool is_idle() const;
  ViewedPhoto take() { return photo_.get(); }
  std::optional<SmallPicture> take_early() { return early_->take(); }
  void drop();

 private:
  std::shared_ptr<EarlyPicture> early_;
  std::shared_ptr<ReadingTurn> turn_;
  std::future<ViewedPhoto> photo_;
  std::future<void> small_;  ///< puts what is decoded in less time into early_
};

/// The photos of a folder. One of them is shown.
class Album {
 public:
  Album() = default;
  /// Takes files and folders. A single file stands for its folder, and is shown first. `first`
  /// says how to read what is named. Throws Error for what is not there, and for folders without pictures.
  Album(const std::vector<std::filesystem::path>& named, PhotoOptions first, const Settings& settings);

  std::size_t size() const { return files_.size(); }
  std::size_t place() const { return place_; }
  const std::filesystem::path& shown() const { return files_[place_]; }

  /// Returns the photo that is shown.
  ViewedPhoto open();

  /// Begins to read the first photo that can be read; a file that stands for its folder must be.
  void begin_first();
  /// Goes on by `by` photos, around the end, and begins to read from there to the next in that direction that
  /// can be read. Drops a reading that is not complete.
  void begin_step(std::ptrdiff_t by);
  /// Stays at the photo that is shown. Drops a reading that is not complete.
  void give_up();
  /// Returns true while a reading goes on.
  bool reads() const { return reading_.reads(); }
  /// Returns the photo if it has been read, or waits for it. Adds the causes why those before cannot be read.
  /// Returns nothing, and stays where it was, if no other can be read. After a step the next two in its
  /// direction are then read ahead. Throws Error if no first photo can be read, or if memory is short for a
  /// photo. That one can be read another time: the next step goes on from it.
  std::optional<ViewedPhoto> arrived(bool wait, std::vector<std::string>& unreadable);
  /// Returns a picture of the photo that is being read, as soon as there is one. Each is returned once.
  std::optional<SmallPicture> take_early() { return reads() ? reading_.take_early() : std::nullopt; }

  /// Lets a reading that nobody waits for go on to its end, and does not wait for it.
  void drop(PhotoReading photo);
  /// Drops all readings. Returns true once the destructor does not wait.
  bool retire();

  // Begin, and wait.
  ViewedPhoto open_first(std::vector<std::string>& unreadable);
  std::optional<ViewedPhoto> step(std::ptrdiff_t by, std::vector<std::string>& unreadable);

  /// Says from now on how the photo that these options name is read.
  void set_options(const PhotoOptions& options) { own_options_[options.input] = options; }

  const std::vector<std::filesystem::path>& files() const { return files_; }

  /// Says how the photo that is shown is read.
  PhotoOptions options() const { return options_of(place_); }

 private:
  PhotoOptions options_of(std::size_t place) const;
  void begin_at(std::size_t place);
  bool pass_over(const Error& error, std::vector<std::string>& unreadable);
  void read_ahead();
  std::size_t beside(std::ptrdiff_t by) const;

  std::vector<std::filesystem::path> files_;
  PhotoOptions common_;  ///< of photos that have no options of their own
  std::map<std::filesystem::path, PhotoOptions> own_options_;
  Settings settings_;
  std::size_t place_ = 0;
  bool one_file_ = false;                    ///< is named
  std::ptrdiff_t direction_ = 0;             ///< of the last step; 0: none was made
  PhotoReading reading_;                     ///< of the photo at place_
  std::optional<std::size_t> stepped_from_;  ///< by what is being read; none: it is the first
  std::map<std::size_t, PhotoReading> ahead_;
  std::vector<PhotoReading> dropped_;  ///< read for nobody
};

}  // namespace scanlens
