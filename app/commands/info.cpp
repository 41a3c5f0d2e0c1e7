// scanlens info: what this machine offers and what this build can do.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/about/version.h"
#include "app/commands/commands.h"
#include "app/depth/network/runtime.h"
#include "app/gl/context.h"
#include "app/gl/interop.h"
#include "app/gl/shader_sources.h"
#include "app/io/format.h"
#include "app/io/json.h"
#include "app/io/text.h"
#include "app/options/options.h"
#include "app/photo/lens_looks.h"
#include "app/session/session.h"
#include "core/context.h"
#include "core/devices.h"

namespace scanlens {
namespace {

Json opengl_facts(const Context& context) {
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

/// Says where shaders come from: a folder if one is named, else the program itself. The cause says why they
/// cannot.
Json shader_facts() {
  const char* const folder = std::getenv("SCANLENS_SHADERS");
  std::string cause;
  try {
    const ShaderSources are_there;
  } catch (const Error& error) {
    cause = error.what();
  }
  return {{"folder", folder ? Json(folder) : Json(nullptr)}, {"cause", cause}};
}

/// Says which ONNX Runtime is found, which runs networks.
Json onnxruntime_facts(const std::filesystem::path& named) {
  try {
    const OnnxRuntime runtime(named);
    return {{"available", true},
            {"version", runtime.version()},
            {"file", runtime.file().string()},
            {"providers", runtime.providers()}};
  } catch (const Error& error) {
    return {{"available", false}, {"cause", error.what()}};
  }
}

Json names_of_formats(bool (*is_named)(const FormatTraits&)) {
  Json names = Json::array();
  for (const FormatTraits& traits : formats())
    if (is_named(traits)) names.push_back(std::string(traits.name));
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
  bool json = false, formats = false;
  std::filesystem::path onnxruntime;

  void run() const {
    if (formats) return fmt::print("{}", table_of_formats());
    const Context context = Context::open("auto");
    Json devices = Json::array();
    for (const DeviceInfo& device : scanlens::devices())
      devices.push_back({{"id", device.id}, {"name", device.name}, {"detail", device.detail}});
#ifdef SCANLENS_WITH_CUDA
    const Json cuda_build = SCANLENS_CUDA_VERSION, cuda_code = SCANLENS_CODE;
#else
    const Json cuda_build, cuda_code;
#endif
    Json facts = version_facts("info");
    facts["device"] = context.device().id;
    facts["devices"] = devices;
    facts["cuda"] = {{"built", cuda_build}, {"code", cuda_code}, {"cause", cuda_cause()}};
    facts["opengl"] = opengl_facts(context);
    facts["shaders"] = shader_facts();
    facts["onnxruntime"] = onnxruntime_facts(onnxruntime);
    facts["features"] = {
        {"read", names_of_formats([](const FormatTraits& traits) { return traits.reads; })},
        {"write", names_of_formats([](const FormatTraits& traits) { return traits.writes; })},
        {"missing", names_of_formats([](const FormatTraits& traits) { return !traits.missing.empty(); })},
        {"depth", {"PNG", "PFM", "EXR", "NPY", "NPZ", "Apple portrait", "Dynamic Depth", "GDepth", "HEIC"}},
        {"renderers", {"compute", "gl"}},
        {"lens_looks", std::vector(kLensLookNames.begin(), kLensLookNames.end())}};
    if (json)
      fmt::print("{}\n", facts.dump(2));
    else
      print(facts, context);
  }

  static void print(const Json& facts, const Context& context) {
    fmt::print("scanlens {}\n", facts["version"].text());
    fmt::print("device:   {}\n", describe(context.device()));
    for (const Json& device : facts["devices"].elements())
      fmt::print("          {:<8} {}, {}\n", device["id"].text(), device["name"].text(),
                 device["detail"].text());
    const Json& cuda = facts["cuda"];
    fmt::print("CUDA:     {}{}\n",
               cuda["built"].is_null()
                   ? "not in this build"
                   : "built with " + cuda["built"].text() + ", code for " + cuda["code"].text(),
               cuda["cause"].text().empty() ? "" : "; " + cuda["cause"].text());
    const Json& gl = facts["opengl"];
    if (gl["available"].truth() == true) {
      fmt::print("OpenGL:   {}, {}{}\n", gl["version"].text(), gl["renderer"].text(),
                 gl["software"].truth() == true ? " (software)" : "");
      fmt::print("          textures to {} per side, storage buffers to {}\n",
                 gl["max_texture_size"].whole().value_or(0),
                 bytes_text(static_cast<std::size_t>(gl["max_ssbo_bytes"].whole().value_or(0))));
      fmt::print("          table {}: {}\n", gl["table"].text(), gl["table_cause"].text());
    } else {
      fmt::print("OpenGL:   none: {}\n", gl["cause"].text());
    }
    const Json& shaders = facts["shaders"];
    if (!shaders["folder"].is_null())
      fmt::print("          shaders {}\n",
                 printable(shaders["cause"].text().empty() ? "from " + shaders["folder"].text()
                                                           : "none: " + shaders["cause"].text()));
    const Json& networks = facts["onnxruntime"];
    std::string providers;
    for (const Json& name : networks["providers"].elements())
      providers += (providers.empty() ? "" : ", ") + name.text();
    fmt::print("networks: {}\n",
               printable(networks["available"].truth() == true
                             ? fmt::format("ONNX Runtime {} ({}), {}", networks["version"].text(), providers,
                                           networks["file"].text())
                             : "none: " + networks["cause"].text()));
    const Json& libraries = facts["libraries"];
    fmt::print("with      OpenCV {}, oneTBB {}, fmt {}\n", libraries["opencv"].text(),
               libraries["onetbb"].text(), libraries["fmt"].text());
    const auto list = [&](const char* key) {
      std::string names;
      for (const Json& name : facts["features"][key].elements())
        names += (names.empty() ? "" : ", ") + name.text();
      return names;
    };
    fmt::print("reads     {}; depth from {}\nwrites    {}\n", list("read"), list("depth"), list("write"));
    fmt::print("looks     {}\n", list("lens_looks"));
    if (!list("missing").empty())
      fmt::print("lacks     {}: the library was missing when this was built\n", list("missing"));
  }
};

}  // namespace

void add_info_command(Program& program) {
  auto self = std::make_shared<InfoCommand>();
  Command& command = program.add_command("info", "list devices, OpenGL, library versions and features");
  Option& json = command.add("--json", &self->json, "print the list as JSON");
  command.add("--onnxruntime FILE", &self->onnxruntime, "look for ONNX Runtime, which runs networks, there");
  command
      .add("--formats", &self->formats, "print the table of formats that are read and written, in Markdown")
      .excludes(json);
  command.footer = "Example:\n  scanlens info --json";
  command.run = [self] { return self->run(), 0; };
}

}  // namespace scanlens
