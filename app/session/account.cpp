#include "app/session/account.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace scanlens {

double& Account::ms_of(const std::string& stage) {
  auto found = std::find_if(ms.begin(), ms.end(), [&](const auto& one) { return one.first == stage; });
  return found == ms.end() ? ms.emplace_back(stage, 0.0).second : found->second;
}

void Account::set_facts(const nlohmann::ordered_json& members) {
  facts.clear();
  for (const auto& [name, value] : members.items()) add_fact(name, value);
}

void Account::add_fact(const std::string& name, const nlohmann::ordered_json& value) {
  facts.emplace_back(name, value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string Account::json() const {
  nlohmann::ordered_json out;
  for (const auto& [name, value] : facts) out[name] = nlohmann::ordered_json::parse(value);
  std::vector<std::string> all = usual;
  all.insert(all.end(), assumed.begin(), assumed.end());
  out["assumed"] = all;
  out["warnings"] = warnings;
  out["ms"] = nlohmann::ordered_json::object();
  for (const auto& [stage, time] : ms) out["ms"][stage] = std::round(time * 1000) / 1000;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace scanlens
