// One picture of a batch that goes through filters, from its header to its output.
#pragma once

#include <optional>

#include "app/batch/work.h"
#include "app/batch/written_picture.h"
#include "app/filtering/filtered_file.h"

namespace scanlens {

/// A decoder of its own, such as nvJPEG, would be another way through `open`.
class FilteredPicture : public WrittenPicture {
 public:
  FilteredPicture(Shared& shared, const Work& work, const Item& item);

  void look() override;
  void open() override;
  void work() override;
  void commit() override;

 private:
  Made made_of() override;
  void drop() override;

  Filtering filtering_;
  std::optional<FilteredFile> file_;
};

}  // namespace scanlens
