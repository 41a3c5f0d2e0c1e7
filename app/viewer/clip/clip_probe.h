// Asks ffprobe what a file holds while the window goes on.
#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <utility>

#include "app/video/clip.h"
#include "app/work/process.h"

namespace scanlens {

/// The thread that asks begins at once. The destructor ends ffprobe, and waits for the thread.
class ClipProbe {
 public:
  ClipProbe(std::filesystem::path file, const Limits& limits)
      : file_(std::move(file)), clip_(std::async(std::launch::async, [this, limits] {
          return probe_clip(file_, limits, &stopper_);
        })) {}
  ~ClipProbe() { stopper_.stop(); }
  ClipProbe(const ClipProbe&) = delete;
  ClipProbe& operator=(const ClipProbe&) = delete;

  const std::filesystem::path& file() const { return file_; }
  bool is_done() const { return clip_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  /// Waits for the clip, and takes it. Throws Error for a file that holds none.
  Clip take() { return clip_.get(); }

 private:
  const std::filesystem::path file_;
  Stopper stopper_;
  std::future<Clip> clip_;
};

}  // namespace scanlens
