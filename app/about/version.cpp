#include "app/about/version.h"

#include <opencv2/core/version.hpp>
#include <utility>

#include "core/version.h"

namespace scanlens {
namespace {

/// Names and versions. CMake knows all versions but OpenCV's: two of its libraries alone may be installed.
constexpr std::pair<std::string_view, std::string_view> kLibraries[] = {{"opencv", CV_VERSION},
                                                                        SCANLENS_LIBRARIES};

}  // namespace

Json commit_of_build() {
#ifdef SCANLENS_COMMIT
  return SCANLENS_COMMIT;
#else
  return nullptr;
#endif
}

Json version_facts(std::string_view command) {
  Json backends = {"cpu", "opengl"};
#ifdef SCANLENS_WITH_CUDA
  backends.push_back("cuda");
#endif
  Json libraries = Json::object();
  for (const auto& [name, version] : kLibraries) libraries[name] = version;
  return {{"command", command},
          {"version", kVersion},
          {"commit", commit_of_build()},
          {"backends", std::move(backends)},
          {"libraries", std::move(libraries)}};
}

}  // namespace scanlens
