#include "app/video/batch_clip.h"

#include <fmt/format.h>

#include "app/filtering/filter_maps.h"
#include "app/video/clip.h"

namespace scanlens {

BatchClip::BatchClip(Shared& shared, const Work& work, const ClipEncoding& encoding, const Item& item)
    : WrittenPicture(shared, work, item), filtering_(work.filtering), encoding_(encoding) {}

WrittenPicture::Made BatchClip::made_of() {
  Made made{fmt::format("{}\ncodec {}, crf {}, pixels {}", work_.parameters, encoding_.codec,
                        encoding_.crf.value_or(-1), encoding_.pixel_format),
            {item_.input}};
  for (FilterCall& call : filtering_.calls) {
    std::string* const file = depth_file_in(call);
    if (!file) continue;
    if (file->empty()) *file = item_.depth.string();
    if (!file->empty())
      made.read.emplace_back(*file);
    else
      made.read.push_back(work_.network.empty() ? depth_of_clip(item_.input) : work_.network);
  }
  return made;
}

void BatchClip::look() {
  attempt([&] { FilteredClip(filtering_, item_.input, {item_.output, encoding_, write_}, talk_); });
}

void BatchClip::open() {
  judge();
  claim();
  attempt([&] {
    make_output_folder();
    encoding_.overwrite = write_.overwrite;
    clip_ = std::make_unique<FilteredClip>(filtering_, item_.input,
                                           FramesOutput{item_.output, encoding_, write_}, talk_);
    clip_->check();
    require_memory(clip_->host_bytes());
  });
}

void BatchClip::work() {
  attempt_on({.is_short = false}, [&](Context& context) {
    clip_->run(context);
    heed_signals();
    end_written();
  });
}

void BatchClip::drop() {
  clip_.reset();
  outcome_.ms = {talk_.account.ms_of("decode"), talk_.account.ms_of("filter"), talk_.account.ms_of("encode")};
}

}  // namespace scanlens
