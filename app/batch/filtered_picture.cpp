#include "app/batch/filtered_picture.h"

#include "app/filtering/filter_maps.h"
#include "app/io/depth_beside.h"

namespace scanlens {

FilteredPicture::FilteredPicture(Shared& shared, const Work& work, const Item& item)
    : WrittenPicture(shared, work, item), filtering_(work.filtering) {}

WrittenPicture::Made FilteredPicture::made_of() {
  Made made{work_.parameters, {item_.input}};
  for (FilterCall& call : filtering_.calls) {
    if (lacks_depth(call)) {
      *depth_file_in(call) = item_.depth.string();
      if (item_.depth.empty())
        made.read.push_back(work_.network.empty() ? depth_beside(item_.input) : work_.network);
    }
    const bool has_words = call.filter->map == MapKind::words;
    for (const std::string& file : {has_words ? call.font_file : call.map_file, call.depth_file})
      if (!file.empty()) made.read.emplace_back(file);
  }
  return made;
}

void FilteredPicture::look() {
  WrittenPicture::look();
  attempt([&] { find_depth(filtering_.calls, item_.input, filtering_.photo, talk_); });
}

void FilteredPicture::open() {
  judge();
  claim();
  attempt([&] {
    filtering_.write = write_;
    file_.emplace(filtering_, item_.input, item_.output, !on_cpu(), talk_);
    file_->open([&](const FilteredFile::HostMemory& memory) { require_memory(memory.most); });
  });
}

void FilteredPicture::work() {
  attempt([&] { make_output_folder(); });
  if (!goes_on()) return;
  attempt_on({file_->kept_bytes(), file_->only_filters()},
             [&](Context& context) { file_->filter(context, [](double) { heed_signals(); }); });
}

void FilteredPicture::commit() {
  attempt([&] {
    file_->commit();
    end_written();
  });
}

void FilteredPicture::drop() {
  file_.reset();
  outcome_.ms = {talk_.account.ms_of("decode"), talk_.account.ms_of("filter"), talk_.account.ms_of("encode")};
}

}  // namespace scanlens
