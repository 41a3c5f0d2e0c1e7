#include "app/gl/layered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/gl/lens.h"
#include "core/error.h"
#include "core/runtime/checks.h"
#include "filters/dof/layered.h"
#include "filters/lens.h"

namespace scanlens {
namespace {

/// Makes the writes of earlier steps visible to later ones.
void wait_for_writes() {
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_UNIFORM_BARRIER_BIT);
}

/// `uniform FrameLayout frame`
void set_frame(const GlProgram& step, const FrameLayout& frame) {
  const auto set = [&](const std::string& name, auto value) { step.set(("frame." + name).c_str(), value); };
  for (int i = 0; i < 2; ++i) {
    const FrameSide& side = frame.sides[i];
    const std::string name = fmt::format("sides[{}].", i);
    set(name + "zones", side.zones);
    set(name + "lamp_zones", side.lamp_zones);
    set(name + "outlines", side.outlines);
    set(name + "lamp_light", side.lamp_light);
    for (int group = 0; group < kGroupSizes; ++group)
      set(fmt::format("{}stacks[{}]", name, group), side.stacks[group]);
  }
  for (int group = 0; group < kGroupSizes; ++group) {
    set(fmt::format("sizes[{}]", group), frame.sizes[group]);
    set(fmt::format("least[{}]", group), frame.least[group]);
    set(fmt::format("reaches[{}]", group), frame.reaches[group]);
  }
  set("runs", frame.runs);
  set("discs", frame.discs);
  set("per_column", frame.per_column);
  set("per_row", frame.per_row);
}

void set_plain_shapes(const GlProgram& step, const ShapeTable& shapes) {
  int first = 0;
  for (int i = 0; i < kGroupSizes; ++i) {
    const auto count = static_cast<int>(shapes.groups[i].size());
    step.set(fmt::format("shapes_of[{}]", i).c_str(), glm::ivec2(first, count));
    first += count;
  }
}

}  // namespace

GlLayeredDof::GlLayeredDof(const GlContext& gl, const ShaderSources& sources)
    : gl_(gl),
      sources_(sources),
      circles_(sources, {{GL_COMPUTE_SHADER, "layers/circles.comp"}}),
      clear_(sources, {{GL_COMPUTE_SHADER, "layers/clear.comp"}}),
      sum_(sources, {{GL_COMPUTE_SHADER, "layers/sum.comp"}}),
      scan_(sources, {{GL_COMPUTE_SHADER, "layers/scan.comp"}}),
      fill_rows_(sources, {{GL_COMPUTE_SHADER, "layers/plane_rows.comp"}}),
      fill_columns_(sources, {{GL_COMPUTE_SHADER, "layers/plane_columns.comp"}}) {}

GlLayeredDof::Steps GlLayeredDof::steps(const DofJob& job, int kind, bool lamps) {
  const auto made = [&](GlProgram& step, const char* file) -> const GlProgram& {
    if (!step.id())
      step = GlProgram(sources_, {{GL_COMPUTE_SHADER, file}},
                       {{"CHANNELS", std::to_string(job.channels)},
                        {"BITS", std::to_string(job.bits)},
                        {"LAYERS", std::to_string(layers_of(job.style.quality))},
                        {"PUPILS", std::to_string(kind)}});
    return step;
  };
  const int best = job.style.quality == DofQuality::best ? 1 : 0, format = job.bits / 16;
  const int colors = job.channels == 1 ? 0 : job.channels - 2;
  const auto made_for_lamps = [&](GlProgram& step, const char* file) -> const GlProgram& {
    return lamps ? made(step, file) : step;
  };
  return {made(cuts_[best], "layers/cuts.comp"),
          made(mark_[best][kind], "layers/mark.comp"),
          made(fill_terms_[format][colors], "layers/fill.comp"),
          made(groups_[best][kind][format][colors], "layers/groups.comp"),
          made(deposits_[best][kind][format][colors], "layers/deposits.comp"),
          made(show_[best][format][colors], "layers/show.comp"),
          made_for_lamps(lamps_[format][colors], "layers/lamps.comp"),
          made_for_lamps(lamp_list_[format][colors], "layers/lamp_list.comp"),
          made_for_lamps(lamp_discs_[best][kind][format][colors], "layers/lamp_discs.comp")};
}

/// A picture whose depth of field is made, and the steps that make it. Steps may be under way together, as
/// long as no wait_for_writes() parts them.
struct GlLayeredDof::Frame {
  GlLayeredDof& dof;
  Steps steps;
  int width, height, bits, channels;
  const DofStyle& style;
  LayeredLens lens;
  const Shapes& shapes;
  LightRange light;
  int planes_per_layer = planes_of(channels), layers = layers_of(style.quality),
      planes = planes_per_layer * layers;
  float widest = widest_circle(lens), wide = wide_fill(style),
        one = bits == kFloatBits ? light_one(light) : kOneLight;
  LampDiscs discs = shapes.lamps(widest);
  FieldElements elements{width, height, planes};
  NearLevels tiles = near_levels(width, height, widest);
  int fill_across = static_cast<int>(fill_pitch(width)), fill_down = fill_cells(height);

  glm::ivec2 size() const { return {width, height}; }

  void bind(GLuint place, int buffer) const {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, place, dof.buffers_[buffer].id());
  }
  void set_near_tiles(const GlProgram& step) const {
    step.set("tile_side", tiles.fine.side);
    step.set("fine_tiles", glm::ivec2(tiles.fine.across, tiles.fine.down));
    step.set("coarse_tiles", glm::ivec2(tiles.coarse.across, tiles.coarse.down));
  }
  void set_field_tiles(const GlProgram& step) const {
    step.set("field_tiles", glm::ivec2(elements.across, elements.down));
    step.set("planes", planes);
  }
  /// Starts a work group of the current shader for each tile of the fields, `depth` times.
  void dispatch_tiles(int depth) const {
    glDispatchCompute(static_cast<GLuint>(elements.across), static_cast<GLuint>(elements.down),
                      static_cast<GLuint>(depth));
  }

  void find_circles() const {
    const GLint none = INT32_MIN;  // less than what any number is ordered as
    glClearNamedBufferData(dof.buffers_[kDepths].id(), GL_R32I, GL_RED_INTEGER, GL_INT, &none);
    const GlProgram& step = dof.circles_;
    step.use();
    step.set("size", size());
    set_lens(step, lens);
    step.set("field_tiles_across", static_cast<int>(elements.across));
    set_near_tiles(step);
    dispatch(width, height, 32, 32);
  }

  void cut_layers() const {
    steps.cuts.use();
    set_field_tiles(steps.cuts);
    bind(kFields, kCuts);  // every OpenGL has eight places
    dispatch(1, 1, 1, 1);
    bind(kFields, kFields);
  }

  void mark_tiles() const {
    steps.mark.use();
    set_near_tiles(steps.mark);
    set_field_tiles(steps.mark);
    set_shapes(steps.mark);
    steps.mark.set("per_spacing", discs.per_spacing);
    steps.mark.set("disc_stretch", glm::vec2(discs.across, discs.down));
    dispatch_tiles(1);
  }

  void clear_tiles() const {
    const GlProgram& step = dof.clear_;
    step.use();
    step.set("height", height);
    step.set("planes_per_layer", planes_per_layer);
    set_field_tiles(step);
    dispatch_tiles(layers);
  }

  void find_lamps() const {
    if (!discs.words) return;
    glClearNamedBufferSubData(dof.buffers_[kLamps].id(), GL_R32UI, 0, kLampHead * kWord, GL_RED_INTEGER,
                              GL_UNSIGNED_INT, nullptr);
    begin_lamps(steps.lamps);
    steps.lamps.set("lamp_budget", lamp_budget(std::int64_t{width} * height));
    dispatch(lamp_blocks(width), lamp_blocks(height), 32, 8);
  }

  void list_lamps() const {
    if (!discs.words) return;
    begin_lamps(steps.lamp_list);
    steps.lamp_list.set("lamp_budget", lamp_budget(std::int64_t{width} * height));
    dispatch(lamp_blocks(width), lamp_blocks(height), 256, 1);
  }

  void deposit_discs() const {
    if (!discs.words) return;
    constexpr int kLampsAtOnce = 4096;
    begin_deposits(steps.lamp_discs);
    steps.lamp_discs.set("per_spacing", discs.per_spacing);
    const bool own_scale = bits == kFloatBits && lamps_exceed(light);
    steps.lamp_discs.set("lamp_shift", own_scale ? kLampShift : 0);
    if (bits == kFloatBits) {
      steps.lamp_discs.set("most_of_lamps", own_scale ? light.lamps : light.most);
      steps.lamp_discs.set("one_of_lamps", own_scale ? std::ldexp(one, -kLampShift) : one);
    }
    dispatch(kLampsAtOnce, 1, 1, 1);
  }

  void deposit_groups() const {
    if (widest < least_group_radius(2)) return;
    begin_deposits(steps.groups);
    dispatch(width, height, 64, 16);
    wait_for_writes();
  }

  void deposit_pixels() const {
    begin_deposits(steps.deposits);
    dispatch(width, height, 32, 16);
  }

  void sum_tiles() const {
    const GlProgram& step = dof.sum_;
    step.use();
    set_field_tiles(step);
    step.set("height", height);
    step.set("planes_per_layer", planes_per_layer);
    dispatch_tiles(planes);
  }

  void scan_tiles() const {
    constexpr int kThreads = 128;
    const auto groups = [](std::int64_t scans) {
      return static_cast<int>((scans + kThreads - 1) / kThreads);
    };
    const int columns = groups(planes * elements.pitch),
              rows = groups(planes * elements.down * kFieldTileHeight);
    const GlProgram& step = dof.scan_;
    step.use();
    set_field_tiles(step);
    step.set("column_groups", columns);
    step.set("row_groups", rows);
    dispatch(columns + rows + planes, 1, 1, 1);
  }

  void make_fill_terms() const {
    begin_lamps(steps.fill_terms);
    set_fill(steps.fill_terms);
    steps.fill_terms.set("coarse_share", tiles.coarse_share);
    steps.fill_terms.set("per_white", 1 / light.white);
    set_near_tiles(steps.fill_terms);
    dispatch(fill_cells(width), fill_down, 16, 16);
  }

  void sum_fill_rows() const {
    dof.fill_rows_.use();
    dof.fill_rows_.set("pitch", fill_across / 4);
    dispatch(fill_down, planes_per_layer, 1, 1);
  }

  void sum_fill_columns() const {
    dof.fill_columns_.use();
    dof.fill_columns_.set("pitch", fill_across);
    dof.fill_columns_.set("height", fill_down);
    dispatch(fill_across, planes_per_layer, 32, 1);
  }

  void show() const {
    steps.show.use();
    set_fill(steps.show);
    steps.show.set("wide_fill", wide);
    steps.show.set("white", light.white);
    steps.show.set("per_light", 1 / one);
    steps.show.set("pupils", shapes.kind());
    set_field_tiles(steps.show);
    dispatch_tiles(1);
  }

 private:
  void begin_lamps(const GlProgram& step) const {
    step.use();
    step.set("size", size());
    const Highlights highlights = highlights_of(style);
    step.set("highlights.boost", highlights.boost);
    step.set("highlights.from", highlights.from);
    step.set("highlights.per_range", highlights.per_range);
    step.set("most_light", light.most);
    step.set("light_one", one);
    step.set("lamp_blocks",
             discs.words ? glm::ivec2(lamp_blocks(width), lamp_blocks(height)) : glm::ivec2(0));
    step.set("per_lamp", per_lamp(bits == kFloatBits, light, one));
  }
  void begin_deposits(const GlProgram& step) const {
    begin_lamps(step);
    step.set("pitch", static_cast<int>(elements.pitch));
    set_shapes(step);
  }
  void set_shapes(const GlProgram& step) const {
    if (shapes.frame)
      set_frame(step, shapes.frame->task.at);
    else
      set_plain_shapes(step, *shapes.plain);
  }
  void set_fill(const GlProgram& step) const {
    step.set("size", size());
    step.set("fill_pitch", fill_across);
    step.set("fill_one", fill_one(widest, wide));
    step.set("most_light", light.most);
  }
};

void GlLayeredDof::run(const Texture& color, const Texture& disparity, const DofJob& job,
                       const Texture& result) {
  const int width = color.width(), height = color.height(), bits = job.bits, channels = job.channels;
  const DofStyle& style = job.style;
  if (!fits(job))
    throw Error(fmt::format(
        "the fields of {} layers of {} x {} pixels do not fit OpenGL's largest storage buffer of {} MiB",
        layers_of(style.quality), width, height, gl_.max_ssbo_bytes() >> 20));
  require_exact(job.blur, width, height, channels, bits / 8);
  require_in_range(job.blur, style);
  require_in_range(job.light);
  const LayeredLens lens = layered_lens(job.blur, style);
  const Shapes shapes = shapes_of(job);
  reserve(buffer_bytes(job, shapes));
  upload_tables(bits, shapes);
  const bool has_lamps = shapes.lamps(widest_circle(lens)).words != nullptr;
  const Frame frame{
      *this,    steps(job, shapes.kind(), has_lamps), width, height, bits, channels, style, lens, shapes,
      job.light};
  for (int i = 0; i < kGroups; ++i) frame.bind(static_cast<GLuint>(i), i);
  constexpr GLuint kCutsBinding = 2;  // of constants: the scene has 0 and 1
  glBindBufferBase(GL_UNIFORM_BUFFER, kCutsBinding, buffers_[kCuts].id());
  glBindTextureUnit(0, color.id());
  glBindTextureUnit(1, disparity.id());
  glBindImageTexture(0, result.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, rgba_format(bits));

  frame.find_circles();
  wait_for_writes();
  frame.cut_layers();
  frame.bind(kFill, kLamps);
  frame.find_lamps();
  wait_for_writes();
  frame.list_lamps();
  frame.mark_tiles();
  wait_for_writes();
  frame.clear_tiles();
  wait_for_writes();
  frame.bind(kEncoding, kGroups);
  frame.deposit_groups();
  frame.deposit_pixels();
  frame.bind(kEncoding, kDiscs);
  frame.deposit_discs();
  // The fill's table needs no more than the circles and the lamps. Its steps are begun behind larger ones,
  // which leave multiprocessors idle in the end: on an H200, good at 3840 x 2160, circles up to 4 pixels, a
  // frame takes 0.87 ms in place of 0.90.
  frame.bind(kEncoding, kFill);
  frame.make_fill_terms();
  frame.bind(kFill, kFill);
  frame.bind(kEncoding, kEncoding);
  wait_for_writes();
  frame.sum_tiles();
  frame.sum_fill_rows();
  wait_for_writes();
  frame.scan_tiles();
  frame.sum_fill_columns();
  wait_for_writes();
  frame.show();
  glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_PIXEL_BUFFER_BARRIER_BIT |
                  GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT |
                  GL_BUFFER_UPDATE_BARRIER_BIT);
  gl_.check("depth of field by layers");
}

}  // namespace scanlens
