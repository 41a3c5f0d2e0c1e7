#include "app/gl/dof.h"

#include <fmt/format.h>

#include "app/gl/download.h"
#include "app/gl/lens.h"
#include "core/error.h"
#include "core/image.h"
#include "core/sat.h"
#include "filters/color_tables.h"
#include "filters/depth_of_field.h"

namespace scanlens {
namespace {

constexpr int kChannels = 4;
constexpr int kPackBytes = 16;  // what a thread of dof_samples.comp writes

/// Returns the samples from row to row of the picture where CUDA reads it.
std::int64_t sample_pitch(std::int64_t width, int bits) {
  const std::int64_t pack = kPackBytes * 8 / bits;
  return (width * kChannels + pack - 1) / pack * pack;
}

}  // namespace

GlDepthOfField::GlDepthOfField(const GlContext& gl, Context& compute, const ShaderSources& sources,
                               TableBy table_by, Share share)
    : gl_(gl),
      compute_(compute),
      shares_buffers_(can_share_buffers(compute, gl)),
      share_(share),
      sources_(sources) {
  if (table_by == TableBy::opengl) gl_table_.emplace(gl, sources);
  if (table_by == TableBy::fastest && GlTable::has_subgroups(gl)) {
    try {
      gl_table_.emplace(gl, sources);
    } catch (const Error&) {
      // The driver names the extension and refuses the shaders: the library makes the tables.
    }
  }
}

int GlDepthOfField::sum_bytes(const DofJob& job) {
  return fits_32_bits(job.blur, job.bits / 8, job.has_alpha() ? 4 : 3) ? 4 : 8;
}

bool GlDepthOfField::fits(const DofJob& job) const {
  if (job.bits == 32)
    return false;  // tables of floats have sums of 64 bits, which the shader does not gather
  const std::int64_t table = made_by_opengl(job) ? GlTable::bytes(job.width, job.height)
                                                 : job.width * job.height * kChannels * sum_bytes(job);
  return job.width <= gl_.max_texture_size() && job.height <= gl_.max_texture_size() &&
         table <= gl_.max_ssbo_bytes();
}

GlMemory GlDepthOfField::memory(const DofJob& job) const {
  const std::int64_t width = job.width, height = job.height, bits = job.bits;
  if (made_by_opengl(job)) return {0, 0, GlTable::memory(width, height)};
  const int entry = sum_bytes(job);
  const std::int64_t table = width * height * kChannels * entry;
  const std::int64_t scratch = summed_area_table_workspace(width, height, kChannels, entry);
  if (shares_buffers_) return {0, scratch, sample_pitch(width, job.bits) * height * bits / 8 + table};
  // The library has the picture and the table where it works, and OpenGL a copy of the table. If OpenGL works
  // elsewhere, the table is on the host on its way.
  const std::int64_t library = width * height * kChannels * bits / 8 + table + scratch;
  return compute_.on_cuda() ? GlMemory{table, library, table} : GlMemory{library, 0, table};
}

bool GlDepthOfField::made_by_opengl(const DofJob& job) const {
  return gl_table_ && job.bits == 8 && !job.has_alpha() && sum_bytes(job) == 4;
}

const GlProgram& GlDepthOfField::program(Table table, bool alpha) {
  GlProgram& program = programs_[table][alpha];
  if (!program.id()) {
    ShaderDefines defines;
    if (table == kWordPairs) defines.push_back({"TABLE_64", "1"});
    if (table == kBlocks) defines.push_back({"TABLE_BLOCKS", "1"});
    if (alpha) defines.push_back({"WEIGH_BY_ALPHA", "1"});
    program = GlProgram(sources_, {{GL_COMPUTE_SHADER, "gather/dof.comp"}}, defines);
  }
  return program;
}

void GlDepthOfField::reserve(SharedStorage& storage, std::int64_t bytes) {
  if (storage.bytes == bytes) return;
  storage = SharedStorage{};
  storage.buffer = Buffer::create();
  glNamedBufferStorage(storage.buffer.id(), bytes, nullptr, GL_DYNAMIC_STORAGE_BIT);
  gl_.check("allocating a buffer for depth of field");
  if (shares_buffers_) {
    try {
      storage.shared = share_(compute_, storage.buffer.id());
    } catch (const Error&) {
      // The buffer itself is good, and can be uploaded to.
      shares_buffers_ = false;
      samples_.shared = SharedBuffer();
      table_.shared = SharedBuffer();
    }
  }
  storage.bytes = bytes;
}

void GlDepthOfField::pack_samples(const Texture& color, int bits, std::int64_t pitch) {
  GlProgram& shader = samples_program_[bits == 16];
  if (!shader.id()) {
    ShaderDefines defines;
    if (bits == 16) defines.push_back({"SIXTEEN_BITS", "1"});
    shader = GlProgram(sources_, {{GL_COMPUTE_SHADER, "gather/dof_samples.comp"}}, defines);
  }
  shader.use();
  shader.set("size", glm::ivec2(color.width(), color.height()));
  glBindTextureUnit(0, color.id());
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, samples_.buffer.id());
  dispatch(pitch * bits / 8 / kPackBytes, color.height(), 32, 8);
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  gl_.check("copying the picture to a buffer");
}

template <class T, class Sum>
void GlDepthOfField::fill_table(const Texture& color, bool alpha) {
  const std::int64_t width = color.width(), height = color.height();
  Terms terms = dof_terms<T>(compute_, kChannels);
  terms.weigh_by_alpha = alpha;
  reserve(table_, width * height * kChannels * static_cast<std::int64_t>(sizeof(Sum)));

  const std::int64_t pitch = sample_pitch(width, 8 * sizeof(T));
  if (shares_buffers_) reserve(samples_, pitch * height * static_cast<std::int64_t>(sizeof(T)));
  if (shares_buffers_) {  // neither buffer was refused
    pack_samples(color, 8 * sizeof(T), pitch);
    const SharedBuffer::Mapping mapping({&samples_.shared, &table_.shared});
    const View<const T> image(reinterpret_cast<const T*>(mapping.data(0)), width, height, kChannels, pitch);
    const View<Sum> table(reinterpret_cast<Sum*>(mapping.data(1)), width, height, kChannels);
    summed_area_table(compute_, image, table, terms);
    return;
  }

  Image<T> image = download_texture<T>(gl_, color, kChannels);
  image = upload(compute_, std::move(image));
  Image<Sum> table(compute_, width, height, kChannels);
  summed_area_table<T, Sum>(compute_, image.view(), table.view(), terms);
  table = download(compute_, std::move(table));
  glNamedBufferSubData(table_.buffer.id(), 0, static_cast<GLsizeiptr>(table.bytes()), table.view().data);
}

void GlDepthOfField::run(const Texture& color, const Texture& disparity, const DofJob& job,
                         const Texture& result) {
  const int width = color.width(), height = color.height(), bits = job.bits;
  const bool alpha = job.has_alpha();
  if (!fits(job))
    throw Error(fmt::format(
        "the summed-area table of {} x {} pixels does not fit OpenGL's largest storage buffer of {} MiB",
        width, height, gl_.max_ssbo_bytes() >> 20));
  require_exact(job.blur, width, height, alpha ? 4 : 3, bits / 8);
  const Table table = made_by_opengl(job) ? kBlocks : sum_bytes(job) == 8 ? kWordPairs : kWords;
  if (table == kBlocks)
    gl_table_->make(color);
  else if (bits == 16)
    fill_table<std::uint16_t, std::uint64_t>(color, alpha);
  else if (table == kWordPairs)
    fill_table<std::uint8_t, std::uint64_t>(color, alpha);
  else
    fill_table<std::uint8_t, std::uint32_t>(color, alpha);

  const GlProgram& shader = program(table, alpha);
  shader.use();
  shader.set("size", glm::ivec2(width, height));
  shader.set("pitch", static_cast<int>(GlTable::pitch(width)));
  set_blur(shader, "blur", job.blur);
  shader.set("white", static_cast<float>(bits == 16 ? kLinear24 : kLinear16));
  shader.set("alpha_one", bits == 16 ? 65535.f : 255.f);
  glBindTextureUnit(0, color.id());
  glBindTextureUnit(1, disparity.id());
  glBindImageTexture(0, result.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, rgba_format(bits));
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, table == kBlocks ? gl_table_->table() : table_.buffer.id());
  dispatch(width, height, 64, 4);
  glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_PIXEL_BUFFER_BARRIER_BIT |
                  GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
  gl_.check("the depth-of-field shader");
}

}  // namespace scanlens
