# scanlens_files: pictures and depth maps, from and to files.
include(opencv.cmake)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SPNG REQUIRED IMPORTED_TARGET spng)
pkg_check_modules(TURBOJPEG REQUIRED IMPORTED_TARGET libturbojpeg)
pkg_check_modules(EXIV2 REQUIRED IMPORTED_TARGET exiv2)
find_path(SCANLENS_STB_INCLUDE stb/stb_image.h REQUIRED)

add_library(scanlens_files STATIC
  codec_jpeg.cpp
  codec_pnm.cpp
  codec_png.cpp
  codec_stb.cpp
  depth.cpp
  depth_fill.cpp
  depth_resize.cpp
  depth_write.cpp
  file.cpp
  orientation.cpp
  pfm.cpp
  picture.cpp
  picture_write.cpp
  signals.cpp
  stream.cpp
  stream_png.cpp
  stream_pnm.cpp)
target_include_directories(scanlens_files SYSTEM PRIVATE ${SCANLENS_STB_INCLUDE})
target_link_libraries(scanlens_files
  PUBLIC scanlens_filters scanlens_core scanlens_options
  PRIVATE scanlens_opencv PkgConfig::SPNG PkgConfig::TURBOJPEG PkgConfig::EXIV2 fmt::fmt)
