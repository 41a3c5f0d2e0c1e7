#include "app/batch/measured_picture.h"

#include <algorithm>

namespace scanlens {
namespace {

/// Returns the bytes of a picture's samples, twice where they are turned, and of its file, hardly larger.
std::int64_t decoding_bytes(const RowFormat& format) {
  return 2 * static_cast<std::int64_t>(format.row_bytes()) * format.height;
}

}  // namespace

MeasuredPicture::MeasuredPicture(Shared& shared, const Measuring& measuring, const Item& item,
                                 std::size_t place, MergedStatistics& all)
    : OnePicture(shared, item), measuring_(measuring), place_(place), all_(all) {}

void MeasuredPicture::open() {
  attempt([&] {
    PhotoOptions photo = measuring_.photo;
    photo.input = item_.input;
    photo.depth = item_.depth;
    Limits limits = session_.limits();
    limits.admit = [&](const RowFormat& format) { admit(format); };
    loaded_ = load_picture_and_depth(photo, measuring_.takes_depth ? DepthNeed::required : DepthNeed::none,
                                     session_, limits);
    require_channels(measuring_.selection, loaded_->picture, item_.input.string());
  });
}

/// Waits for the memory that is needed as far as is known: that of a picture which, with its map, is as large
/// in every way as what has been announced of both. Which of them is read first depends on the file.
void MeasuredPicture::admit(const RowFormat& format) {
  most_ = {std::max(most_.width, format.width), std::max(most_.height, format.height),
           std::max(most_.channels, format.channels), std::max(most_.sample_bytes, format.sample_bytes)};
  const bool depth = measuring_.takes_depth;
  // The map as it is brought to the picture's size, which takes more than to read it and to understand it.
  const std::int64_t map =
      (1 + kPlanesAlongEdges) * most_.width * most_.height * static_cast<std::int64_t>(sizeof(float));
  require_memory(decoding_bytes(most_) + (depth ? map : 0) +
                 pixel_statistics_workspace(most_.width, most_.height, most_.channels, most_.sample_bytes,
                                            depth, !measuring_.selection.chooses_all()));
}

void MeasuredPicture::work() {
  attempt([&] {
    take_lane(shared_.lanes);
    PictureStatistics found;
    try {
      found = measured();
    } catch (const Error& error) {
      if (!falls_back(error)) throw;
      move_to_cpu(error);
      found = measured();
    }
    if (measuring_.tells_each)
      outcome_.stats =
          channels_json(report_of(found.channels, measuring_.percents, found.pixels, found.metric_depth));
    all_.add(place_, found);
    end(Status::measured);
  });
}

PictureStatistics MeasuredPicture::measured() {
  heed_signals();
  const Depth none, &depth = loaded_->depth ? *loaded_->depth : none;
  Blur blur;
  if (measuring_.selection.asks_for(Quantity::coc)) {
    PhotoOptions photo = measuring_.photo;
    photo.input = item_.input;
    blur = load_blur(photo, loaded_->picture, depth, context(), session_);
  }
  return picture_statistics(context(), {loaded_->picture, depth, {}, blur}, measuring_.selection,
                            measuring_.percents, item_.input.string(), session_);
}

void MeasuredPicture::drop() {
  loaded_.reset();
  Account& account = session_.account;
  outcome_.ms = {account.ms_of("decode") + account.ms_of("depth"),
                 account.ms_of("upload") + account.ms_of("statistics"), 0};
}

}  // namespace scanlens
