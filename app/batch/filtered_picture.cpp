#include "app/batch/filtered_picture.h"

#include "app/io/depth_beside.h"
#include "app/photo/network_options.h"

namespace scanlens {

FilteredPicture::FilteredPicture(Shared& shared, const Work& work, const Item& item)
    : WrittenPicture(shared, work, item), filtering_(work.filtering) {}

WrittenPicture::Made FilteredPicture::made_of() {
  Made made{work_.parameters, {item_.input}};
  for (FilterCall& call : filtering_.calls) {
    if (call.filter->map == MapKind::depth && call.map_file.empty()) {
      call.map_file = item_.depth.string();
      if (item_.depth.empty())
        made.read.push_back(filtering_.network ? filtering_.network->file() : depth_beside(item_.input));
    }
    if (!call.map_file.empty()) made.read.emplace_back(call.map_file);
  }
  return made;
}

void FilteredPicture::open() {
  judge();
  claim();
  attempt([&] {
    filtering_.write = write_;
    try {
      take_lane(shared_.lanes);
      open_here();
    } catch (const Error& error) {
      if (!falls_back(error)) throw;
      file_.reset();
      move_to_cpu(error);
      open_here();
    }
  });
}

void FilteredPicture::open_here() {
  file_.emplace(filtering_, item_.input, item_.output, context(), session_);
  file_->open([&](std::int64_t bytes) { require_memory(bytes); });
}

void FilteredPicture::work() {
  attempt([&] {
    make_output_folder();
    try {
      filter_bands();
    } catch (const Error& error) {
      if (!falls_back(error)) throw;
      file_.reset();
      move_to_cpu(error);
      open_here();
      filter_bands();
    }
  });
}

void FilteredPicture::filter_bands() {
  file_->filter([](double) { heed_signals(); });
}

void FilteredPicture::commit() {
  attempt([&] {
    file_->commit();
    end_written();
  });
}

void FilteredPicture::drop() {
  file_.reset();
  outcome_.ms = {session_.account.ms_of("decode"), session_.account.ms_of("filter"),
                 session_.account.ms_of("encode")};
}

}  // namespace scanlens
