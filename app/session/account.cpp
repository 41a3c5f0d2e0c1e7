#include "app/session/account.h"

#include <algorithm>
#include <cmath>

#include "app/depth/depth.h"
#include "app/session/photo_options.h"
#include "core/version.h"
#include "filters/dof_formula.h"
#include "filters/filter.h"
#include "filters/lens.h"

namespace scanlens {
namespace {

/// Returns a distance in metres, null at infinity.
Json distance_of(float disparity) {
  return disparity > 0 ? Json(1 / static_cast<double>(disparity)) : Json(nullptr);
}

}  // namespace

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

Json::Object facts_of(const Depth& depth) {
  const View<const float> values = depth.disparity.view();
  const bool metric = depth.metric;
  return {{"width", values.width},
          {"height", values.height},
          {"kind", kDepthKindNames[static_cast<int>(depth.kind)]},
          {"unit", metric ? Json("m") : Json(nullptr)},
          {"min", metric ? distance_of(depth.most) : Json(depth.least)},
          {"max", metric ? distance_of(depth.least) : Json(depth.most)},
          {"unknown", depth.unknown},
          {"unknown_share", static_cast<double>(depth.unknown) / static_cast<double>(values.extent())},
          {"decided_by", depth.decided_by}};
}

void add_depth(Account& account, const std::filesystem::path& file, const Depth& depth) {
  account.add_fact("depth", file.string());
  account.add_fact("depth_map", facts_of(depth));
}

void add_blur(Account& account, const Blur& blur, bool metric, const std::optional<ThinLens>& lens) {
  account.add_fact("focus", metric ? distance_of(blur.focus) : Json(blur.focus));
  account.add_fact("unit", metric ? Json("m") : Json(nullptr));
  account.add_fact("largest_blur", blur.most);
  account.add_fact("lens", lens ? Json{{"focal_length_mm", lens->focal_length_mm},
                                       {"f_number", lens->f_number},
                                       {"sensor_width_mm", lens->sensor_width_mm}}
                                : Json(nullptr));
}

}  // namespace scanlens
