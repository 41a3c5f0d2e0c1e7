#include "app/session/account.h"

#include <algorithm>
#include <cmath>

namespace scanlens {

double& Account::ms_of(const std::string& stage) {
  auto found = std::find_if(ms.begin(), ms.end(), [&](const auto& one) { return one.first == stage; });
  return found == ms.end() ? ms.emplace_back(stage, 0.0).second : found->second;
}

std::string Account::json() const {
  nlohmann::ordered_json out;
  for (const auto& [name, value] : facts) out[name] = value;
  out["assumed"] = assumed;
  out["warnings"] = warnings;
  out["ms"] = nlohmann::ordered_json::object();
  for (const auto& [stage, time] : ms) out["ms"][stage] = std::round(time * 1000) / 1000;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace scanlens
