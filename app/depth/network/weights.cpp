// Files of weights beside a model.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "app/depth/network/model_file.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {

namespace fs = std::filesystem;

std::uintmax_t model_bytes(const fs::path& path, const ModelFacts& facts) {
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const auto real_folder = [&](const fs::path& of) { return fs::canonical(of, error).parent_path(); };
  const fs::path own = fs::canonical(folder, error), linked = real_folder(path);
  std::uintmax_t bytes = fs::file_size(path, error);
  for (const std::string& name : facts.external) {
    const fs::path named(name);
    const auto refuse = [&](const char* why) {
      throw Error(fmt::format("{}: its weights lie in {}, {}", path.string(), printable(name), why));
    };
    if (named.empty() || named.is_absolute() ||
        std::any_of(named.begin(), named.end(), [](const fs::path& part) { return part == ".."; }))
      refuse("outside its folder; such a model is not loaded");
    const fs::path file = folder / named;
    if (!fs::is_regular_file(file, error)) refuse("which is missing beside it; copy that file, too");
    // A cache of downloads keeps links, and the files of both together elsewhere.
    const fs::path real = fs::canonical(file, error);
    const auto lies_in = [&](const fs::path& in) {
      return std::mismatch(in.begin(), in.end(), real.begin(), real.end()).first == in.end();
    };
    if (!lies_in(own) && !lies_in(linked)) refuse("a link that leads out of its folder");
    bytes += fs::file_size(file, error);
  }
  return bytes;
}

}  // namespace scanlens
