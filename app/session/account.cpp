#include "app/session/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "core/version.h"
#include "filters/filter.h"

namespace scanlens {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

Clock::time_point program_start;

}  // namespace

void note_program_start() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  program_start = Clock::now() - std::chrono::seconds(used.tv_sec) - std::chrono::nanoseconds(used.tv_nsec);
}

void Account::note_start() {
  ms_of("start") += Milliseconds(Clock::now() - program_start).count();
}

std::string Account::steps() const {
  std::string text;
  double sum = 0;
  for (const auto& [stage, time] : ms) {
    text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", stage, time);
    sum += time;
  }
  return fmt::format("{} ms; {:.0f} in all", text, sum);
}

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
