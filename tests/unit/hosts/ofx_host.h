// A host of OpenFX, as small as a plug-in allows: properties, parameters, clips and pictures in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "app/hosts/ofx/abi.h"

namespace scanlens::hosts::ofx {

/// The host's own, which a plug-in knows by pointers alone.
struct Properties {
  std::map<std::string, std::vector<std::string>> strings;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, void*> pointers;
};

struct Param {
  std::string type;
  Properties properties;
  std::vector<double> values;
  double per_frame = 0;  ///< added to the first value with each frame
};

struct ParamSet {
  std::map<std::string, Param> all;
};

struct Clip {
  Properties properties, image;
  RectD whole{};
  bool has_frames = true;
};

struct Effect {
  Properties properties;
  ParamSet params;
  std::map<std::string, Clip> clips;
  std::string message;  ///< kept beside the effect
  std::mutex messages;
  std::atomic<int> images = 0;  ///< which the plug-in has not released
  std::atomic<int> asked = 0;   ///< how often it asked whether to abort
  bool aborts = false;
};

}  // namespace scanlens::hosts::ofx

namespace scanlens::test {

/// Pixels of a host: any type, origin and order of rows, between bytes that nobody may write.
class HostPicture {
 public:
  struct Layout {
    std::string depth = "OfxBitDepthFloat", components = "OfxImageComponentRGBA";
    hosts::ofx::RectI bounds;
    int gap = 0;              ///< bytes behind each row
    bool is_flipped = false;  ///< true if the rows lie from the top
    bool premultiplied = false;
  };
  explicit HostPicture(const Layout& layout);

  int width() const { return layout_.bounds.x2 - layout_.bounds.x1; }
  int height() const { return layout_.bounds.y2 - layout_.bounds.y1; }
  int channels() const;
  int sample_bytes() const;
  const Layout& layout() const { return layout_; }

  /// Sample c of a pixel by column and row from the top, as it is stored.
  template <class T>
  T& at(int x, int row, int c) {
    return *reinterpret_cast<T*>(pixel(x, row) + c * static_cast<int>(sizeof(T)));
  }
  /// Sets it from 0 .. 1, and returns that.
  void set(int x, int row, int c, float value);
  float get(int x, int row, int c);

  /// True if no byte between the pixels has changed.
  bool is_guarded() const;
  /// Makes it the image of a clip, at a scale of the host.
  void show(hosts::ofx::Clip& clip, double scale = 1);

 private:
  std::byte* pixel(int x, int row);
  std::size_t row_bytes() const;
  Layout layout_;
  std::vector<std::byte> memory_;
};

/// The plug-in that the build made, loaded and described.
class OfxHost {
 public:
  explicit OfxHost(const std::string& file);
  ~OfxHost();

  const hosts::ofx::Plugin& plugin() const { return *plugin_; }
  hosts::ofx::Status act(const char* action, hosts::ofx::Effect* effect = nullptr,
                         hosts::ofx::Properties* in = nullptr, hosts::ofx::Properties* out = nullptr) const {
    return plugin_->main_entry(action, effect, in, out);
  }
  /// An instance in a context, "General" or "Filter".
  std::unique_ptr<hosts::ofx::Effect> instance(const std::string& context) const;
  /// Renders a window of the output.
  hosts::ofx::Status render(hosts::ofx::Effect& effect, const hosts::ofx::RectI& window, double time = 0,
                            double scale = 1) const;

  hosts::ofx::Properties descriptor;

 private:
  void* module_ = nullptr;
  hosts::ofx::Plugin* plugin_ = nullptr;
};

}  // namespace scanlens::test
