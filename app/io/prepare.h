// Brings a picture to what a format can hold. Inside scanlens_files.
#pragma once

#include <memory>
#include <string>

#include "app/io/format.h"
#include "app/io/picture.h"
#include "filters/filter.h"

namespace scanlens {

class Profile;

/// Holds a picture as its file is to have it. Where nothing had to change the samples are the original's.
struct Prepared {
  const Picture* original = nullptr;
  std::shared_ptr<const Picture> lit = {};  ///< the original, where that is the light beside codes
  Picture changed;                          ///< its samples are in use where `is_changed`
  bool is_changed = false;
  Metadata metadata;

  const decltype(Picture::samples)& samples() const { return (is_changed ? changed : *original).samples; }
};

/// The picture's channels are such as the format holds, or grey where that holds RGB.
Prepared prepare(const Picture& picture, const FormatTraits& traits, const WriteOptions& options,
                 const Remarks& say);

/// Throws Error unless pictures of `channels` channels can be written under this path; grey becomes RGB where
/// it has to, and alpha is laid over a background.
void require_channels(const std::filesystem::path& path, const FormatTraits& traits, int channels,
                      const WriteOptions& options);

/// True if samples with this metadata have to be converted to sRGB to be written.
bool becomes_srgb(const Metadata& metadata, const FormatTraits& traits, const WriteOptions& options);

/// Says that, and why.
void say_becomes_srgb(const Profile& profile, const FormatTraits& traits, const WriteOptions& options,
                      const Remarks& say);

/// Returns of the metadata what the format holds and --strip allows, for a picture of this size. Says in one
/// warning what does not.
Metadata fitted(const Metadata& metadata, const FormatTraits& traits, const WriteOptions& options,
                std::int64_t width, std::int64_t height, const Remarks& say);

}  // namespace scanlens
