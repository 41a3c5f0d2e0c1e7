// The uniforms of a blur, in shaders that declare it as `uniform Blur` or in a `uniform LayeredLens`.
#pragma once

#include <string>

#include "app/gl/program.h"
#include "filters/dof/layers_formula.h"

namespace scanlens {

inline void set_blur(const GlProgram& program, const std::string& name, const Blur& blur) {
  program.set((name + ".scale").c_str(), blur.scale);
  program.set((name + ".focus").c_str(), blur.focus);
  program.set((name + ".most").c_str(), blur.most);
  program.set((name + ".before").c_str(), blur.before);
  program.set((name + ".behind").c_str(), blur.behind);
}

/// `uniform LayeredLens lens`
inline void set_lens(const GlProgram& program, const LayeredLens& lens) {
  set_blur(program, "lens.blur", lens.blur);
  program.set("lens.near", lens.near);
  program.set("lens.far", lens.far);
}

}  // namespace scanlens
