// What is in focus where nobody says it.
#pragma once

#include <filesystem>

#include "app/io/picture.h"
#include "app/session/session.h"

namespace scanlens {

/// Returns the disparity of the picture's sharpest region, found on the context's device. Throws Error that
/// names the file when nothing in it is sharp, or memory does not suffice.
float autofocus(Context& context, const Picture& picture, const Image<float>& disparity,
                const std::filesystem::path& file, const Session& session);

/// Calls use(view) with the samples of an image in host memory where the context's backend can read them:
/// there, or a copy on the device that lives as long as the call.
template <class T, class Use>
auto with_readable(Context& context, const Image<T>& image, const Use& use) {
  if (!context.on_cuda()) return use(image.view());
  Image<T> device(context, image.width(), image.height(), image.channels());
  copy(context, image.view(), device.view());
  return use(View<const T>(device.view()));
}

}  // namespace scanlens
