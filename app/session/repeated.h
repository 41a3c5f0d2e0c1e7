// Warnings that many things have, each said once.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace scanlens {

/// Takes two lines for the same that differ in the name before their first colon, or in numbers.
class Repeated {
 public:
  /// Returns true if no such line was heard before.
  bool hear(const std::string& line);

  /// Returns a line on each that was heard again: "2 more frames have the same warning: ...".
  std::vector<std::string> again(const std::string& one, const std::string& many) const;

 private:
  std::map<std::string, int> times_;
};

}  // namespace scanlens
