// OpenEXR's view of a file in memory.
#pragma once

#include <OpenEXR/ImfIO.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {

/// Throws what OpenEXR expects from a stream when it is asked for more than there is.
class ExrStream : public Imf::IStream {
 public:
  explicit ExrStream(const Source& source) : IStream(source.name.c_str()), bytes_(source.bytes) {}

  bool read(char* to, int count) override {
    if (count < 0 || position_ > bytes_.size() || static_cast<std::size_t>(count) > bytes_.size() - position_)
      throw std::runtime_error("it ends too early");
    if (count > 0) std::memcpy(to, bytes_.data() + position_, static_cast<std::size_t>(count));
    position_ += static_cast<std::size_t>(count);
    return position_ < bytes_.size();
  }
  std::uint64_t tellg() override { return position_; }
  void seekg(std::uint64_t position) override { position_ = position; }

 private:
  Bytes bytes_;
  std::uint64_t position_ = 0;
};

/// Walks over the headers of an OpenEXR file before the library does, which allocates what an attribute's
/// length asks for, and sets its limits. Throws Error "NAME: cause" when one does not fit the file, and for
/// deep data.
void check_exr_headers(const Source& source);

/// Does work with the library on a file whose headers are checked first, and returns what it returns. The
/// library's exceptions become Error "NAME: cause".
template <class Work>
auto reading_exr(const Source& source, const Work& work) {
  check_exr_headers(source);
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(source.name + ": the OpenEXR data is truncated or corrupt (" + error.what() + ")");
  }
}

}  // namespace scanlens
