// Reads ZIP archives by PKWARE's APPNOTE 6.3, sections 4.3.7 (local header), 4.3.12 (central directory) and
// 4.3.16 (its end).
#include "app/depth/zip.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::size_t kLocalHeader = 30, kCentralHeader = 46, kEnd = 22;
constexpr std::size_t kMostComment = 65535;
constexpr std::uint32_t kElsewhere = 0xffffffff;  ///< the value stands in a ZIP64 record
constexpr std::size_t kMostMembers = 4096;

[[noreturn]] void refuse(const Source& source, const std::string& why) {
  throw Error(fmt::format("{}: the ZIP archive {}", source.name, why));
}

/// Reads little-endian numbers and throws Error beyond the end.
class Reader {
 public:
  explicit Reader(const Source& source) : source_(source) {}

  Bytes bytes(std::size_t at, std::size_t count) const {
    if (at > source_.bytes.size() || count > source_.bytes.size() - at) refuse(source_, "is truncated or corrupt");
    return source_.bytes.subspan(at, count);
  }
  std::uint32_t number(std::size_t at, std::size_t count) const {
    std::uint32_t value = 0;
    const Bytes field = bytes(at, count);
    for (std::size_t i = count; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(field[i]);
    return value;
  }
  std::uint32_t u16(std::size_t at) const { return number(at, 2); }
  std::uint32_t u32(std::size_t at) const { return number(at, 4); }
  bool is(std::size_t at, std::string_view signature) const {
    const Bytes field = bytes(at, signature.size());
    return std::memcmp(field.data(), signature.data(), signature.size()) == 0;
  }

 private:
  const Source& source_;
};

/// Returns where the record at the end of the archive begins.
std::size_t find_end(const Source& source, const Reader& in) {
  const std::size_t size = source.bytes.size();
  for (std::size_t back = kEnd; back <= std::min(size, kEnd + kMostComment); ++back) {
    const std::size_t at = size - back;
    if (in.is(at, "PK\x05\x06") && in.u16(at + 20) == back - kEnd) return at;
  }
  refuse(source, "is truncated: it has no directory");
}

ZipMember member_at(const Source& source, const Reader& in, std::size_t at) {
  if (!in.is(at, "PK\x01\x02")) refuse(source, "has a corrupt directory");
  const std::uint32_t flags = in.u16(at + 8), method = in.u16(at + 10);
  const std::uint32_t packed = in.u32(at + 20), size = in.u32(at + 24), local = in.u32(at + 42);
  const Bytes name = in.bytes(at + kCentralHeader, in.u16(at + 28));
  ZipMember member;
  member.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  if (flags & 1) refuse(source, "is encrypted");
  if (method != 0 && method != 8) refuse(source, fmt::format("is packed by method {}, not stored or deflated", method));
  if (packed == kElsewhere || size == kElsewhere || local == kElsewhere)
    refuse(source, "is of the ZIP64 kind for more than 4 GiB; write the array as .npy");
  if (!in.is(local, "PK\x03\x04")) refuse(source, "has a directory that points to no member");
  const std::size_t data = std::size_t{local} + kLocalHeader + in.u16(std::size_t{local} + 26) +
                           in.u16(std::size_t{local} + 28);
  member.packed = in.bytes(data, packed);
  member.size = size;
  member.deflated = method == 8;
  member.crc = in.u32(at + 16);
  if (!member.deflated && packed != size) refuse(source, "has a stored member of two sizes");
  return member;
}

}  // namespace

std::vector<ZipMember> zip_members(const Source& source) {
  const Reader in(source);
  const std::size_t end = find_end(source, in);
  const std::size_t count = in.u16(end + 10);
  std::size_t at = in.u32(end + 16);
  if (count > kMostMembers) refuse(source, fmt::format("has {} members", count));
  std::vector<ZipMember> members;
  for (std::size_t i = 0; i < count; ++i) {
    members.push_back(member_at(source, in, at));
    at += kCentralHeader + in.u16(at + 28) + in.u16(at + 30) + in.u16(at + 32);
  }
  return members;
}

Memory unzipped(const Source& source, const ZipMember& member) {
  if (member.size == 0) refuse(source, fmt::format("has an empty member '{}'", member.name));
  // The gate counts pixels; no number of an array takes more than these bytes.
  constexpr std::size_t kMostItem = 8;
  check_gate(source.name, std::max<std::size_t>(member.packed.size(), 1), source.limits,
             static_cast<std::int64_t>(std::max<std::size_t>(member.size / kMostItem, 1)), 1, 1, kMostItem,
             kMostModernExpansion);
  Memory memory(Backend::cpu, member.size);
  if (member.deflated) {
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflate(
        libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    if (!inflate) throw Error(ErrorKind::retry, source.name + ": no memory to unpack it");
    if (libdeflate_deflate_decompress(inflate.get(), member.packed.data(), member.packed.size(), memory.data(),
                                      member.size, nullptr) != LIBDEFLATE_SUCCESS)
      refuse(source, fmt::format("has a corrupt member '{}'", member.name));
  } else {
    std::memcpy(memory.data(), member.packed.data(), member.size);
  }
  if (libdeflate_crc32(0, memory.data(), member.size) != member.crc)
    refuse(source, fmt::format("has a corrupt member '{}': its checksum differs", member.name));
  return memory;
}

}  // namespace scanlens
