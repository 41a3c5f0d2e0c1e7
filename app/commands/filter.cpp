// scanlens filter: filters on a picture of any size, from file to file, in bands of rows.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "app/commands/advice.h"
#include "app/commands/commands.h"
#include "app/filtering/filter_maps.h"
#include "app/filtering/filtered_file.h"
#include "app/options/complete.h"
#include "app/options/values.h"
#include "app/session/progress.h"
#include "app/session/session.h"
#include "app/video/filter_clip.h"
#include "app/video/frame_files.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

struct FilterCommand {
  Settings settings;
  Talk talk{settings};
  std::filesystem::path output;
  std::vector<std::string> filters;
  Filtering filtering;
  const std::filesystem::path& input = filtering.photo.input;
  ClipEncoding encoding;

  void run(const Command& command) {
    filtering.calls = parse_filters(filters);
    refuse_idle_options(command);
    if (is_clip(input) || (names_frames(input) && names_a_clip(output))) return run_clip(command);
    refuse_options(command, {Group::clip}, "is for a clip, such as clip.mp4");
    require_mask_files(filtering.calls);
    check_output(output, input, filtering.write);
    talk.account.set_facts({{"command", "filter"},
                            {"input", input.string()},
                            {"filters", filters},
                            {"output", output.string()}});
    talk.keep_stdout_for(output);
    filtering.photo.network.open(talk);
    talk.account.note_start();
    Context context = talk.timed("start", [&] { return open_device(talk); });
    FilteredFile file(filtering, input, output, context.on_cuda(), talk);
    file.open([](const auto&) {});
    const RowFormat& format = file.format();
    talk.say(fmt::format("{}: {} x {}, {} {} of {} bit; bands of {} rows", input.string(), format.width,
                         format.height, format.channels, format.channels == 1 ? "channel" : "channels",
                         8 * format.sample_bytes, file.band_rows()));
    add_picture(talk.account, format);
    talk.account.add_fact("band_rows", file.band_rows());
    talk.account.add_fact("output_width", file.made().width);
    talk.account.add_fact("output_height", file.made().height);
    say_sizes(format);

    const auto start = std::chrono::steady_clock::now();
    {
      Progress progress(talk, "filter");
      file.filter(context, [&](double done) { progress.show(done); });
      file.commit();
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    talk.account.add_fact("seconds", elapsed.count());
    talk.say(fmt::format("{}: written; {:.2f} s from file to file", output_name(output), elapsed.count()));
    talk.print_account();
  }

  void refuse_idle_options(const Command& command) const {
    if (std::none_of(filtering.calls.begin(), filtering.calls.end(), lacks_depth))
      refuse_options(command, {Group::depth},
                     "has no effect: no filter takes depth; add --filter dof, or where=depth>2");
    if (!asks_for_coc(filtering.calls))
      refuse_options(command, {Group::lens}, "has no effect without coc in where=");
  }

  void run_clip(const Command& command) {
    if (names_a_clip(output)) refuse_options_of_pictures(command);
    encoding.overwrite = filtering.write.overwrite;
    filtering.photo.network.open(talk);
    talk.account.set_facts({{"command", "filter"},
                            {"input", input.string()},
                            {"filters", filters},
                            {"output", output.string()}});
    run_filter_clip(filtering, input, {output, encoding, filtering.write}, talk);
  }

  /// Says the sizes before and after filters that may change it, and notes them for --json.
  void say_sizes(RowFormat format) {
    const auto size_of = [](const RowFormat& of) { return Json{{"width", of.width}, {"height", of.height}}; };
    Json resized = Json::array();
    for (const FilterCall& call : filtering.calls) {
      const RowFormat from = std::exchange(format, output_of(call, format));
      if (!changes_geometry(*call.filter)) continue;
      resized.push_back({{"filter", call.filter->name}, {"from", size_of(from)}, {"to", size_of(format)}});
      if (format.width != from.width || format.height != from.height)
        talk.say(fmt::format("{}: {} x {} becomes {} x {}", call.filter->name, from.width, from.height,
                             format.width, format.height));
      else
        talk.say(fmt::format("{}: stays {} x {}{}", call.filter->name, from.width, from.height,
                             call.filter->first_row ? "" : " (larger only with enlarge=1)"));
    }
    talk.account.add_fact("resized", std::move(resized));
  }
};

/// Returns the names of the filters, some in each line.
std::string list_of_filters() {
  constexpr std::size_t kMostInLine = 90;
  std::string list = "Filters; `scanlens filters` says what each does, and lists their parameters:\n",
              line = " ";
  for (const Filter* filter : all_filters()) {
    if (line.size() + filter->name.size() > kMostInLine) list += std::exchange(line, " ") + "\n";
    line += fmt::format(" {}{}", filter->name, filter == all_filters().back() ? "" : ",");
  }
  return list + line + "\n";
}

}  // namespace

void add_filter_command(Program& program) {
  auto self = std::make_shared<FilterCommand>();
  Command& command =
      program.add_command("filter", "filter a picture of any size, or a clip; convert it to another format");
  self->filtering.photo.add_options(command);
  for (const char* of_whole_photos : {"--autofocus", "--strokes-out"}) command.remove(of_whole_photos);
  command.add("-o,--output FILE", &self->output, output_help()).required();
  command
      .add("--filter FILTER", &self->filters,
           "name:key=value:key=value, see below; repeated: filters the result of the one before;\nwithout it "
           "the picture is only converted")
      .completes(complete_filter)
      .takes(Values::each);
  command
      .add("--band ROWS", &self->filtering.band,
           "rows worked on at a time; by default 128, or fewer where those took more than 512 MB")
      .check(whole_within(1, INT32_MAX));
  add_options(command, self->filtering.write);
  add_json_option(command, self->settings);
  add_options(command, self->settings);
  self->encoding.add_options(command);
  command.often = {"IMAGE", "--output", "--filter", "--format", "--quality", "--strip", "--json", "--device"};
  command.brief = list_of_filters();
  command.footer =
      describe(all_filters()) +
      "\nPNG and PNM pictures may be larger than memory: they are read and written row by row, and only\n"
      "--max-pixels, if given, limits them.\n"
      "\nExamples:\n"
      "  scanlens filter photo.jpg -o web.jpg --filter resize:long=2048\n"
      "  scanlens filter photo.tif -o photo.jpg\n"
      "  scanlens filter photo.jpg -o soft.png --filter box:radius=8\n"
      "  scanlens filter scan.tif -o sharp.tif --filter box:radius=1 --filter unsharp:amount=2:radius=5\n"
      "  scanlens filter photo.jpg -o dusk.jpg --filter 'tones:exposure=-1:where=depth>3m:feather=0.5m'\n"
      "  scanlens filter huge.pgm -o soft.pgm --filter box:radius=40 --band 64";
  command.run = [self, &command] {
    refuse_folder_of_pictures(command);
    self->filtering.limits_pixels = command.given("--max-pixels");
    return self->run(command), 0;
  };
}

}  // namespace scanlens
