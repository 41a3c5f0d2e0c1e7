// A run's claim to make an output, so that another run on the same folder makes others meanwhile.
#pragma once

#include <filesystem>

namespace scanlens {

/// Holds a lock on a file in the folder of outputs, `.scanlens-….tmp`, which ends with its process: the claim
/// of a run that was killed is free, and remove_abandoned() removes its file. A lost claim costs double work
/// and no more, because outputs appear whole: so where a filesystem has no locks, everybody has every claim.
class Claim {
 public:
  Claim() = default;
  ~Claim() { release(); }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  /// Takes the claim to an output in this folder, or in one of its folders. Returns false where another run
  /// holds it.
  bool take(const std::filesystem::path& folder, const std::filesystem::path& output);

  void release() noexcept;

 private:
  int descriptor_ = -1;
  std::filesystem::path file_;
};

}  // namespace scanlens
