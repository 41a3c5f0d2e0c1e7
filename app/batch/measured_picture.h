// One picture of a batch that statistics are of.
#pragma once

#include <optional>

#include "app/batch/announced.h"
#include "app/batch/one_picture.h"
#include "app/photo/photo_options.h"
#include "app/stats/merged.h"
#include "filters/filter.h"

namespace scanlens {

/// The measurements to make, and where they go.
struct Measuring {
  PhotoOptions photo;  ///< how to understand depth, and the lens; each picture adds its files
  Selection selection;
  Unit depth_unit = Unit::none;  ///< of the selection's numbers
  std::vector<double> percents;
  bool takes_depth = false;
  bool tells_each = false;  ///< true if outcomes hold the statistics of their pictures
};

/// Reads a picture whole, adds its statistics to those of all, and writes nothing.
class MeasuredPicture : public OnePicture {
 public:
  /// `place` is the picture's own among all of them.
  MeasuredPicture(Shared& shared, const Measuring& measuring, const Item& item, std::size_t place,
                  MergedStatistics& all);

  void open() override;
  void work() override;

 private:
  void admit(const RowFormat& format);
  PictureStatistics measured(Context& context);
  void drop() override;

  const Measuring& measuring_;
  const std::size_t place_;
  MergedStatistics& all_;
  Announced announced_;
  std::optional<PictureAndDepth> loaded_;
  std::optional<Blur> blur_;  ///< found while the depth is still filled
};

}  // namespace scanlens
