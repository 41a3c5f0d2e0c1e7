#include "app/session/account.h"

#include <algorithm>
#include <cmath>

namespace scanlens {

double& Account::ms_of(const std::string& stage) {
  auto found = std::find_if(ms.begin(), ms.end(), [&](const auto& one) { return one.first == stage; });
  return found == ms.end() ? ms.emplace_back(stage, 0.0).second : found->second;
}

void Account::set_facts(const Json& members) {
  facts = members.members();
}

void Account::add_fact(const std::string& name, Json value) {
  facts.emplace_back(name, std::move(value));
}

std::string Account::json() const {
  Json out = Json::object();
  for (const auto& [name, value] : facts) out[name] = value;
  std::vector<std::string> all = usual;
  all.insert(all.end(), assumed.begin(), assumed.end());
  out["assumed"] = all;
  out["warnings"] = warnings;
  Json& times = out["ms"] = Json::object();
  for (const auto& [stage, time] : ms) times[stage] = std::round(time * 1000) / 1000;
  return out.dump(2);
}

}  // namespace scanlens
