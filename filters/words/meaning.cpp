// Words of other programs, and the filters that do the same.
#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "filters/registry.h"

namespace scanlens {
namespace {

struct Meaning {
  std::initializer_list<std::string_view> words, filters;
};

/// Words in lower case, without what stands between letters.
const Meaning kMeanings[] = {
    {{"blur", "blurred", "soften", "smooth", "lowpass"}, {"gaussian", "box"}},
    {{"gauss", "gaussianblur"}, {"gaussian"}},
    {{"mean", "average", "boxblur"}, {"box"}},
    {{"sharpen", "sharp", "sharper", "deblur", "clarity", "unsharpmask", "usm", "highpass"}, {"unsharp"}},
    {{"bokeh", "defocus", "portrait", "lensblur", "depthoffield"}, {"dof"}},
    {{"miniature", "diorama", "model", "toy", "tilt", "tiltshift"}, {"tilt_shift"}},
    {{"median", "noise", "nlm", "nlmeans", "despeckle", "denoising", "wiener"}, {"denoise"}},
    {{"bilateral", "edgepreserving", "surfaceblur", "matting"}, {"guided"}},
    {{"exposure", "brightness", "brighten", "darken", "contrast", "saturation", "saturate", "vibrance",
      "temperature", "warmth", "tone", "gamma", "desaturate"},
     {"tones"}},
    {{"haze", "mist", "atmosphere", "depthfog"}, {"fog"}},
    {{"clahe", "equalize", "equalise", "histeq", "detail", "structure"}, {"local_contrast"}},
    {{"threshold", "binarize", "binarise", "binary", "otsu", "sauvola", "niblack", "ocr"},
     {"adaptive_threshold"}},
    {{"background", "shading", "illumination", "vignette", "vignetting", "flatfield", "shadows"},
     {"flatten"}},
    {{"scale", "shrink", "enlarge", "thumbnail", "size", "downscale", "upscale", "resample"}, {"resize"}},
    {{"mask", "variableblur"}, {"variable_box"}},
    {{"logo", "composite", "overlay", "stamp"}, {"watermark"}},
    {{"caption", "annotate", "drawtext", "label", "copyright"}, {"text"}},
};

}  // namespace

std::vector<std::string> filters_meant_by(std::string_view word) {
  std::string letters;
  for (const unsigned char c : word)
    if (std::isalpha(c)) letters += static_cast<char>(std::tolower(c));
  for (const Meaning& meaning : kMeanings)
    if (std::find(meaning.words.begin(), meaning.words.end(), letters) != meaning.words.end())
      return {meaning.filters.begin(), meaning.filters.end()};
  return {};
}

}  // namespace scanlens
