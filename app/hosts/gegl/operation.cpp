// scanlens:depth-of-field, an operation of GEGL: a picture at input, its depth at aux. Its properties are the
// parameters of depth of field that relative depth has.
#include <gegl-plugin.h>
#include <gegl.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "app/hosts/controls.h"
#include "app/hosts/gegl/pixels.h"

namespace scanlens::hosts::gegl {
namespace {

constexpr const char* kName = "scanlens:depth-of-field";

struct Operation {
  GeglOperationComposer parent;
  Settings* settings;
};

struct OperationClass {
  GeglOperationComposerClass parent;
};

Settings& settings_of(void* object) {
  return *static_cast<Operation*>(object)->settings;
}

const std::vector<Control>& controls() {
  static const std::vector<Control> all = controls_of(false, Unit::pixels);
  return all;
}

/// Returns the value of a property, whose number is its place among the controls from 1.
double& value_of(GObject* object, guint id) {
  return settings_of(object).values.*controls()[id - 1].param->value_at;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec*) {
  double& held = value_of(object, id);
  if (G_VALUE_HOLDS_ENUM(value))
    held = g_value_get_enum(value);
  else if (G_VALUE_HOLDS_INT(value))
    held = g_value_get_int(value);
  else
    held = g_value_get_double(value);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec*) {
  const double held = value_of(object, id);
  if (G_VALUE_HOLDS_ENUM(value))
    g_value_set_enum(value, static_cast<gint>(held));
  else if (G_VALUE_HOLDS_INT(value))
    g_value_set_int(value, static_cast<gint>(held));
  else
    g_value_set_double(value, held);
}

/// Returns the type of a choice, which GObject keeps for good.
GType choices_of(const DofParam& param) {
  const std::string name = "scanlensDepthOfField-" + std::string(param.name);
  if (const GType known = g_type_from_name(name.c_str())) return known;
  auto* values = new std::vector<GEnumValue>;
  for (const std::string_view choice : param.names) {
    const char* word = g_intern_string(std::string(choice).c_str());
    values->push_back({static_cast<gint>(values->size()), word, word});
  }
  values->push_back({0, nullptr, nullptr});
  return g_enum_register_static(g_intern_string(name.c_str()), values->data());
}

GParamSpec* property_of(const Control& control) {
  const char *name = control.name.c_str(), *help = control.help.c_str();
  const auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_CONSTRUCT);
  const auto whole = [](double number) { return static_cast<gint>(number); };
  if (control.is_choice())
    return gegl_param_spec_enum(name, name, help, choices_of(*control.param), whole(control.value), flags);
  if (control.param->whole)
    return gegl_param_spec_int(name, name, help, whole(control.least), whole(control.most),
                               whole(control.value), whole(control.least), whole(control.most), 1.0, flags);
  const bool is_pixels = control.param->is_blur();
  return gegl_param_spec_double(name, name, help, control.least, control.most, control.value,
                                control.shown_least, control.shown_most, is_pixels ? 2 : 1, flags);
}

GeglRectangle box_of(GeglOperation* operation, const char* pad) {
  const GeglRectangle* box = gegl_operation_source_get_bounding_box(operation, pad);
  return box ? *box : GeglRectangle{0, 0, 0, 0};
}

GeglRectangle whole_of(GeglOperation* operation) {
  return box_of(operation, "input");
}

/// Warns of a map that does not reach over the picture, whose edge is then repeated.
void warn_of_small_map(GeglOperation* operation) {
  const GeglRectangle picture = whole_of(operation), map = box_of(operation, "aux");
  if (!gegl_rectangle_contains(&map, &picture))
    g_warning("%s: the depth is %d x %d at %d,%d and the picture %d x %d at %d,%d; scale the depth", kName,
              map.width, map.height, map.x, map.y, picture.width, picture.height, picture.x, picture.y);
}

void prepare(GeglOperation* operation) {
  const Babl* format = format_for(gegl_operation_get_source_format(operation, "input"));
  gegl_operation_set_format(operation, "input", format);
  gegl_operation_set_format(operation, "output", format);
}

/// Any pixel may depend on any other.
GeglRectangle required_for_output(GeglOperation* operation, const gchar*, const GeglRectangle* roi) {
  const GeglRectangle whole = whole_of(operation);
  return gegl_rectangle_is_infinite_plane(&whole) ? *roi : whole;
}

GeglRectangle cached_region(GeglOperation* operation, const GeglRectangle* roi) {
  return required_for_output(operation, "input", roi);
}

gboolean process(GeglOperation* operation, GeglBuffer* input, GeglBuffer* aux, GeglBuffer* output,
                 const GeglRectangle* result, gint) {
  if (!input || !aux) {
    if (input) gegl_buffer_copy(input, result, GEGL_ABYSS_NONE, output, result);
    return TRUE;
  }
  try {
    warn_of_small_map(operation);
    const std::int64_t clipped = apply_dof(settings_of(operation), input, aux, output, *result);
    if (clipped > 0) g_warning("%s: the brightest samples (%d) count as less bright", kName, int(clipped));
    return TRUE;
  } catch (const std::exception& error) {
    g_warning("%s: %s", kName, error.what());
    return FALSE;
  }
}

GObjectClass* g_parent_class = nullptr;

void finalize(GObject* object) {
  delete &settings_of(object);
  g_parent_class->finalize(object);
}

void init(GTypeInstance* instance, gpointer) {
  auto* settings = new Settings{.blur = Unit::pixels};
  for (const Control& control : controls()) settings->values.*control.param->value_at = control.value;
  reinterpret_cast<Operation*>(instance)->settings = settings;
}

void class_init(gpointer type_class, gpointer) {
  auto* object = static_cast<GObjectClass*>(type_class);
  g_parent_class = static_cast<GObjectClass*>(g_type_class_peek_parent(type_class));
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  for (guint id = 1; const Control& control : controls())
    g_object_class_install_property(object, id++, property_of(control));

  auto* operation = static_cast<GeglOperationClass*>(type_class);
  operation->threaded = FALSE;  // the library takes all cores itself
  operation->prepare = prepare;
  operation->get_bounding_box = whole_of;
  operation->get_required_for_output = required_for_output;
  operation->get_cached_region = cached_region;
  auto* composer = static_cast<GeglOperationComposerClass*>(type_class);
  composer->process = process;
  composer->aux_label = "Depth";
  composer->aux_description = "The nearest is white, the farthest black";
  gegl_operation_class_set_keys(operation, "name", kName, "title", "Depth of Field", "categories", "blur",
                                "description",
                                "Blurs a picture by its depth, in linear light, as a lens does", nullptr);
}

}  // namespace
}  // namespace scanlens::hosts::gegl

// The names that GEGL looks up in a module.
extern "C" {

G_MODULE_EXPORT const GeglModuleInfo* gegl_module_query(GTypeModule*) {
  static const GeglModuleInfo info = {GEGL_MODULE_ABI_VERSION};
  return &info;
}

G_MODULE_EXPORT gboolean gegl_module_register(GTypeModule* module) {
  using namespace scanlens::hosts::gegl;
  static const GTypeInfo info = {sizeof(OperationClass), nullptr, nullptr, class_init, nullptr, nullptr,
                                 sizeof(Operation),      0,       init,    nullptr};
  gegl_module_register_type(module, GEGL_TYPE_OPERATION_COMPOSER, "scanlensDepthOfField", &info,
                            GTypeFlags(0));
  return TRUE;
}
}
