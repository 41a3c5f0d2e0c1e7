// One picture of a batch that goes through filters, from its header to its output.
#pragma once

#include <optional>

#include "app/batch/one_picture.h"
#include "app/batch/work.h"
#include "app/filtering/filtered_file.h"

namespace scanlens {

/// A decoder of its own, such as nvJPEG, would be another way through `open`.
class FilteredPicture : public OnePicture {
 public:
  FilteredPicture(Shared& shared, const Work& work, const Item& item);

  /// Finds out whether there is anything to do, as the first part of `open`.
  void judge();

  void open() override;
  void work() override;
  void commit() override;

 private:
  void open_here();
  void filter_bands();
  bool is_current() const;
  bool may_replace() const;
  void decide();
  bool is_saved() override;
  void drop() override;

  const Work& work_;
  Filtering filtering_;
  std::optional<FilteredFile> file_;  ///< uses the lane's context
};

}  // namespace scanlens
