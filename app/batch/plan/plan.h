// The plan of a batch, known and checked before anything is done.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/batch/plan/inputs.h"
#include "app/batch/plan/name_pattern.h"
#include "app/batch/plan/shard.h"
#include "app/io/picture.h"

namespace scanlens {

/// One picture or clip: the files to read and to write.
struct Item {
  std::filesystem::path input;
  std::filesystem::path
      relative;  ///< below where the search began: the same in every shard and on every machine
  std::filesystem::path output;  ///< empty where nothing is written
  std::filesystem::path depth;   ///< the map that belongs to the picture, by --depth-pattern; or empty
  bool is_clip = false;
};

struct PlanOptions {
  bool writes = true;            ///< true if there are outputs
  std::filesystem::path folder;  ///< of the outputs
  NamePattern name{"--name", "{dir}/{stem}.{ext}"};
  std::function<NameFacts(const Input& input)> facts = {};  ///< date and width, where names have them
  std::optional<NamePattern> depth;                         ///< beside the picture
  WriteOptions write;
  ClipExtension clip_extension = {};  ///< as for the inputs
  bool takes_clips = false;           ///< false: they are left out
  Shard shard;
};

struct Plan {
  std::vector<Item> items;  ///< this shard's
  std::size_t total = 0;    ///< those of all shards
  /// Extensions that are not written, by those that stand in for them; of all shards.
  std::map<std::string, std::set<std::string>> changed = {};
  std::vector<std::filesystem::path> left_out = {};  ///< clips, where none is taken
};

/// Names the output of every input, if there are outputs. A format that is not written becomes .jpg, unless
/// another is asked for, and such a clip .mp4. An input that is another's depth map does not count. Throws
/// Error (usage) that names the files, in any shard: if two inputs have the same output; if an output is an
/// input, lies in a folder of inputs (the next run would take it for one) or outside the output folder; or if
/// its name has no extension of a format that is written.
Plan make_plan(const Inputs& inputs, const std::vector<std::filesystem::path>& roots,
               const PlanOptions& options);

}  // namespace scanlens
