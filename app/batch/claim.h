// Claims on outputs, so that runs on the same folder share its pictures.
#pragma once

#include <filesystem>

#include "app/io/signals.h"

namespace scanlens {

/// A lock on a file `.scanlens-….tmp` in the folder of outputs. The lock ends with its process, and
/// remove_abandoned() removes the file of a killed run. Without claims pictures are made twice, but are
/// right: outputs appear whole. So on a filesystem without locks every claim is granted.
class Claim {
 public:
  Claim() = default;
  ~Claim() { release(); }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  /// Takes the claim on an output in or below this folder. Returns false if another run holds it.
  bool take(const std::filesystem::path& folder, const std::filesystem::path& output);

  void release() noexcept;

 private:
  int descriptor_ = -1;
  std::filesystem::path file_;
  PassingName passing_;  ///< the file's
};

}  // namespace scanlens
