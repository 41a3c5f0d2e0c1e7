#include "app/depth/encode.h"

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfOutputFile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "app/depth/mark.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Collects what OpenEXR writes.
class MemoryOutput : public Imf::OStream {
 public:
  explicit MemoryOutput(const char* name) : Imf::OStream(name) {}

  void write(const char c[], int n) override {
    const std::size_t end = at_ + static_cast<std::size_t>(n);
    if (end > bytes_.size()) bytes_.resize(end);
    std::memcpy(bytes_.data() + at_, c, static_cast<std::size_t>(n));
    at_ = end;
  }
  std::uint64_t tellp() override { return at_; }
  void seekp(std::uint64_t at) override { at_ = static_cast<std::size_t>(at); }

  Memory memory() const {
    Memory memory(Backend::cpu, bytes_.size());
    std::memcpy(memory.data(), bytes_.data(), bytes_.size());
    return memory;
  }

 private:
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

Memory encode_npy(View<const float> values, bool metres) {
  constexpr std::size_t kAlignment = 64, kPrefix = 10;  // magic, version and length
  std::string header = metres ? npy_of_metres(values.width, values.height)
                              : fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}",
                                            values.height, values.width);
  header.resize((kPrefix + header.size() + kAlignment) / kAlignment * kAlignment - kPrefix, ' ');
  header.back() = '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(header.size() & 255);
  prefix += static_cast<char>(header.size() >> 8);
  header.insert(0, prefix);
  const std::size_t row_bytes = static_cast<std::size_t>(values.width) * sizeof(float);
  Memory memory(Backend::cpu, header.size() + row_bytes * static_cast<std::size_t>(values.height));
  std::memcpy(memory.data(), header.data(), header.size());
  for (std::int64_t y = 0; y < values.height; ++y)
    std::memcpy(memory.data() + header.size() + row_bytes * static_cast<std::size_t>(y), values.row(y), row_bytes);
  return memory;
}

Memory encode_depth_exr(View<const float> values, const std::string& channel, const std::string& name) {
  constexpr std::int64_t kMostSide = 1 << 30;
  if (values.width > kMostSide || values.height > kMostSide)
    throw Error(fmt::format("{}: {} x {} is too large for OpenEXR", name, values.width, values.height));
  try {
    MemoryOutput out(name.c_str());
    {
      Imf::Header header(static_cast<int>(values.width), static_cast<int>(values.height));
      header.compression() = Imf::ZIP_COMPRESSION;
      header.channels().insert(channel, Imf::Channel(Imf::FLOAT));
      Imf::FrameBuffer buffer;
      buffer.insert(channel, Imf::Slice::Make(Imf::FLOAT, values.data, header.dataWindow(), sizeof(float),
                                              static_cast<std::size_t>(values.pitch) * sizeof(float)));
      Imf::OutputFile file(out, header);
      file.setFrameBuffer(buffer);
      file.writePixels(static_cast<int>(values.height));
    }
    return out.memory();
  } catch (const Iex::BaseExc& error) {
    throw Error(fmt::format("{}: OpenEXR cannot write it: {}", name, error.message()));
  }
}

}  // namespace scanlens
