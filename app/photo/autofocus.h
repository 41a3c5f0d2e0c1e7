// The focus that is taken when no option gives one.
#pragma once

#include <filesystem>

#include "app/io/picture.h"
#include "app/session/session.h"

namespace scanlens {

/// Returns the disparity of the picture's sharpest region, found on the context's device. Throws Error that
/// names the file when nothing in it is sharp, or memory does not suffice.
float autofocus(Context& context, const Picture& picture, const Image<float>& disparity,
                const std::filesystem::path& file, const Settings& settings);

}  // namespace scanlens
