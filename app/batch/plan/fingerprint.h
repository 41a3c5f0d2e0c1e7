// Fingerprints: they show if an output is what a run would make again.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scanlens {

/// Returns sixteen hexadecimal digits that stand for how a picture is made: the program's version, the words
/// of the parameters, and the size and time of modification, to the nanosecond, of every file that is read.
/// Contents are not read; a file that came back with the same size and time counts as the same, as for make
/// and rsync. A file that is not there has a fingerprint, too.
///
/// It is kept in the output itself, as an extended attribute that is set before the file gets its name. So
/// after a crash or kill -9, too, an output that exists is complete and tells what it was made of; no list
/// can lag behind it, and two workers share none.
std::string fingerprint(std::string_view parameters, const std::vector<std::filesystem::path>& read);

}  // namespace scanlens
