// scanlens filter: filters on a picture of any size, from file to file, in bands of rows.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "app/commands/commands.h"
#include "app/io/stream.h"
#include "app/session/filter_maps.h"
#include "app/session/progress.h"
#include "app/session/session.h"
#include "app/session/values.h"
#include "filters/bands.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

/// Measured on 100,000 pixels a row: higher bands gain a CPU of 16 cores a tenth and cost a GPU a third.
constexpr std::int64_t kMostRows = 128;
/// What bands are made to fit, unless boxes reach farther.
constexpr std::int64_t kUsualMemory = std::int64_t{512} << 20;

struct FilterCommand {
  Session session;
  std::filesystem::path input, output;
  std::vector<std::string> filters;
  std::int64_t band = 0;  ///< 0: by itself
  bool limits_pixels = false;
  WriteOptions write;

  void run() const {
    std::vector<FilterCall> calls = parse_filters(filters);
    require_map_files(calls);
    check_output(output, input, write);
    session.account.facts = {{"command", "filter"},
                             {"input", input.string()},
                             {"filters", filters},
                             {"output", output.string()}};
    session.keep_stdout_for(output);
    Context context = session.open();
    Limits streamed = session.limits();
    streamed.max_bytes = SIZE_MAX;  // only bands of it are ever in memory
    if (!limits_pixels) streamed.max_pixels = INT64_MAX;
    const std::unique_ptr<RowReader> reader =
        session.timed("decode", [&] { return open_rows(input, streamed, session.limits()); });
    session.report(input.string(), reader->remarks());
    const RowFormat& format = reader->format();
    const std::int64_t rows = std::min(band > 0 ? band : usual_band(context, calls, format), format.height);
    const std::int64_t row_bytes = static_cast<std::int64_t>(format.row_bytes());
    const std::int64_t maps = map_bytes(calls, format.width, format.height);
    session.require_memory(context, input.string(), host_bytes(context, format, rows) + maps,
                           band_stream_bytes(calls, format, rows) + maps);
    session.say(fmt::format("{}: {} x {}, {} {} of {} bit; bands of {} rows", input.string(), format.width,
                            format.height, format.channels, format.channels == 1 ? "channel" : "channels",
                            8 * format.sample_bytes, rows));
    std::vector<Image<float>> map_images;
    if (maps > 0)
      map_images = session.timed(
          "maps", [&] { return load_maps(calls, context, format.width, format.height, session); });

    const auto start = std::chrono::steady_clock::now();
    BandStream filtered(context, calls, format, rows);
    const std::unique_ptr<RowWriter> writer =
        create_rows(output, format, write, reader->metadata(), session.remarks_on(output));
    const Memory memory(Backend::cpu, static_cast<std::size_t>(rows * row_bytes));
    std::optional<Progress> progress(std::in_place, session, "filter");
    const auto read = [&](std::span<std::byte> next) {
      session.timed("decode", [&] { reader->read(next); });
    };
    const auto put = [&](std::span<const std::byte> next) {
      session.timed("encode", [&] { writer->write(next); });
    };
    for (std::int64_t y = 0; y < format.height; y += rows) {
      const std::span next(memory.data(),
                           static_cast<std::size_t>(std::min(rows, format.height - y) * row_bytes));
      read(next);
      put(session.timed("filter", [&] { return filtered.push(next); }));
      progress->show(static_cast<double>(y + rows) / static_cast<double>(format.height));
    }
    reader->finish();
    const auto finish = [&] { return filtered.finish(); };
    for (std::span<const std::byte> last; !(last = session.timed("filter", finish)).empty();) put(last);
    session.timed("encode", [&] { writer->commit(); });
    progress.reset();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    session.say(fmt::format("{}: written; {:.2f} s from file to file", output_name(output), elapsed.count()));
    session.print_account();
  }

  /// Host memory beside the filter's, with bands of `rows` rows.
  std::int64_t host_bytes(const Context& context, const RowFormat& format, std::int64_t rows) const {
    // A band as it is read and one as it is written; on CUDA also two each way that the copy engines reach.
    const std::int64_t bands = context.on_cuda() ? 6 : 2;
    return bands * rows * static_cast<std::int64_t>(format.row_bytes()) +
           row_writer_bytes(output, format, write);
  }

  /// The highest band, a power of two, that leaves filter and band within the usual memory and the whole
  /// within the limit; at least one row.
  std::int64_t usual_band(const Context& context, std::span<const FilterCall> calls,
                          const RowFormat& format) const {
    const std::size_t limit = session.limits().max_bytes;
    const auto is_too_high = [&](std::int64_t rows) {
      const std::int64_t memory = band_stream_bytes(calls, format, rows);
      return memory + rows * static_cast<std::int64_t>(format.row_bytes()) > kUsualMemory ||
             static_cast<std::size_t>(memory + host_bytes(context, format, rows)) > limit;
    };
    std::int64_t rows = kMostRows;
    while (rows > 1 && is_too_high(rows)) rows /= 2;
    return rows;
  }
};

}  // namespace

void add_filter_command(CLI::App& program) {
  auto self = std::make_shared<FilterCommand>();
  CLI::App& command =
      *program.add_subcommand("filter", "filters on a picture of any size, in bounded memory");
  command.add_option("IMAGE", self->input, "- for standard input; " + readable_formats())
      ->required()
      ->type_name("");
  command.add_option("-o,--output", self->output, output_help())
      ->required()
      ->type_name("FILE");
  command
      .add_option("--filter", self->filters,
                  "name:key=value:key=value, see below; given again: filters what the one before made")
      ->required()
      ->allow_extra_args(false)
      ->type_name("FILTER");
  command
      .add_option("--band", self->band,
                  "rows worked on at a time; by default 128, or fewer where those took more than 512 MB")
      ->check(whole_within(1, INT32_MAX))
      ->type_name("ROWS");
  add_options(command, self->write);
  self->session.add_json_option(command);
  self->session.add_options(command);
  command.footer(
      describe_filters() +
      "\nPNG and PNM pictures may be larger than memory: they are read and written row by row, and only\n"
      "--max-pixels, if given, limits them.\n"
      "\nExamples:\n"
      "  scanlens filter photo.jpg -o soft.png --filter box:radius=8\n"
      "  scanlens filter scan.tif -o sharp.tif --filter box:radius=1 --filter unsharp:amount=2:radius=5\n"
      "  scanlens filter huge.pgm -o soft.pgm --filter box:radius=40 --band 64");
  command.callback([self, &command] {
    self->limits_pixels = command.count("--max-pixels") > 0;
    self->run();
  });
}

}  // namespace scanlens
