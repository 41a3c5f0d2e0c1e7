// The version of the library. CMakeLists.txt reads it from here.
#pragma once

#define SCANLENS_VERSION_MAJOR 0
#define SCANLENS_VERSION_MINOR 4
#define SCANLENS_VERSION_PATCH 0

#define SCANLENS_VERSION "0.4.0"

namespace scanlens {

inline constexpr const char* kVersion = SCANLENS_VERSION;

}  // namespace scanlens
