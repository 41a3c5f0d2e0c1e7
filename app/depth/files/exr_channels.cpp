#include "app/depth/files/exr_channels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::size_t kMostNamed = 40;  ///< channels that a message lists

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The certainty that a name means depth. Ranks of distances come last.
enum Rank { kNone, kMist, kAnyZ, kDisparity, kSpeaksOfDepth, kDepth, kZ };

/// A name in lower case, taken apart.
struct Parts {
  std::string layer;      ///< the last word before the component: "depth" of "viewlayer.depth.z"
  std::string component;  ///< "z"
};

Parts parts_of(const ExrChannel& channel) {
  const std::string name = lower(channel.name);
  const std::size_t stop = name.find_last_of('.');
  if (stop == std::string::npos) return {lower(channel.part_name), name};
  const std::size_t before = stop == 0 ? std::string::npos : name.find_last_of('.', stop - 1);
  return {name.substr(before == std::string::npos ? 0 : before + 1,
                      stop - (before == std::string::npos ? 0 : before + 1)),
          name.substr(stop + 1)};
}

/// Returns how a word says that it holds depth: Depth (Blender, Nuke), VRayZDepth, Pz (Houdini), WorldDepth
/// (Unreal), volume_Z (Arnold).
Rank rank_of_word(std::string_view word) {
  constexpr std::array<std::string_view, 9> kNames = {"depth", "zdepth",  "z-depth", "z_depth",   "z depth",
                                                      "pz",    "zbuffer", "z",       "vrayzdepth"};
  if (contains(word, "mist")) return kMist;
  if (std::find(kNames.begin(), kNames.end(), word) != kNames.end()) return kDepth;
  if (contains(word, "disparity")) return kDisparity;
  const bool other = contains(word, "field") || contains(word, "raydepth") || contains(word, "mask");
  return !other && (contains(word, "depth") || word.ends_with("_z")) ? kSpeaksOfDepth : kNone;
}

/// Returns the rank of a channel that is no part of a vector. `alone`: its name has no layer.
Rank rank_of(const Parts& parts, bool alone) {
  constexpr std::string_view kSingle = "zvyrgbx";
  const bool single = parts.component.size() == 1 && contains(kSingle, parts.component);
  const Rank of_layer = rank_of_word(parts.layer);
  if (of_layer == kMist || (!single && rank_of_word(parts.component) == kMist)) return kMist;
  if (parts.component == "z") {
    if (alone) return kZ;
    const bool vector =
        contains(parts.layer, "position") || contains(parts.layer, "normals") || parts.layer == "normal";
    return vector ? kNone : std::max(of_layer, kAnyZ);
  }
  return single ? of_layer : rank_of_word(parts.component);
}

bool is_alpha(const ExrChannel& channel) {
  const Parts parts = parts_of(channel);
  return parts.component == "a" || parts.component == "alpha";
}

/// Returns the channel of the same part and name whose last letter is another, in upper or lower case.
const ExrChannel* sibling(const std::vector<ExrChannel>& channels, const ExrChannel& of, char letter) {
  const std::string wanted = lower(of.name.substr(0, of.name.size() - 1)) + letter;
  const auto found = std::find_if(channels.begin(), channels.end(), [&](const ExrChannel& other) {
    return other.part == of.part && lower(other.name) == wanted;
  });
  return found == channels.end() ? nullptr : &*found;
}

bool ends_with(const ExrChannel& channel, char letter) {
  return !channel.name.empty() && std::tolower(static_cast<unsigned char>(channel.name.back())) == letter;
}

/// Returns whether a channel is a component of a vector: X, Y and Z beside each other, or Px, Py and Pz.
bool is_vector(const std::vector<ExrChannel>& channels, const ExrChannel& channel) {
  for (const char letter : {'x', 'y', 'z'})
    if (ends_with(channel, letter))
      return sibling(channels, channel, 'x') && sibling(channels, channel, 'y') &&
             sibling(channels, channel, 'z');
  return false;
}

/// Returns the name of a channel, with its part's where the part has one that the name lacks.
std::string shown_name(const ExrChannel& channel) {
  const bool has_layer = contains(channel.name, ".");
  return channel.part_name.empty() || has_layer ? channel.name : channel.part_name + "." + channel.name;
}

struct Candidate {
  ExrDepth depth;
  Rank rank = kNone;
};

/// Returns the channel as depth; red, green and blue of one layer together.
Candidate candidate_of(const std::vector<ExrChannel>& channels, const ExrChannel& channel) {
  Candidate candidate;
  ExrDepth& depth = candidate.depth;
  depth.part = channel.part;
  depth.name = shown_name(channel);
  depth.channels = {channel.name};
  const Parts parts = parts_of(channel);
  if (parts.component == "r")
    if (const ExrChannel* green = sibling(channels, channel, 'g'), *blue = sibling(channels, channel, 'b');
        green && blue) {
      depth.channels = {channel.name, green->name, blue->name};
      depth.name = depth.name.size() > 2 ? depth.name.substr(0, depth.name.size() - 2) : "RGB";
    }
  if (!is_vector(channels, channel)) candidate.rank = rank_of(parts, !contains(channel.name, "."));
  depth.meaning = candidate.rank == kNone        ? ExrMeaning::unnamed
                  : candidate.rank == kMist      ? ExrMeaning::mist
                  : candidate.rank == kDisparity ? ExrMeaning::inverse
                                                 : ExrMeaning::distance;
  depth.of_unreal = contains(parts.layer, "worlddepth") || contains(parts.layer, "scenedepth");
  return candidate;
}

/// Returns all that could be depth. Green and blue of a layer are part of the red one's candidate.
std::vector<Candidate> candidates_of(const std::vector<ExrChannel>& channels) {
  std::vector<Candidate> all;
  for (const ExrChannel& channel : channels) {
    const Parts parts = parts_of(channel);
    const bool in_triple = (parts.component == "g" || parts.component == "b") &&
                           sibling(channels, channel, 'r') && sibling(channels, channel, 'g') &&
                           sibling(channels, channel, 'b');
    if (!in_triple && !is_alpha(channel)) all.push_back(candidate_of(channels, channel));
  }
  return all;
}

/// Returns the channel, or the layer, of this name: as it is spelled if there is one, else in any case.
std::optional<ExrDepth> named(const std::vector<ExrChannel>& channels, const std::string& wanted) {
  const std::vector<Candidate> candidates = candidates_of(channels);
  for (const bool exact : {true, false}) {
    const auto same = [&](const std::string& name) {
      return exact ? name == wanted : lower(name) == lower(wanted);
    };
    for (const ExrChannel& channel : channels)
      if (same(channel.name) || same(shown_name(channel))) {
        ExrDepth depth = candidate_of(channels, channel).depth;
        depth.name = shown_name(channel);
        depth.channels = {channel.name};  // one, where red is named
        return depth;
      }
    for (const Candidate& candidate : candidates)
      if (same(candidate.depth.name)) return candidate.depth;
    for (const Candidate& candidate : candidates) {  // a layer of one channel
      const std::string& name = candidate.depth.name;
      const std::size_t stop = name.find_last_of('.');
      if (candidate.depth.channels.size() == 1 && stop != std::string::npos && same(name.substr(0, stop)))
        return candidate.depth;
    }
  }
  return std::nullopt;
}

/// Returns the first word of the layer that holds the whole picture ("ViewLayer" of "ViewLayer.Combined.R").
std::string layer_of_picture(const std::vector<ExrChannel>& channels) {
  for (const ExrChannel& channel : channels)
    if (const Parts parts = parts_of(channel);
        parts.component == "r" && (parts.layer == "combined" || parts.layer == "beauty"))
      return channel.name.substr(0, channel.name.find('.'));
  return "";
}

/// Chooses among those of the highest rank, and says what it has passed over.
ExrDepth chosen(const std::vector<ExrChannel>& channels, std::vector<Candidate> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
  const Rank best = candidates.front().rank;
  const auto end = std::find_if(candidates.begin(), candidates.end(),
                                [&](const Candidate& candidate) { return candidate.rank != best; });
  std::vector<std::string> rivals, others;
  for (auto at = candidates.begin(); at != candidates.end(); ++at)
    if (at < end)
      rivals.push_back(at->depth.name);
    else if (at->rank >= kSpeaksOfDepth)
      others.push_back(at->depth.name);
  const std::string layer = layer_of_picture(channels);
  const auto with_picture = std::find_if(candidates.begin(), end, [&](const Candidate& candidate) {
    return !layer.empty() && candidate.depth.name.starts_with(layer + ".");
  });
  ExrDepth depth = std::move((with_picture != end ? with_picture : candidates.begin())->depth);
  if (rivals.size() > 1)
    depth.remarks.push_back(
        {true, fmt::format("{} of its channels may be the depth: {}; {} is taken, --depth-channel "
                           "NAME chooses another",
                           rivals.size(), fmt::join(rivals, ", "), depth.name)});
  if (!others.empty())
    depth.remarks.push_back(
        {false, fmt::format("its channel {} is taken for depth, not {} (--depth-channel NAME)", depth.name,
                            fmt::join(others, ", "))});
  return depth;
}

}  // namespace

std::string names_of(const std::vector<ExrChannel>& channels) {
  std::vector<std::string> names;
  for (const ExrChannel& channel : channels) names.push_back(shown_name(channel));
  if (names.size() > kMostNamed) {
    names.resize(kMostNamed);
    names.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<ExrDepth> find_exr_depth(const std::vector<ExrChannel>& channels, const std::string& wanted,
                                       ExrUse use, const std::string& name) {
  if (!wanted.empty()) {
    std::optional<ExrDepth> found = named(channels, wanted);
    if (!found)
      throw Error(ErrorKind::usage, fmt::format("{}: it has no channel '{}' (--depth-channel); it has {}",
                                                name, wanted, names_of(channels)));
    return found;
  }
  std::vector<Candidate> candidates = candidates_of(channels);
  std::vector<Candidate> by_name = candidates;
  const Rank least = use == ExrUse::photo ? kDisparity : kMist;
  std::erase_if(
      by_name, [&](const Candidate& candidate) { return candidate.rank < least && candidate.rank != kMist; });
  if (!by_name.empty()) return chosen(channels, std::move(by_name));
  if (use == ExrUse::map && candidates.size() == 1 && candidates[0].rank == kNone) return candidates[0].depth;
  return std::nullopt;
}

}  // namespace scanlens
