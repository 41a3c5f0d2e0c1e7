// One clip of a batch: filtered once its memory is free, and left alone where its output stands.
#pragma once

#include <memory>
#include <string>

#include "app/batch/written_picture.h"
#include "app/video/filter_clip.h"

namespace scanlens {

class BatchClip : public WrittenPicture {
 public:
  BatchClip(Shared& shared, const Work& work, const ClipEncoding& encoding, const Item& item);

  void look() override;
  void open() override;
  void work() override;

 private:
  Made made_of() override;
  void drop() override;

  Filtering filtering_;
  ClipEncoding encoding_;
  std::unique_ptr<FilteredClip> clip_;
};

}  // namespace scanlens
