// Damaged pictures of every format are read or refused: no crash, no hang, no memory beyond the limits.
#include <cctype>
#include <cstdlib>
#include <system_error>

#include "app/io/codecs/codecs.h"
#include "app/io/format.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

const Limits kSmall{1 << 20, 1 << 24};
constexpr int kTruncations = 50;

std::vector<std::string> names_of_files() {
  std::vector<std::string> names;
  const fs::path folder = SCANLENS_TEST_FILES;
  std::error_code missing;
  for (const auto& entry : fs::recursive_directory_iterator(folder, missing)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && extension != ".sh" && extension != ".py" && extension != ".txt")
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Reads what has a picture's first bytes, and returns whether it was read.
bool reads(const std::string& bytes) {
  const Source source{"damaged", std::as_bytes(std::span(bytes)), kSmall};
  if (bytes.empty()) return false;
  try {
    const Picture picture = decode(source, sniff(source.bytes, "damaged.tga"));
    EXPECT_LE(picture.width() * picture.height(), kSmall.max_pixels);
    EXPECT_LE(picture.bytes(), kSmall.max_bytes);
    return true;
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("damaged: ")) << error.what();
    return false;
  }
}

class Damage : public testing::TestWithParam<std::string> {};

TEST_P(Damage, IsRefusedOrRead) {
  const std::string bytes = load(fs::path(SCANLENS_TEST_FILES) / GetParam());
  const bool sound = reads(bytes);
  int cut_and_read = 0;
  for (std::size_t i = 0; i < kTruncations; ++i)
    cut_and_read += reads(bytes.substr(0, bytes.size() * i / kTruncations));
  // A cut may fall behind all samples, into metadata that is no part of the picture.
  EXPECT_LE(cut_and_read, sound ? kTruncations / 2 : 0);
  const char* more = std::getenv("SCANLENS_DAMAGE");
  const int rounds = more ? std::atoi(more) : 60;
  std::mt19937_64& random = generator();
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = bytes;
    // Headers are short, and more comes of damage there.
    const std::size_t reach = round % 2 == 0 ? damaged.size() : std::min<std::size_t>(damaged.size(), 512);
    for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
      const std::size_t at = random() % reach;
      const std::uint64_t kind = random() % 4;
      damaged[at] = static_cast<char>(kind == 0   ? random()
                                      : kind == 1 ? damaged[at] ^ (1 << random() % 8)
                                      : kind == 2 ? 0xff
                                                  : 0);
    }
    if (random() % 8 == 0) damaged.resize(random() % damaged.size());
    reads(damaged);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, Damage, testing::ValuesIn(names_of_files()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Damage);

}  // namespace
}  // namespace scanlens::test
