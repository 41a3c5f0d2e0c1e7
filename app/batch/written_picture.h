// One picture of a batch that has an output: made once, and left alone where it stands as it would be made.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/batch/claim.h"
#include "app/batch/one_picture.h"
#include "app/batch/work.h"

namespace scanlens {

/// Its kinds say what an output is made of, and make it.
class WrittenPicture : public OnePicture {
 public:
  WrittenPicture(Shared& shared, const Work& work, const Item& item);

  /// Finds out whether there is anything to do, as the first part of `open`.
  void judge();

  /// Opens the input, to find out what would fail before any pixel is decoded.
  virtual void look();

  /// Takes the claim on the output, as the second part, or leaves the picture to the run that holds it.
  void claim();

 protected:
  /// The identity of an output: the same for the same work on the same files.
  struct Made {
    std::string parameters;
    std::vector<std::filesystem::path> read;
  };
  virtual Made made_of() = 0;

  void make_output_folder() const;

  /// Ends as written, once the output stands there.
  void end_written();

  const Work& work_;
  WriteOptions write_;  ///< with the output's mark, once it is judged

 private:
  void take_claim();
  bool is_current() const;
  bool may_replace() const;
  void decide();
  bool is_saved() override;

  Claim claim_;
};

/// Returns a picture of the plan, to be worked on or only to be judged.
using WrittenPictureMaker = std::function<std::unique_ptr<WrittenPicture>(Shared& shared, const Item& item)>;

}  // namespace scanlens
