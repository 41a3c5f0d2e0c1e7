// Facts about a depth map and a blur, under the names that JSON has.
#pragma once

#include <filesystem>
#include <optional>

#include "app/io/json.h"
#include "app/session/account.h"

namespace scanlens {

struct Blur;
struct Depth;
struct ThinLens;

/// Returns what a map holds: its size, what its values mean, from where to where they go, what is unknown.
Json::Object facts_of(const Depth& depth);

/// Adds where a picture's depth comes from, and what it holds before it is brought to the picture's size.
void add_depth(Account& account, const std::filesystem::path& file, Json::Object map);

/// Adds what is in focus and how wide the blur becomes; the lens where one makes the blur.
void add_blur(Account& account, const Blur& blur, bool metric, const std::optional<ThinLens>& lens);

}  // namespace scanlens
