#include "app/viewer/notices.h"

namespace scanlens {

void Notices::say(std::string text) {
  shown_.push_back({std::move(text)});
}

void Notices::complain(std::string text) {
  if (!shown_.empty() && shown_.back().text == text) shown_.pop_back();
  shown_.push_back({std::move(text), true, 12});
}

}  // namespace scanlens
