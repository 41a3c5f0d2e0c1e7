# scanlens_opencv: OpenCV's core and imgproc, nothing else of it. opencv_imgcodecs would pull in 176 MB (GDAL).
# Debian's OpenCVConfig.cmake comes with libopencv-dev alone, hence the second way for the two small packages
# libopencv-core-dev and libopencv-imgproc-dev.
include_guard()

add_library(scanlens_opencv INTERFACE)
find_package(OpenCV QUIET COMPONENTS core imgproc)
if(OpenCV_FOUND)
  target_link_libraries(scanlens_opencv INTERFACE opencv_core opencv_imgproc)
else()
  find_path(SCANLENS_OPENCV_INCLUDE opencv2/imgproc.hpp PATH_SUFFIXES opencv4 REQUIRED)
  find_library(SCANLENS_OPENCV_CORE opencv_core REQUIRED)
  find_library(SCANLENS_OPENCV_IMGPROC opencv_imgproc REQUIRED)
  target_include_directories(scanlens_opencv SYSTEM INTERFACE ${SCANLENS_OPENCV_INCLUDE})
  target_link_libraries(scanlens_opencv INTERFACE ${SCANLENS_OPENCV_IMGPROC} ${SCANLENS_OPENCV_CORE})
endif()
