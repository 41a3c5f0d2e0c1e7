#include "app/talk/account.h"

#include <algorithm>
#include <cmath>

#include "core/version.h"
#include "filters/filter.h"

namespace scanlens {

double& Account::ms_of(const std::string& stage) {
  auto found = std::find_if(ms.begin(), ms.end(), [&](const auto& one) { return one.first == stage; });
  return found == ms.end() ? ms.emplace_back(stage, 0.0).second : found->second;
}

void Account::set_facts(const Json& members) {
  facts = members.members();
}

void Account::add_fact(const std::string& name, Json value) {
  const auto known =
      std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == name; });
  if (known == facts.end())
    facts.emplace_back(name, std::move(value));
  else
    known->second = std::move(value);
}

std::string Account::json() const {
  Json out = facts;
  out["version"] = kVersion;
  std::vector<std::string> all = usual;
  all.insert(all.end(), assumed.begin(), assumed.end());
  out["assumed"] = all;
  out["warnings"] = warnings;
  Json& times = out["ms"] = Json::object();
  for (const auto& [stage, time] : ms) times[stage] = std::round(time * 1000) / 1000;
  return out.dump(2);
}

void add_picture(Account& account, const RowFormat& format) {
  account.add_fact("width", format.width);
  account.add_fact("height", format.height);
  account.add_fact("channels", format.channels);
  account.add_fact("bits", 8 * format.sample_bytes);
}

}  // namespace scanlens
