// scanlens info: what this machine offers and what this build can do.
#include <fmt/format.h>
#include <tbb/version.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core/version.hpp>

#include "app/commands/commands.h"
#include "app/gl/context.h"
#include "app/gl/interop.h"
#include "app/gl/shader_sources.h"
#include "app/io/format.h"
#include "app/io/text.h"
#include "app/session/session.h"
#include "core/context.h"
#include "core/devices.h"
#include "core/version.h"

namespace scanlens {
namespace {

using nlohmann::ordered_json;

ordered_json opengl_facts(const Context& context) {
  try {
    const GlContext gl = GlContext::open(context.cuda_ordinal());
    std::string cause;
    const bool shared = can_share_buffers(context, gl, &cause);
    return {{"available", true},
            {"version", gl.version()},
            {"vendor", gl.vendor()},
            {"renderer", gl.renderer()},
            {"software", gl.software()},
            {"max_texture_size", gl.max_texture_size()},
            {"max_ssbo_bytes", gl.max_ssbo_bytes()},
            {"table", shared ? "shared" : "uploaded"},
            {"table_cause", shared ? "CUDA writes the OpenGL buffer without a copy" : cause}};
  } catch (const Error& error) {
    return {{"available", false}, {"cause", error.what()}};
  }
}

/// Says where shaders come from: a folder, or the program itself where there is none. The cause says why they
/// cannot.
ordered_json shader_facts() {
  const char* const folder = std::getenv("SCANLENS_SHADERS");
  std::string cause;
  try {
    const ShaderSources are_there;
  } catch (const Error& error) {
    cause = error.what();
  }
  return {{"folder", folder ? ordered_json(folder) : ordered_json(nullptr)}, {"cause", cause}};
}

ordered_json names_of_formats(bool FormatTraits::*use) {
  ordered_json names = ordered_json::array();
  for (const FormatTraits& traits : formats())
    if (traits.*use) names.push_back(std::string(traits.name));
  return names;
}

std::string cuda_cause() {
  try {
    Context::open("cuda");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

struct InfoCommand {
  bool json = false;

  void run() const {
    const Context context = Context::open("auto");
    ordered_json devices = ordered_json::array();
    for (const DeviceInfo& device : scanlens::devices())
      devices.push_back({{"id", device.id}, {"name", device.name}, {"detail", device.detail}});
#ifdef SCANLENS_WITH_CUDA
    const std::string cuda_build = SCANLENS_CUDA_VERSION;
#else
    const std::string cuda_build;
#endif
    const ordered_json facts = {
        {"version", SCANLENS_VERSION},
        {"device", context.device().id},
        {"devices", devices},
        {"cuda",
         {{"built", cuda_build.empty() ? ordered_json(nullptr) : ordered_json(cuda_build)},
          {"cause", cuda_cause()}}},
        {"opengl", opengl_facts(context)},
        {"shaders", shader_facts()},
        {"versions",
         {{"opencv", CV_VERSION},
          {"onetbb", fmt::format("{}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)}}},
        {"features",
         {{"read", names_of_formats(&FormatTraits::reads)},
          {"write", names_of_formats(&FormatTraits::writes)},
          {"depth", {"PNG", "PFM", "EXR", "NPY", "NPZ", "GDepth", "HEIC"}},
          {"renderers", {"compute", "gl"}}}}};
    if (json)
      fmt::print("{}\n", facts.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    else
      print(facts, context);
  }

  static void print(const ordered_json& facts, const Context& context) {
    const auto text = [](const ordered_json& value) { return value.get<std::string>(); };
    fmt::print("scanlens {}\n", text(facts["version"]));
    fmt::print("device:   {}\n", describe(context.device()));
    for (const ordered_json& device : facts["devices"])
      fmt::print("          {:<8} {}, {}\n", text(device["id"]), text(device["name"]),
                 text(device["detail"]));
    const ordered_json& cuda = facts["cuda"];
    fmt::print("CUDA:     {}{}\n",
               cuda["built"].is_null() ? "not in this build" : "built with " + text(cuda["built"]),
               text(cuda["cause"]).empty() ? "" : "; " + text(cuda["cause"]));
    const ordered_json& gl = facts["opengl"];
    if (gl["available"].get<bool>()) {
      fmt::print("OpenGL:   {}, {}{}\n", text(gl["version"]), text(gl["renderer"]),
                 gl["software"].get<bool>() ? " (software)" : "");
      fmt::print("          textures to {} per side, storage buffers to {}\n",
                 gl["max_texture_size"].get<int>(), bytes_text(gl["max_ssbo_bytes"].get<std::size_t>()));
      fmt::print("          table {}: {}\n", text(gl["table"]), text(gl["table_cause"]));
    } else {
      fmt::print("OpenGL:   none: {}\n", text(gl["cause"]));
    }
    const ordered_json& shaders = facts["shaders"];
    if (!shaders["folder"].is_null())
      fmt::print("          shaders {}\n",
                 printable(text(shaders["cause"]).empty() ? "from " + text(shaders["folder"])
                                                          : "none: " + text(shaders["cause"])));
    const ordered_json& versions = facts["versions"];
    fmt::print("with      OpenCV {}, oneTBB {}, fmt {}\n", text(versions["opencv"]), text(versions["onetbb"]),
               text(versions["fmt"]));
    const auto list = [&](const char* key) {
      std::string names;
      for (const ordered_json& name : facts["features"][key])
        names += (names.empty() ? "" : ", ") + text(name);
      return names;
    };
    fmt::print("reads     {}; depth from {}\nwrites    {}\n", list("read"), list("depth"), list("write"));
  }
};

}  // namespace

void add_info_command(CLI::App& program) {
  auto self = std::make_shared<InfoCommand>();
  CLI::App& command =
      *program.add_subcommand("info", "devices, OpenGL, library versions, what this build can do");
  command.add_flag("--json", self->json, "as JSON");
  command.footer("Example:\n  scanlens info --json");
  command.callback([self] { self->run(); });
}

}  // namespace scanlens
