// Effects of a frame on a picture: depth of field, then the filters of a stack.
#pragma once

#include <string>
#include <vector>

#include "app/photo/dof_renderer.h"
#include "app/viewer/model/image.h"
#include "core/context.h"
#include "filters/filter.h"

namespace scanlens {

/// A filter of the stack.
struct StackedFilter {
  FilterCall call;
  bool on = true;
};

/// Returns the filters that take no map and keep the size, which the viewer's stack is made of; and one of
/// them by its defaults.
std::vector<const Filter*> stackable_filters();
StackedFilter stacked(const Filter& filter);

/// Returns what --filter takes: "box:radius=8".
std::string filter_text(const FilterCall& call);

/// Applies depth of field and filters. Belongs to the OpenGL context and the computing one, which must not be
/// moved; keeps its textures from frame to frame.
///
/// OpenGL's shaders blur, with no host copy, where a GPU does OpenGL's work and they hold the picture. Where
/// the CPU does, the scan library blurs the host's copy: it is several times as fast there.
class Effects {
 public:
  Effects(const GlContext& gl, Context& compute, const ShaderSources& sources);

  /// Returns true if the host needs a copy of the image to blur it like this.
  bool blurs_on_host(const ViewedImage& image, const DofStyle& style, const Blur& blur);

  /// Returns the image blurred; `picture` and `depth` are its copies on the host, where they are needed.
  const Texture& blur(const ViewedImage& image, const Picture* picture, const Image<float>* depth,
                      const Blur& blur, const DofStyle& style);

  /// Returns each layer's colour, red in front, where depth of field brings it: as much of it as the layer
  /// covers.
  /// `disparity` is the image's copy on the host.
  Texture layers(const ViewedImage& image, const Image<float>& disparity, const Blur& blur, DofStyle style);

  /// Returns a texture filtered by the filters that are on, by way of the host; itself where none is.
  const Texture& filter(const Texture& color, const ViewedImage& image,
                        const std::vector<StackedFilter>& filters);

  /// Returns what blurring an image takes beside its textures and those of the result.
  GlMemory memory(const ViewedImage& image, const Blur& blur, const DofStyle& style);

 private:
  static void make_room(const ViewedImage& image, Texture& kept);

  const GlContext& gl_;
  Context& compute_;
  DofRenderer renderer_;
  Texture blurred_, filtered_;
};

}  // namespace scanlens
