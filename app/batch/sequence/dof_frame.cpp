#include "app/batch/sequence/dof_frame.h"

#include <algorithm>
#include <utility>

namespace scanlens {

DofFrame::DofFrame(Shared& shared, const Work& work, const Item& item, const FrameWork& frames,
                   std::int64_t number)
    : WrittenPicture(shared, work, item), frames_(frames), number_(number), photo_(frames.photo) {
  photo_.input = item.input;
  photo_.depth = item.depth;
}

WrittenPicture::Made DofFrame::made_of() {
  Made made{work_.parameters + "\n" + frames_.pull.words_at(number_), {item_.input}};
  if (!item_.depth.empty()) made.read.push_back(item_.depth);
  if (item_.depth.empty() && photo_.network.asked()) made.read.push_back(photo_.network.choice.model);
  return made;
}

void DofFrame::open() {
  judge();
  claim();
  attempt([&] {
    Limits limits = talk_.settings.limits();
    limits.admit = [&](const RowFormat& format) {
      announced_.add(format);
      require_memory(std::max(announced_.bytes(true), shared_.learned.load()));
    };
    loaded_ = load_picture_and_depth(photo_, DepthNeed::required, limits, talk_);
    check_holds(item_.output, loaded_->picture, write_);
  });
}

void DofFrame::work() {
  attempt([&] { make_output_folder(); });
  attempt_on({}, [&](Context& context) { result_ = blurred(context); });
}

/// Gives up what was loaded. Only here the blur is known.
Picture DofFrame::blurred(Context& context) {
  heed_signals();
  photo_.lens = frames_.pull.at({number_}, frames_.photo.lens, loaded_->depth->metric);
  const Blur blur = account_for(
      load_blur(photo_, loaded_->picture, *loaded_->depth, context, talk_.settings, talk_.run_stage()),
      loaded_->depth->metric, talk_);
  const DofStyle style = photo_.lens.style(loaded_->picture.width());
  Photo photo{std::move(loaded_->picture), std::move(*loaded_->depth), blur, style};
  loaded_.reset();
  // The samples twice: as they are, and encoded.
  const auto held = static_cast<std::int64_t>(2 * photo.picture.bytes() + photo.depth.disparity.bytes());
  const std::int64_t needed = held + (on_cpu() ? frames_.blur.workspace(photo) : 0);
  for (std::int64_t known = shared_.learned;
       known < needed && !shared_.learned.compare_exchange_weak(known, needed);) {
  }
  require_memory(needed);
  return talk_.timed(
      "blur", [&] { return frames_.blur.run(context, std::move(photo), item_.input.string(), talk_); });
}

void DofFrame::commit() {
  attempt([&] {
    talk_.timed("encode",
                [&] { write_picture(item_.output, *result_, write_, talk_.remarks_on(item_.output)); });
    end_written();
  });
}

void DofFrame::drop() {
  loaded_.reset();
  result_.reset();
  Account& account = talk_.account;
  outcome_.ms = {account.ms_of("decode") + account.ms_of("depth"),
                 account.ms_of("autofocus") + account.ms_of("blur"), account.ms_of("encode")};
}

}  // namespace scanlens
