// Contents and inputs of OpenGL's buffers, for tests.
#pragma once

#include <glad/gl.h>

#include <cstdint>
#include <vector>

namespace scanlens {

inline std::vector<std::uint32_t> words_of(GLuint buffer, std::int64_t words) {
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  std::vector<std::uint32_t> read(static_cast<std::size_t>(words));
  glGetNamedBufferSubData(buffer, 0, words * 4, read.data());
  return read;
}

inline std::int64_t bytes_of_all_buffers() {
  std::int64_t sum = 0;
  for (GLuint id = 1; id < 1u << 16; ++id)
    if (glIsBuffer(id)) {
      GLint64 bytes = 0;
      glGetNamedBufferParameteri64v(id, GL_BUFFER_SIZE, &bytes);
      sum += bytes;
    }
  return sum;
}

}  // namespace scanlens
