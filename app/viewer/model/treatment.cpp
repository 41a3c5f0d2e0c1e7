// The treatment of what is open: its steps, undone and done again.
#include <cmath>
#include <utility>

#include "app/io/text.h"
#include "app/viewer/model/opened.h"

namespace scanlens {

void Opened::reset() {
  keys = {};
  for (const ViewParam& param : view_params())
    if (is_of_treatment(param)) state.*param.value = at_opening_.*param.value;
}

Treatment Opened::treatment() const {
  Treatment now{{}, filters, photo_options_, strokes, sharp, keys};
  ViewState of = state;
  if (!keys.empty()) keys.apply(keys.first(), metric(), of);
  for (const ViewParam& param : view_params())
    if (is_of_treatment(param)) now.values.push_back(of.*param.value);
  return now;
}

void Opened::restore(const Treatment& treatment) {
  const auto network = [](const PhotoOptions& of) { return of.network.choice.model; };
  if (opened_next_ == Opens::restore) opened_next_ = Opens::nothing;  // an earlier one is passed over
  if (photo_ && !is_clip_ &&
      (treatment.options.depth != photo_options_.depth ||
       network(treatment.options) != network(photo_options_))) {
    restores_ = treatment;
    restores_from_ = this->treatment();
    return begin_read_again(treatment.options, Opens::restore);
  }
  auto value = treatment.values.begin();
  for (const ViewParam& param : view_params())
    if (is_of_treatment(param)) state.*param.value = *value++;
  filters = treatment.filters;
  strokes = treatment.strokes;
  sharp = treatment.sharp;
  keys = treatment.keys;
  keys.apply(std::llround(state.frame), metric(), state);
  finish_pull();
}

void Opened::show_step(const Treatment* (History::*step)()) {
  const auto known = histories_.find(noted_);
  if (is_empty() || is_early() || known == histories_.end()) return;
  if (const Treatment* const to = (known->second.*step)()) restore(*to);
}

void Opened::recall_treatment() {
  if (is_empty() || is_early()) return;
  const std::filesystem::path shown = photo_ ? photo_->file : std::filesystem::path(scene_->name);
  if (shown == noted_) return;
  noted_ = shown;
  if (const auto known = histories_.find(noted_); known != histories_.end()) restore(known->second.shown());
}

void Opened::note_treatment(bool begins, bool held) {
  if (is_empty() || is_early() || opened_next_ == Opens::restore) return;
  const Treatment now = treatment();
  const auto [history, is_new] = histories_.try_emplace(noted_, now);
  if (begins) history->second.end_step();
  if (!is_new) history->second.note(now, held);
  // A scene is a toy: nothing in it is anybody's work.
  if (is_scene()) history->second.mark_saved(now);
}

void Opened::mark_saved(const std::filesystem::path& noted, const Treatment& treatment) {
  if (const auto known = histories_.find(noted); known != histories_.end())
    known->second.mark_saved(treatment);
}

std::string Opened::unsaved() const {
  std::string names;
  for (const auto& [file, history] : histories_)
    if (!history.is_saved()) names += (names.empty() ? "" : ", ") + printable(file.filename().string());
  return names;
}

}  // namespace scanlens
