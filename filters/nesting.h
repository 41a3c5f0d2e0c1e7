// The limit of nesting in text and files.
#pragma once

namespace scanlens {

/// Levels of brackets, elements or graphs within each other that a parser takes. Each level may cost a call,
/// and people's files have fewer than 20.
inline constexpr int kMostNesting = 64;

}  // namespace scanlens
