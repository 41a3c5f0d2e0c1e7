// Runs another program beside this one, and talks with it through pipes.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace scanlens {

/// A descriptor that is closed at the end; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_;
};

/// One pipe, or an open file, that a program gets as its descriptor `number`.
struct ChildEnd {
  enum class Kind {
    reads,   ///< the program reads what is written here
    writes,  ///< the program writes what is read here
    file,    ///< it gets `file` itself
  };
  int number = 0;
  Kind kind = Kind::reads;
  int file = -1;
};

/// Hears what a program says on standard error. Another thread calls it.
class Hearer {
 public:
  virtual ~Hearer() = default;
  virtual void hear(std::string_view line) = 0;
  virtual void end() = 0;  ///< after the last line
};

/// A program found in PATH, started with these words and without a shell. Standard input and
/// output are /dev/null unless they are given. It has a process group of its own: a terminal's Ctrl-C reaches
/// this program alone. The destructor kills it if it still runs. A wait for it ends: where it gives no sign
/// of life for most_silence() while somebody waits, it is killed, and words() say so.
class Child {
 public:
  /// `package` is Debian's, named where the program is missing. `hearer`, if there is one, gets what it says,
  /// and outlives it. Throws Error.
  Child(const std::string& program, const std::string& package, const std::vector<std::string>& words,
        const std::vector<ChildEnd>& ends, Hearer* hearer = nullptr);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Fills `bytes` from what it writes as its descriptor `number`, but for the end. Returns how many came.
  std::size_t read(int number, std::span<std::byte> bytes);

  /// Writes all to its descriptor `number`. Returns false where it reads no more.
  bool write(int number, std::span<const std::byte> bytes);

  void close(int number);

  /// Waits for its end. Returns true if it succeeded.
  bool wait();

  /// Ends it at once. Any thread may call this, while others read, write or wait.
  void kill();

  /// Returns what it said on standard error, on one line, after wait; "" where that is nothing, or a hearer
  /// got it.
  std::string words() const;

  /// True if it was killed for its silence.
  bool was_silent() const { return silent_; }

  /// Says that somebody waits for what it does, while this lives.
  class Awaited {
   public:
    explicit Awaited(Child& child) : child_(child) { ++child_.awaited_; }
    ~Awaited() { --child_.awaited_; }
    Awaited(const Awaited&) = delete;
    Awaited& operator=(const Awaited&) = delete;

   private:
    Child& child_;
  };

 private:
  Descriptor& own(int number);
  void start_listening(Descriptor words);
  void listen(pid_t pid, int words);
  bool hear(int words);
  void hand_on();
  bool is_reaped();
  void reap();

  std::vector<std::pair<int, Descriptor>> ends_;  ///< its descriptor, and ours of that pipe
  std::mutex guard_;
  std::condition_variable reaped_;
  pid_t pid_ = -1;  ///< until it is reaped
  bool well_ = false;
  std::atomic<int> awaited_ = 0;
  std::atomic<std::uint64_t> passed_ = 0;  ///< grows with all that passes through its pipes
  std::atomic<bool> silent_ = false;
  std::string said_;
  Hearer* hearer_;
  std::thread listener_;
};

/// Ends a program that another thread runs, and those that it starts later. Outlives the programs.
class Stopper {
 public:
  void stop() {
    const std::scoped_lock lock(guard_);
    stopped_ = true;
    if (runs_) runs_->kill();
  }

  /// Takes the program that runs now; null where it is about to go.
  void hold(Child* child) {
    const std::scoped_lock lock(guard_);
    runs_ = child;
    if (stopped_ && runs_) runs_->kill();
  }

 private:
  std::mutex guard_;
  Child* runs_ = nullptr;
  bool stopped_ = false;
};

/// Lets a Stopper, which may be null, hold a program while this lives.
class HeldChild {
 public:
  HeldChild(Stopper* stopper, Child& child) : stopper_(stopper) {
    if (stopper_) stopper_->hold(&child);
  }
  ~HeldChild() {
    if (stopper_) stopper_->hold(nullptr);
  }
  HeldChild(const HeldChild&) = delete;
  HeldChild& operator=(const HeldChild&) = delete;

 private:
  Stopper* stopper_;
};

}  // namespace scanlens
