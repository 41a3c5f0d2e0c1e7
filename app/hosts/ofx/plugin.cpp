// The entry points of the OpenFX plug-in, and its description.
#include <exception>
#include <new>
#include <string_view>

#include "app/hosts/blur_picture.h"
#include "app/hosts/ofx/params.h"
#include "app/hosts/ofx/render.h"
#include "app/hosts/ofx/suites.h"
#include "core/version.h"

namespace scanlens::hosts::ofx {
namespace {

constexpr const char *kGeneral = "OfxImageEffectContextGeneral", *kFilter = "OfxImageEffectContextFilter";

Host* g_host = nullptr;

Status describe(Effect* effect) {
  Properties* of = nullptr;
  suites().effects->get_properties(effect, &of);
  put(of, "OfxPropLabel", {"Depth of Field (scanlens)"});
  put(of, "OfxPropPluginDescription",
      {"Blurs a picture by its depth, in linear light, as a lens does. The input Depth is a map: white is "
       "near, "
       "or metres. Without it, as on a filter, the depth lies in a channel of the source."});
  put(of, "OfxImageEffectPluginPropGrouping", {"scanlens"});
  put(of, "OfxImageEffectPropSupportedContexts", {kGeneral, kFilter});
  put(of, "OfxImageEffectPropSupportedPixelDepths",
      {"OfxBitDepthFloat", "OfxBitDepthHalf", "OfxBitDepthShort", "OfxBitDepthByte"});
  put(of, "OfxImageEffectPluginRenderThreadSafety", {"OfxImageEffectRenderFullySafe"});
  put(of, "OfxImageEffectPluginPropSingleInstance", {0});
  put(of, "OfxImageEffectPluginPropHostFrameThreading", {0});  // a frame takes all cores itself
  put(of, "OfxImageEffectPluginPropFieldRenderTwiceAlways", {0});
  put(of, "OfxImageEffectPropSupportsMultiResolution", {1});
  put(of, "OfxImageEffectPropSupportsTiles", {0});
  put(of, "OfxImageEffectPropTemporalClipAccess", {0});
  put(of, "OfxImageEffectPropMultipleClipDepths", {0});
  return kOk;
}

Properties* define_clip(Effect* effect, const char* name) {
  Properties* of = nullptr;
  suites().effects->define_clip(effect, name, &of);
  put(of, "OfxImageEffectPropSupportedComponents", {"OfxImageComponentRGBA", "OfxImageComponentRGB"});
  put(of, "OfxImageEffectPropSupportsTiles", {0});
  return of;
}

Status describe_in_context(Effect* effect, Properties* in) {
  const bool is_general = get(in, "OfxImageEffectPropContext", kGeneral) == kGeneral;
  define_clip(effect, kSource);
  if (is_general) {
    Properties* const depth = define_clip(effect, kDepth);
    put(depth, "OfxImageEffectPropSupportedComponents",
        {"OfxImageComponentRGBA", "OfxImageComponentRGB", "OfxImageComponentAlpha"});
    put(depth, "OfxImageClipPropOptional", {1});
  }
  define_clip(effect, kOutput);
  ParamSet* params = nullptr;
  suites().effects->get_params(effect, &params);
  define_params(params, is_general ? Channel::red : Channel::alpha);
  return kOk;
}

Status act(std::string_view action, Effect* effect, Properties* in, Properties* out) {
  if (action == "OfxActionLoad") return g_host && fetch_suites(*g_host) ? kOk : kErrMissingFeature;
  if (action == "OfxActionDescribe") return describe(effect);
  if (action == "OfxImageEffectActionDescribeInContext") return describe_in_context(effect, in);
  if (action == "OfxActionCreateInstance") return kOk;
  if (action == "OfxImageEffectActionGetRegionOfDefinition") return region_of_definition(effect, in, out);
  if (action == "OfxImageEffectActionGetRegionsOfInterest") return regions_of_interest(effect, in, out);
  if (action == "OfxImageEffectActionIsIdentity") return is_source(effect, in, out) ? kOk : kReplyDefault;
  if (action == "OfxImageEffectActionRender") {
    render(effect, in);
    return kOk;
  }
  if (action == "OfxActionDestroyInstance" || action == "OfxActionPurgeCaches" ||
      action == "OfxActionUnload") {
    free_kept_memory();
    return kOk;
  }
  return kReplyDefault;
}

/// No exception may reach the host.
Status main_entry(const char* action, const void* handle, Properties* in, Properties* out) {
  auto* const effect = const_cast<Effect*>(static_cast<const Effect*>(handle));
  try {
    return act(action, effect, in, out);
  } catch (const std::bad_alloc&) {
    return kErrMemory;
  } catch (const std::exception& error) {
    show_message(effect, error.what());
    return kFailed;
  }
}

void set_host(Host* host) {
  g_host = host;
}

}  // namespace
}  // namespace scanlens::hosts::ofx

// The names that a host looks up in a plug-in.
extern "C" {

int OfxGetNumberOfPlugins() {
  return 1;
}

scanlens::hosts::ofx::Plugin* OfxGetPlugin(int index) {
  using namespace scanlens::hosts::ofx;
  static Plugin plugin = {"OfxImageEffectPluginAPI",
                          1,
                          "scanlens.DepthOfField",
                          SCANLENS_VERSION_MAJOR,
                          SCANLENS_VERSION_MINOR,
                          set_host,
                          main_entry};
  return index == 0 ? &plugin : nullptr;
}

scanlens::hosts::ofx::Status OfxSetHost(scanlens::hosts::ofx::Host* host) {
  scanlens::hosts::ofx::g_host = host;
  return scanlens::hosts::ofx::kOk;
}
}
