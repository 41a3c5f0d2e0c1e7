// The header of an NPY array; inside scanlens_files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/file.h"

namespace scanlens {

struct NpyHeader {
  char kind = 0;       ///< 'f', 'i' or 'u'
  int item_bytes = 0;  ///< 1, 2, 4 or 8
  bool big_endian = false;
  bool fortran = false;  ///< columns are contiguous
  std::vector<std::int64_t> shape;
  std::size_t length = 0;  ///< bytes from the start of the array's file to the first item

  std::string type() const;                 ///< "float32"
  std::string shape_text() const;           ///< "(1, 480, 640)"
  bool is_map() const;                      ///< two dimensions beside those of length 1
  bool is_picture() const;                  ///< three, one of them of 3 or 4 channels
  bool has_planes() const;                  ///< of a picture: its channels come first, as networks have them
  std::vector<std::int64_t> sides() const;  ///< of a map or a picture: height, width, channels
};

/// Throws Error "NAME: cause" when this is no NPY array of numbers.
NpyHeader parse_npy_header(const std::string& name, Bytes bytes);

}  // namespace scanlens
