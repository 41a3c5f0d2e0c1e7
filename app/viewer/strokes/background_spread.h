// Spreads strokes over a photo while the viewer goes on: previews at once, the map itself once it rests.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/depth/depth.h"
#include "app/depth/strokes/strokes.h"
#include "app/io/picture.h"
#include "app/session/session.h"

namespace scanlens {

/// A photo, and the map that strokes correct.
struct SpreadPhoto {
  std::shared_ptr<const Picture> picture;  ///< as it is shown
  std::filesystem::path file;              ///< whose samples are not those that are shown; else empty
  std::shared_ptr<const Depth>
      map;  ///< at the photo's size; null if there is no map, or if `map_file` holds it
  std::filesystem::path map_file;
  DepthOptions options;
};

/// Spreads the strokes that are wanted last, by threads of its own. Belongs to one thread.
class BackgroundSpread {
 public:
  BackgroundSpread(SpreadPhoto photo, const Settings& settings);
  /// Waits for what is in work.
  ~BackgroundSpread();
  BackgroundSpread(const BackgroundSpread&) = delete;
  BackgroundSpread& operator=(const BackgroundSpread&) = delete;

  /// Asks for a preview of these strokes' depth; null stands for none. Replaces an earlier wish.
  void want(std::shared_ptr<const Strokes> strokes);
  /// Asks for the map that `dof --depth` makes of the strokes that are wanted, too.
  void want_final();

  struct Result {
    std::shared_ptr<const Strokes> strokes;
    std::optional<Depth> depth;  ///< at the photo's size; none without strokes and map
    bool is_final = false;
    std::exception_ptr failure = {};
  };
  /// Returns the latest result that has not been returned yet. Its strokes may be older than those wanted
  /// now.
  std::optional<Result> take();
  /// Waits for a result, at most this long.
  void wait(std::chrono::milliseconds most);

 private:
  struct Source;
  enum Kind { kPreview, kFinal };

  void work(Kind kind);
  Result made(Kind kind, const std::shared_ptr<const Strokes>& strokes, std::unique_ptr<Source>& source);
  void prepare();

  SpreadPhoto photo_;
  const Settings settings_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::shared_ptr<const Picture> stored_;  ///< with the samples of the file, once they and the map are read
  std::shared_ptr<const Strokes> wanted_;
  int number_ = 0;         ///< of what is wanted
  int done_[2] = {0, 0};   ///< of what each thread has done, or works on
  int final_wanted_ = 0;   ///< the number for which the final map is wanted
  int result_number_ = 0;  ///< of the latest result
  bool result_is_final_ = false;
  std::optional<Result> result_;
  std::thread threads_[2];
};

}  // namespace scanlens
