#include "app/batch/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "app/io/format.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& cause) {
  throw Error(ErrorKind::usage, cause);
}

/// Returns the path without links, dots and doubled slashes, as far as it exists.
fs::path real(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  if (error || !found.is_absolute()) found = fs::absolute(path, error).lexically_normal();
  return found;
}

/// Finds what paths really are, each folder once.
class RealPaths {
 public:
  fs::path of(const fs::path& path) {
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error))) return real(path);
    return folder(path.parent_path()) / path.filename();
  }

  const fs::path& folder(const fs::path& path) {
    const auto [found, is_new] = known_.try_emplace(path.native());
    if (is_new) found->second = real(path.empty() ? fs::path(".") : path);
    return found->second;
  }

 private:
  std::unordered_map<std::string, fs::path> known_;
};

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

fs::path depth_of(const Input& input, const NamePattern& pattern) {
  return (input.path.parent_path() / pattern.name_for(input.relative)).lexically_normal();
}

/// Refuses outputs that would meet each other or an input.
class Collisions {
 public:
  Collisions(const Inputs& inputs, const std::vector<fs::path>& roots) {
    for (const fs::path& root : roots)
      if (fs::is_directory(root)) folders_.push_back({root, real(root)});
    for (const Input& input : inputs.found) inputs_.insert(paths_.of(input.path).native());
  }

  void check(const Item& item) {
    const fs::path output = paths_.of(item.output);
    if (inputs_.contains(output.native()))
      refuse(fmt::format("{}: the output of {} is an input; choose another folder for the outputs",
                         item.output.string(), item.input.string()));
    for (const auto& [name, folder] : folders_)
      if (lies_in(output, folder))
        refuse(fmt::format(
            "{}: the output of {} lies in the folder of inputs {}, where the next run would take it for "
            "an input; choose another folder",
            item.output.string(), item.input.string(), name.string()));
    const auto [found, is_new] = outputs_.try_emplace(output.native(), item.input);
    if (!is_new)
      refuse(fmt::format(
          "{}: the output of both {} and {}; --name '{{dir}}/{{name}}.{{ext}}' or another pattern tells "
          "them apart",
          item.output.string(), found->second.string(), item.input.string()));
  }

 private:
  RealPaths paths_;
  std::vector<std::pair<fs::path, fs::path>> folders_;
  std::unordered_set<std::string> inputs_;
  std::unordered_map<std::string, fs::path> outputs_;
};

/// Returns the extension of the format that is asked for, or of the one that stands in for what cannot be
/// written; empty for an input's own.
std::string extension_for(const Input& input, const PlanOptions& options) {
  if (!input.clip.empty()) return input.clip == extension_of(input.path) ? "" : input.clip;
  Format format = options.write.format;
  if (format == Format::unknown) {
    const Format own = format_by_name(input.relative);
    if (own != Format::unknown && traits_of(own).writes && !traits_of(own).only_if_asked) return "";
    format = Format::jpeg;
  }
  const std::string_view all = traits_of(format).extensions;
  return std::string(all.substr(0, all.find(' ')));
}

/// An input that counts.
struct Counted {
  const Input& input;
  NameFacts facts;
};

fs::path output_of(const Counted& counted, std::string_view extension, const PlanOptions& options) {
  const Input& input = counted.input;
  const fs::path name = options.name.name_for(
      input.relative, extension.substr(std::min<std::size_t>(1, extension.size())), counted.facts);
  if (name.is_absolute() || *name.begin() == ".." || !name.has_filename() || name == ".")
    refuse(fmt::format("--name: '{}' makes '{}' of {}, which is not a file in the output folder",
                       options.name.text(), name.string(), input.path.string()));
  fs::path output = options.folder / name;
  if (!input.clip.empty()) {
    if (const std::string known = options.clip_extension(output);
        known.empty() || known != extension_of(output))
      output.replace_extension(input.clip);
  } else if (options.write.format == Format::unknown) {
    const Format format = format_by_name(output);
    if (format == Format::unknown || !traits_of(format).writes)
      refuse(fmt::format("{}: pictures cannot be written as '{}'; name a format, such as --format jpg",
                         input.path.string(), output.extension().string()));
  }
  return output;
}

/// Names outputs so that what becomes another format leaves the names of others alone: beside photo.jpg,
/// photo.heic becomes photo.heic.jpg.
class Outputs {
 public:
  Outputs(const std::vector<Counted>& all, const PlanOptions& options) : options_(options) {
    for (const Counted& counted : all)
      if (!changes(counted.input))
        taken_.insert(output_of(counted, extension_for(counted.input, options), options).native());
  }

  /// Returns true if the input becomes another format unasked.
  bool changes(const Input& input) const {
    return (options_.write.format == Format::unknown || !input.clip.empty()) &&
           !extension_for(input, options_).empty();
  }

  fs::path of(const Counted& counted) {
    const std::string extension = extension_for(counted.input, options_);
    fs::path output = output_of(counted, extension, options_);
    if (!changes(counted.input) || taken_.insert(output.native()).second) return output;
    return output_of(counted, extension_of(counted.input.path) + extension, options_);
  }

 private:
  const PlanOptions& options_;
  std::unordered_set<std::string> taken_;
};

/// Returns the inputs that are worked on, with the facts that their names take.
std::vector<Counted> counted_of(const Inputs& inputs, const PlanOptions& options, Plan& plan) {
  std::unordered_set<std::string> depths;
  if (options.depth)
    for (const Input& input : inputs.found) depths.insert(depth_of(input, *options.depth).native());
  std::vector<Counted> all;
  for (const Input& input : inputs.found) {
    if (depths.contains(input.path.lexically_normal().native())) continue;
    if (!input.clip.empty() && !options.takes_clips) {
      plan.left_out.push_back(input.path);
      continue;
    }
    all.push_back({input, options.name.asks_for_facts() ? options.facts(input) : NameFacts()});
    all.back().facts.number = static_cast<std::int64_t>(all.size());
  }
  return all;
}

}  // namespace

Plan make_plan(const Inputs& inputs, const std::vector<fs::path>& roots, const PlanOptions& options) {
  Plan plan;
  const std::vector<Counted> all = counted_of(inputs, options, plan);
  Collisions collisions(inputs, roots);
  std::optional<Outputs> outputs;
  if (options.writes) outputs.emplace(all, options);
  for (const Counted& counted : all) {
    const Input& input = counted.input;
    Item item{input.path, input.relative, {}, {}, !input.clip.empty()};
    if (options.depth) item.depth = depth_of(input, *options.depth);
    if (outputs) {
      item.output = outputs->of(counted);
      if (outputs->changes(input)) plan.changed[extension_of(item.output)].insert(extension_of(input.path));
      collisions.check(item);
    }
    if (options.shard.holds(item.relative)) plan.items.push_back(std::move(item));
  }
  plan.total = all.size();
  return plan;
}

}  // namespace scanlens
