// `scanlens compare` holds our summed-area tables against OpenCV's integral.
#include <fmt/format.h>

#include <memory>
#include <opencv2/core/version.hpp>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/compare_tables.h"
#include "app/depth/depth.h"
#include "app/io/format.h"
#include "app/io/json.h"
#include "app/io/picture.h"
#include "app/io/text.h"
#include "app/options/options.h"
#include "app/session/session.h"
#include "core/devices.h"

namespace scanlens {
namespace {

struct CompareCommand {
  Settings settings;
  Talk talk{settings};
  std::filesystem::path input, heatmap_file;
  WriteOptions write;

  /// Returns true if all tables were equal to OpenCV's.
  bool run() {
    if (!heatmap_file.empty()) {
      require_name("--heatmap", heatmap_file);
      check_output(heatmap_file, input, write);
    }
    const Picture picture = talk.timed("decode", [&] { return read_picture(input, settings.limits()); });
    talk.report(input.string(), picture.remarks);
    if (picture.width() + 1 > INT32_MAX || picture.height() + 1 > INT32_MAX)
      throw Error(input.string() + ": OpenCV takes pictures of at most 2147483646 pixels per side");

    std::vector<Context> contexts = open_devices();
    for (const Context& context : contexts)
      settings.require_memory(context, input.string(), compare_host_bytes(picture),
                              compare_device_bytes(picture));
    const Comparison comparison = about(input, [&] { return compare_tables(picture, contexts); });
    if (!heatmap_file.empty()) {
      write_picture(heatmap_file, heatmap(comparison), write);
      talk.say(heatmap_file.string() + ": written");
    }
    if (settings.json)
      print_json(picture, comparison);
    else
      print_table(picture, comparison);

    bool all_equal = true;
    for (const TableResult& result : comparison.implementations) all_equal = all_equal && result.equal;
    return all_equal;
  }

  /// Opens the device asked for, or all that work here.
  std::vector<Context> open_devices() const {
    std::vector<Context> contexts;
    if (settings.device != "auto")
      contexts.push_back(Context::open(settings.device));
    else
      for (const DeviceInfo& device : devices()) contexts.push_back(Context::open(device.id));
    return contexts;
  }

  void print_table(const Picture& picture, const Comparison& comparison) const {
    fmt::print("{}: {}\n", printable(input.string()), picture.description());
    fmt::print("{:<16} {:<8} {:<6} {:>18} {:>20} {:>12} {:>9}\n", "table", "device", "equal",
               "largest difference", "first at x, y, c", "median", "speed-up");
    fmt::print("{:<16} {:<8} {:<6} {:>18} {:>20} {:>9.3f} ms {:>8.2f}x\n", "cv::integral", "cpu", "", "", "",
               comparison.opencv_ms, 1.0);
    for (const TableResult& result : comparison.implementations) {
      const std::string first = result.first_diff
                                    ? fmt::format("{}, {}, {}", (*result.first_diff)[0],
                                                  (*result.first_diff)[1], (*result.first_diff)[2])
                                    : "-";
      fmt::print("{:<16} {:<8} {:<6} {:>18} {:>20} {:>9.3f} ms {:>8.2f}x\n", result.name, result.device,
                 result.equal ? "yes" : "NO", result.max_abs_diff, first, result.ms, result.speedup);
    }
  }

  void print_json(const Picture& picture, const Comparison& comparison) {
    Json implementations = Json::array();
    for (const TableResult& result : comparison.implementations) {
      const auto& first = result.first_diff;
      implementations.push_back({{"name", result.name},
                                 {"device", result.device},
                                 {"equal", result.equal},
                                 {"max_abs_diff", result.max_abs_diff},
                                 {"first_diff", first ? Json{(*first)[0], (*first)[1], (*first)[2]} : Json()},
                                 {"ms", result.ms},
                                 {"speedup", result.speedup}});
    }
    Account& account = talk.account;
    account.set_facts({{"command", "compare"}, {"input", input.string()}});
    if (!heatmap_file.empty()) account.add_fact("heatmap", heatmap_file.string());
    add_picture(account, rows_of(picture).format);
    account.add_fact("opencv_ms", comparison.opencv_ms);
    account.add_fact("implementations", std::move(implementations));
    talk.print_account();
  }
};

}  // namespace

void add_compare_command(Program& program) {
  auto self = std::make_shared<CompareCommand>();
  Command& command =
      program.add_command("compare", "compare the summed-area tables of this build with OpenCV's integral");
  command.add("IMAGE", &self->input, "8- or 16-bit picture").required();
  command.add("--json", &self->settings.json, "print the results as JSON");
  command.add("--heatmap FILE", &self->heatmap_file,
              "write the differences as a picture: " + writable_extensions());
  add_options(command, self->write.overwrite);
  add_options(command, self->settings);
  command.often = {"IMAGE", "--device", "--heatmap", "--json"};
  command.brief =
      "Times are medians of repeated runs in this process, device time on CUDA. The exit code is 1 when a "
      "table differs.\n";
  command.footer = command.brief +
                   "\nExamples:\n"
                   "  scanlens compare photo.jpg\n"
                   "  scanlens compare photo.png --device cpu --json --heatmap difference.png";
  command.run = [self] { return self->run() ? 0 : 1; };
}

}  // namespace scanlens
