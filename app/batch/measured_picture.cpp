#include "app/batch/measured_picture.h"

#include "app/stats/doubts.h"

namespace scanlens {

MeasuredPicture::MeasuredPicture(Shared& shared, const Measuring& measuring, const Item& item,
                                 std::size_t place, MergedStatistics& all)
    : OnePicture(shared, item), measuring_(measuring), place_(place), all_(all) {}

void MeasuredPicture::open() {
  attempt([&] {
    PhotoOptions photo = measuring_.photo;
    photo.input = item_.input;
    photo.depth = item_.depth;
    photo.depth_options.is_measured = true;
    Limits limits = talk_.settings.limits();
    limits.admit = [&](const RowFormat& format) { admit(format); };
    loaded_ = load_picture_and_depth(photo, measuring_.takes_depth ? DepthNeed::required : DepthNeed::none,
                                     limits, talk_, FloatSamples::stored);
    require_channels(measuring_.selection, loaded_->picture, item_.input.string());
    require_shares(measuring_.selection, loaded_->picture, item_.input.string());
    if (loaded_->depth)
      check_depth_numbers(measuring_.selection, measuring_.depth_unit, *loaded_->depth, item_.input.string(),
                          talk_);
  });
}

/// Waits for the memory that is needed as far as is known.
void MeasuredPicture::admit(const RowFormat& format) {
  announced_.add(format);
  const bool depth = measuring_.takes_depth;
  const RowFormat& most = announced_.most();
  require_memory(announced_.bytes(depth) + pixel_statistics_workspace(most.width, most.height, most.channels,
                                                                      most.sample_bytes, depth,
                                                                      !measuring_.selection.chooses_all()));
}

void MeasuredPicture::work() {
  attempt_on({}, [&](Context& context) {
    const PictureStatistics found = measured(context);
    if (measuring_.tells_each)
      outcome_.stats =
          channels_json(report_of(found.channels, measuring_.percents, found.pixels, found.metric_depth));
    all_.add(place_, found);
    end(Status::measured);
  });
}

PictureStatistics MeasuredPicture::measured(Context& context) {
  heed_signals();
  Depth none, &depth = loaded_->depth ? *loaded_->depth : none;
  if (measuring_.selection.asks_for(Quantity::coc) && !blur_) {
    PhotoOptions photo = measuring_.photo;
    photo.input = item_.input;
    blur_ = account_for(load_blur(photo, loaded_->picture, depth, context, talk_.settings, talk_.run_stage()),
                        depth.metric, talk_);
  }
  unfill(depth);
  return picture_statistics(context, {loaded_->picture, depth, {}, blur_.value_or(Blur{})},
                            measuring_.selection, measuring_.percents, item_.input.string(), talk_);
}

void MeasuredPicture::drop() {
  loaded_.reset();
  Account& account = talk_.account;
  outcome_.ms = {account.ms_of("decode") + account.ms_of("depth"),
                 account.ms_of("upload") + account.ms_of("statistics"), 0};
}

}  // namespace scanlens
