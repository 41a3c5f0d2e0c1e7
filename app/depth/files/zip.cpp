// Reads ZIP archives by PKWARE's APPNOTE 6.3, sections 4.3.7 (local header), 4.3.12 (central
// directory), 4.3.14 to 4.3.16 (its end) and 4.5.3 (ZIP64's sizes, which Python writes from 2 GiB on).
#include "app/depth/files/zip.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "core/error.h"

namespace scanlens {
namespace {

constexpr std::size_t kLocalHeader = 30, kCentralHeader = 46, kEnd = 22, kEnd64Place = 20;
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
    if (at > source_.bytes.size() || count > source_.bytes.size() - at)
      refuse(source_, "is truncated or corrupt");
    return source_.bytes.subspan(at, count);
  }
  std::uint64_t number(std::size_t at, std::size_t count) const {
    std::uint64_t value = 0;
    const Bytes field = bytes(at, count);
    for (std::size_t i = count; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(field[i]);
    return value;
  }
  std::uint32_t u16(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 2)); }
  std::uint32_t u32(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint64_t u64(std::size_t at) const { return number(at, 8); }
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

/// Says where the directory is, and how many members it has.
struct Directory {
  std::uint64_t count, at;
};

Directory directory_of(const Source& source, const Reader& in) {
  constexpr std::uint32_t kManyElsewhere = 0xffff;
  const std::size_t end = find_end(source, in);
  const Directory found{in.u16(end + 10), in.u32(end + 16)};
  if ((found.count != kManyElsewhere && found.at != kElsewhere) || end < kEnd64Place ||
      !in.is(end - kEnd64Place, "PK\x06\x07"))
    return found;
  const std::uint64_t end64 = in.u64(end - kEnd64Place + 8);
  if (!in.is(end64, "PK\x06\x06")) refuse(source, "has a corrupt directory (ZIP64)");
  return {in.u64(end64 + 32), in.u64(end64 + 48)};
}

/// Replaces sizes that stand elsewhere by those of the ZIP64 field among the extra fields. There they stand
/// in the order of `sizes`.
void heed_zip64(const Source& source, const Reader& in, std::size_t at, std::size_t bytes,
                std::initializer_list<std::uint64_t*> sizes) {
  constexpr std::uint32_t kZip64 = 1;
  const std::size_t end = at + bytes;
  std::size_t length = 0;
  while (at + 4 <= end && in.u16(at) != kZip64) at += 4 + in.u16(at + 2);
  if (at + 4 <= end) length = in.u16(at + 2);
  at += 4;
  for (std::uint64_t* const size : sizes) {
    if (*size != kElsewhere) continue;
    if (length < 8) refuse(source, "has a corrupt directory (ZIP64)");
    *size = in.u64(at);
    at += 8;
    length -= 8;
  }
}

ZipMember member_at(const Source& source, const Reader& in, std::size_t at) {
  if (!in.is(at, "PK\x01\x02")) refuse(source, "has a corrupt directory");
  const std::uint32_t flags = in.u16(at + 8), method = in.u16(at + 10);
  std::uint64_t packed = in.u32(at + 20), size = in.u32(at + 24), local = in.u32(at + 42);
  heed_zip64(source, in, at + kCentralHeader + in.u16(at + 28), in.u16(at + 30), {&size, &packed, &local});
  const Bytes name = in.bytes(at + kCentralHeader, in.u16(at + 28));
  ZipMember member;
  member.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  if (flags & 1) refuse(source, "is encrypted");
  if (method != 0 && method != 8)
    refuse(source, fmt::format("is packed by method {}, not stored or deflated", method));
  if (!in.is(local, "PK\x03\x04")) refuse(source, "has a directory that points to no member");
  const std::size_t data = local + kLocalHeader + in.u16(local + 26) + in.u16(local + 28);
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
  auto [count, at] = directory_of(source, in);
  if (count > kMostMembers) refuse(source, fmt::format("has {} members", count));
  std::vector<ZipMember> members;
  for (std::uint64_t i = 0; i < count; ++i) {
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
    if (libdeflate_deflate_decompress(inflate.get(), member.packed.data(), member.packed.size(),
                                      memory.data(), member.size, nullptr) != LIBDEFLATE_SUCCESS)
      refuse(source, fmt::format("has a corrupt member '{}'", member.name));
  } else {
    std::memcpy(memory.data(), member.packed.data(), member.size);
  }
  if (libdeflate_crc32(0, memory.data(), member.size) != member.crc)
    refuse(source, fmt::format("has a corrupt member '{}': its checksum differs", member.name));
  return memory;
}

}  // namespace scanlens
