// Lines on stderr: those that stay, and the one that shows what goes on and is erased again.
#pragma once

#include <string>
#include <thread>

namespace scanlens {

/// Returns true if stderr is a terminal that can erase what it shows.
bool is_terminal();

/// Writes a line to stderr, as a terminal may show it, the beginning of a warning or an error in colour where
/// there are colours. A line of show_line gives way.
void print_line(const std::string& line);

/// Shows this in place of what was shown before, on the terminal's last line. Any thread may call it.
void show_line(const std::string& line);

/// Erases what is shown, if anything is.
void clear_line();

/// Shows the name of work as long as this lives, once all such work of the program has taken a second: many
/// short stages are a long wait, too.
class LongWork {
 public:
  /// Nothing is shown unless it is `wanted`.
  LongWork(const std::string& name, bool wanted);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

 private:
  std::jthread waits_;
};

}  // namespace scanlens
