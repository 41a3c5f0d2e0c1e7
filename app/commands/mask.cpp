// `scanlens mask` writes which pixels of a picture an expression selects: the weights of a filter's `where`.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/commands/advice.h"
#include "app/commands/commands.h"
#include "app/commands/mask_option.h"
#include "app/filtering/filter_maps.h"
#include "app/io/format.h"
#include "app/options/options.h"
#include "app/photo/photo_options.h"
#include "app/stats/doubts.h"
#include "app/stats/picture_statistics.h"
#include "app/stats/stats_options.h"

namespace scanlens {
namespace {

/// Returns weights as shares of white, in codes of 16 bits or, where a format holds floats, as these.
Picture picture_of(Image<std::uint16_t> weights, const std::filesystem::path& output) {
  const Format format = format_by_name(output);
  if (format == Format::unknown || !(traits_of(format).samples & kHoldsFloat) ||
      (traits_of(format).samples & kHolds16))
    return {std::move(weights)};
  Image<float> shares(weights.width(), weights.height());
  const View<std::uint16_t> from = weights.view();
  for (std::int64_t i = 0; i < from.extent(); ++i)
    shares.view().data[i] = static_cast<float>(from.data[i]) / 65535.f;
  return {std::move(shares)};
}

struct MaskCommand {
  Settings settings;
  Talk talk{settings};
  PhotoOptions options;
  MaskOption mask;
  std::string expression, feather;
  std::filesystem::path output;
  WriteOptions write;

  void run(const Command& command) {
    const Where where = chosen(expression, feather);
    const Selection& selection = where.selection;
    mask.refuse_idle(command, selection, selection.asks_for_depth());
    check_output(output, options.input, write);
    talk.keep_stdout_for(output);
    talk.account.set_facts({{"command", "mask"},
                            {"input", options.input.string()},
                            {"where", expression},
                            {"feather", feather},
                            {"output", output.string()}});
    Context context = open_device(talk);
    options.network.open(talk);
    const std::string name = input_name(options.input);
    const PictureAndDepth loaded = load_picture_and_depth(
        options, selection.asks_for_depth() ? DepthNeed::required : DepthNeed::none, settings.limits(), talk);
    const Picture& picture = loaded.picture;
    add_picture(talk.account, rows_of(picture).format);
    require_channels(selection, picture, name);
    require_shares(selection, picture, name);
    const Depth* const depth = loaded.depth ? &*loaded.depth : nullptr;
    Blur blur;
    if (depth) check_depth_numbers(selection, where.depth_unit, *depth, name, talk);
    if (selection.asks_for(Quantity::coc))
      blur = account_for(load_blur(options, picture, *depth, context, settings, talk.run_stage()),
                         depth->metric, talk);
    const Image<float> shares = mask.read(selection, picture, talk);
    Image<std::uint16_t> weights = talk.timed("mask", [&] {
      return download(context, weights_of(context, where, rows_of(picture), depth, blur, shares));
    });
    const std::string share = share_of(weights);
    talk.staged("encode", [&] {
      write_picture(output, picture_of(std::move(weights), output), write, talk.remarks_on(output));
    });
    if (!share.empty()) talk.say(fmt::format("{}: written, {}", output_name(output), share));
    talk.print_account();
  }

  /// Returns how much of the picture is selected; warns, and returns "", where nothing is.
  std::string share_of(const Image<std::uint16_t>& weights) {
    std::int64_t all = 0, none = 0;
    double sum = 0;
    const View<const std::uint16_t> view = weights.view();
    for (std::int64_t i = 0; i < view.extent(); ++i) {
      all += view.data[i] == 65535;
      none += view.data[i] == 0;
      sum += view.data[i];
    }
    const auto pixels = static_cast<double>(view.extent());
    const double share = sum / 65535 / pixels;
    talk.account.add_fact("share", share);
    if (none < view.extent())
      return fmt::format("{:.3g} % of the picture; {:.3g} % of its pixels lie in a soft edge", 100 * share,
                         100 * (1 - static_cast<double>(all + none) / pixels));
    talk.warn(fmt::format("{}: --where selects no pixel; the mask is black", output_name(output)));
    return {};
  }
};

constexpr const char* kExamples =
    R"(
Examples:
  scanlens mask photo.jpg -o far.png --where 'depth > 3m' --feather 0.5m
  scanlens mask photo.jpg --depth midas.png -o near.exr --where 'depth > 60%' --feather 24px
  scanlens mask photo.jpg -o bright.png --where 'luma > 0.9 and y < 400'
  scanlens filter photo.jpg -o dusk.jpg --filter 'tones:exposure=-1:where=depth>3m:feather=0.5m')";

}  // namespace

void add_mask_command(Program& program) {
  auto self = std::make_shared<MaskCommand>();
  Command& command =
      program.add_command("mask", "write as a picture which pixels of another an expression selects");
  self->options.add_options(command);
  command.add("-o,--output FILE", &self->output, output_help()).required();
  command.add("--where EXPR", &self->expression, "the pixels to select, such as 'depth > 3m and luma < 0.9'")
      .required();
  command.add("--feather WIDTH", &self->feather,
              "the width of the mask's soft edge: pixels, along the photo's edges (24px), or of depth (0.5m, "
              "5%)");
  self->mask.add_option(command);
  add_options(command, self->write);
  add_json_option(command, self->settings);
  add_options(command, self->settings);
  command.often = {"IMAGE", "--output", "--where", "--feather", "--depth", "--depth-network", "--json"};
  command.brief = kExpressionHelp;
  command.footer = command.brief +
                   std::string(
                       "\nWhite is selected, black is not. The mask is what `where=EXPR:feather=WIDTH` "
                       "of a filter takes. PFM and\nOpenEXR get shares of 1, other formats their "
                       "codes, without a tone curve.\n") +
                   kExamples;
  command.run = [self, &command] {
    refuse_folder_of_pictures(command);
    return self->run(command), 0;
  };
}

}  // namespace scanlens
