// HEIC and AVIF files open in libheif, held to the sizes that they announce.
#pragma once

#include <libheif/heif.h>

#include <memory>
#include <string>
#include <vector>

#include "app/io/codecs/codecs.h"

namespace scanlens {

struct FreeHeif {
  void operator()(heif_context* context) const { heif_context_free(context); }
  void operator()(const heif_image_handle* handle) const { heif_image_handle_release(handle); }
  void operator()(const heif_image* image) const { heif_image_release(image); }
  void operator()(heif_decoding_options* options) const { heif_decoding_options_free(options); }
  void operator()(heif_color_profile_nclx* profile) const { heif_nclx_color_profile_free(profile); }
  void operator()(const heif_depth_representation_info* info) const {
    heif_depth_representation_info_free(info);
  }
};
template <class T>
using HeifPtr = std::unique_ptr<T, FreeHeif>;

/// Throws Error "NAME: cause" unless the library says that all went well.
void check_heif(const Source& source, const heif_error& error);

/// Opens the file of `source`, which has to stay.
class HeifFile {
 public:
  explicit HeifFile(const Source& source);
  const heif_image_handle* primary() const { return primary_.get(); }
  heif_item_id primary_id() const;
  /// Returns a picture that the file does not hide.
  HeifPtr<const heif_image_handle> picture(heif_item_id id) const;
  /// Returns the number of pictures that the file does not hide, but for this one.
  int pictures_but(heif_item_id id) const;

  /// Holds decoders to the size that the file announces for a picture, which has to have passed the gate: a
  /// grid and each coded frame say once more how large they are, and the decoders take their word for it.
  void hold_to(const heif_image_handle* picture) const;

 private:
  void limit_sides(std::int64_t most) const;

  const Source& source_;
  HeifPtr<heif_context> context_;
  HeifPtr<const heif_image_handle> primary_;
};

/// A picture beside another, and what its file calls it.
struct HeifAuxiliary {
  HeifPtr<const heif_image_handle> handle;
  std::string type;
};
/// Returns those beside a picture that are neither alpha nor depth, and tell their type.
std::vector<HeifAuxiliary> auxiliaries_of(const heif_image_handle* picture);

/// Returns the XMP that belongs to a picture of the file; empty without XMP.
std::string xmp_of(const heif_image_handle* picture);

/// Returns the samples of a picture as they are coded: one channel of grey, or three of colours.
decltype(Picture::samples) heif_samples(const Source& source, const HeifFile& file,
                                        const heif_image_handle* picture);

/// Takes the picture's gain map, by ISO 21496-1 or by Apple; one that cannot be read is lost. Returns the
/// item that is ISO's map; 0 without one.
heif_item_id read_heif_gain(const Source& source, const HeifFile& file, Metadata& metadata);

/// Throws Error "NAME: cause" when the file holds a HEVC or AV1 frame of more than `most_pixels`, as its own
/// header says: decoders allocate by that, whatever the file around it says. Also refuses a picture that is
/// made of itself, which libheif 1.15 decodes for ever. Also one that is made of an item that is no picture,
/// at which libheif ends the program.
void check_heif_frames(const Source& source, std::int64_t most_pixels);

}  // namespace scanlens
