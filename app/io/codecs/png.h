// PNG files that are read and written whole share this with those that go row by row. Inside
// scanlens_files.
#pragma once

#include <spng.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace scanlens {

struct FreePng {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using PngPtr = std::unique_ptr<spng_ctx, FreePng>;

/// Opens a decoder that takes nothing broken for whole.
PngPtr open_png_decoder(const std::string& name);

/// Throws Error "NAME: cause" unless `status` says that reading went well.
void check_png_read(int status, const std::string& name);

/// Says how the samples of a file are to be had: palettes and few bits become 8, transparency becomes
/// alpha.
struct PngLayout {
  int channels;
  int sample_bytes;
  int format;  ///< spng_format
  int flags;   ///< spng_decode_flags
};
/// `check` is given what libspng returns and throws where that is an error.
PngLayout png_layout(spng_ctx* context, const spng_ihdr& header, const std::function<void(int)>& check);

}  // namespace scanlens
