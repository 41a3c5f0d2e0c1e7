#include "app/session/session.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "app/gl/interop.h"
#include "app/io/background.h"
#include "app/io/format.h"
#include "app/io/memory_limit.h"
#include "app/options/preset.h"
#include "app/options/values.h"
#include "app/session/gpus.h"
#include "core/devices.h"

namespace scanlens {

Completion complete_device(const std::string&) {
  Completion offered{{{"auto", "the first that works"}}};
  for (const DeviceInfo& device : devices()) offered.words.push_back({device.id, device.name});
  return offered;
}

void add_options(Command& command, Settings& settings) {
  const OptionGroup group(command, Group::session);
  group.add("--device DEVICE", &settings.device, "auto, cpu, cuda or cuda:N; auto takes the first that works")
      .completes(complete_device)
      .shows_target();
  group.add("--max-pixels N", &settings.max_pixels, "refuse pictures of more pixels")
      .check(count_of_pixels())
      .shows_target();
  group
      .add("--max-memory BYTES", &settings.max_memory,
           "refuse work that needs more memory on the host or a GPU (1500MB, 8GiB); by default the free "
           "memory")
      .check(count_of_bytes());
  const Option& silent = group.add("--quiet", &settings.quiet, "print only results, warnings and errors");
  group
      .add("--verbose", &settings.verbose,
           "also say what is usual, such as the colours of a file without a profile")
      .excludes(silent);
  group.add("--strict", &settings.strict, "treat warnings as errors");
  add_preset_options(command);
}

void add_json_option(Command& command, Settings& settings) {
  command.add("--json", &settings.json,
              "print one JSON object: files, device, assumptions, warnings,\nmilliseconds by stage"
              "; nothing is printed when the command fails");
}

Context open_device(Talk& talk) {
  see_gpus(talk.settings.device, 1);
  Context context = Context::open(talk.settings.device);
  talk.introduce(context);
  return context;
}

void require_memory(const Settings& settings, const Context& context, const GlContext& gl,
                    const std::string& what, GlMemory bytes) {
  if (gl.software())
    bytes.host += bytes.opengl;
  else if (can_share_buffers(context, gl))
    bytes.device += bytes.opengl;
  else if (settings.max_memory)
    require_fit(what, bytes.opengl, settings.max_memory, gl.renderer());
  settings.require_memory(context, what, bytes.host, bytes.device);
}

void add_format_option(Command& command, Format& format, std::vector<std::string> names, const char* shown) {
  const auto take = [&format](const std::string& name) {
    format = format_by_name("named." + name);
    return std::string();
  };
  command
      .add("--format NAME", take, fmt::format("{}, whatever the name's extension; needed for -o -", shown),
           Group::output)
      .check(one_of(std::move(names)));
}

void add_options(Command& command, WriteOptions& write) {
  add_encoding_options(command, write);
  add_options(command, write.overwrite);
}

void add_encoding_options(Command& command, WriteOptions& write) {
  add_format_option(command, write.format, writable_names(), "png, jpg, tif, webp, exr ...");
  const OptionGroup group(command, Group::output);
  group.add("--quality Q", &write.quality, quality_help()).check(whole_within(1, 100)).shows_target();
  group
      .add("--max-bytes N", &write.max_bytes,
           "most bytes of a file, as in 300kB: where it takes more, the quality is lowered until it fits")
      .check(count_of_bytes());
  group
      .add("--compression LEVEL", &write.compression,
           fmt::format("compression of {}, 0 (none, fastest) to 9 (smallest, slowest)",
                       formats_with_compression()))
      .check(whole_within(0, 9))
      .shows_target();
  group.add("--no-gain-map", &write.no_gain_map,
            "take no light above white from a photo's gain map (Ultra HDR), and write none");
  const auto take_background = [&write](const std::string& text) {
    const std::optional<Colour> colour = parse_colour(text);
    if (!colour) return "takes white, black, grey or #rrggbb, not '" + text + "'";
    write.background = Background{*colour};
    return std::string();
  };
  const auto background = [&write] { return write.background ? name_of(write.background->colour) : ""; };
  group.add("--background COLOUR", Target(take_background, background),
            "lay alpha over white, black, grey or '#rrggbb' where the format holds none");
  group.add("--strip", &write.strip, "leave out EXIF, XMP and colour profile; colours are converted to sRGB");
}

void add_options(Command& command, Overwrite& overwrite) {
  const OptionGroup group(command, Group::output);
  const Option& never = group.add("--no-clobber", &overwrite.never, "refuse to replace a file that exists");
  group.add("--force", &overwrite.read_only, "replace a file that exists even when it is read-only")
      .excludes(never);
}

void require_name(const char* option, const std::filesystem::path& output) {
  if (is_standard_stream(output))
    throw Error(ErrorKind::usage,
                fmt::format("{} takes the name of a file, not - (standard output)", option));
}

std::string input_help() {
  return "picture to read: " + readable_formats() + "; - for standard input";
}

std::string output_help() {
  return "file to write: " + writable_extensions() + "; - for standard output";
}

}  // namespace scanlens
