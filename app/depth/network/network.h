// Depth that a network guesses from a photo alone: a model that the user has, run by ONNX Runtime.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "app/depth/files/raw.h"
#include "app/depth/network/conventions.h"
#include "app/depth/network/session.h"

namespace scanlens {

struct NetworkChoice {
  std::filesystem::path model, runtime;  ///< without a runtime: as OnnxRuntime finds it
  ConventionOptions convention;
  int threads = 1;
  std::optional<int> gpu;
};

/// A model, loaded once for all photos.
class DepthNetwork {
 public:
  /// Is told the bytes that the network takes before it takes them, and throws where they are too many.
  using Require = std::function<void(std::int64_t bytes)>;

  /// Throws Error "MODEL: cause" for models that do not take one image or do not give one map.
  DepthNetwork(const NetworkChoice& choice, const Require& require);

  /// Returns the map that the model makes of a photo, at a size of its own. `focal_length` is the photo's, in
  /// its widths, for models whose unit depends on it. Any thread may call this; one runs at a time, on all
  /// threads.
  RawDepth map_of(const PhotoRows& photo, std::optional<double> focal_length) const;

  const std::filesystem::path& file() const { return file_; }

  /// True if nothing but its name, or nothing at all, says what its values are.
  bool guesses_output() const { return convention_.is_guess; }

  /// Returns the bytes that it takes at most, by estimate: the weights twice, for ONNX Runtime prepares them
  /// anew, and kBytesPerPixel for each pixel of its image.
  std::int64_t bytes() const { return weights_ + pixels_bytes_; }

  /// Remarks to make once: where it runs, what it was taken for.
  const std::vector<Remark>& remarks() const { return remarks_; }

 private:
  struct Size {
    std::int64_t width, height;
    std::int64_t pixels() const { return width * height; }
  };
  static constexpr std::int64_t kBytesPerPixel = 1024;

  void check_input() const;
  bool has_colours_last() const;  ///< of its image's sides
  std::size_t place_of_width() const;
  std::size_t depth_output() const;
  std::optional<std::size_t> output_named(std::initializer_list<std::string_view> names) const;
  Size size_for(const RowFormat& photo) const;
  OnnxOutput ran(const std::vector<float>& image, Size size, OnnxOutput& sky,
                 OnnxOutput& field_of_view) const;
  Stated meaning_of(View<const float> values, double scale) const;
  double unit_of(double focal_length_in_pixels, const OnnxOutput& field_of_view) const;

  std::filesystem::path file_;
  ModelFacts facts_;
  std::int64_t weights_ = 0, pixels_bytes_ = 0;
  std::unique_ptr<OnnxSession> session_;
  std::int64_t fixed_width_ = 0, fixed_height_ = 0;  ///< of its image; 0: open
  std::size_t depth_ = 0;                            ///< the output that is the map
  std::optional<std::size_t> sky_, field_of_view_;   ///< other outputs
  Convention convention_;
  std::vector<Remark> remarks_;
  mutable std::mutex running_;
};

/// Says how a network takes its image. Where it pads, grey surrounds the photo, which lies in the middle.
struct NetworkLayout {
  std::int64_t width, height;
  bool pads, colours_last;  ///< the latter pixel by pixel, in place of planes of red, green and blue
};

/// The image that a network takes of a photo.
struct NetworkImage {
  std::vector<float> numbers;
  std::int64_t left = 0, top = 0, width = 0, height = 0;  ///< the photo's place
};
NetworkImage network_image(const PhotoRows& photo, const NetworkLayout& layout, const PixelNumbers& numbers);

}  // namespace scanlens
