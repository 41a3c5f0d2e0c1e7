#include "app/viewer/script/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "app/io/text.h"
#include "app/viewer/script/arguments.h"
#include "app/viewer/script/forms.h"
#include "app/viewer/script/words.h"
#include "core/error.h"
#include "filters/nesting.h"

namespace scanlens {
namespace {

using namespace steps;

[[noreturn]] void fail(const std::string& cause) {
  throw Error(ErrorKind::usage, cause);
}

/// Returns the frames that a step draws. A rest counts as one.
std::int64_t frames_of(const Action& action) {
  constexpr std::int64_t kOfKey = 2, kOfDrag = 3;
  return std::visit(
      []<class S>(const S& step) -> std::int64_t {
        if constexpr (std::is_same_v<S, Keys>) return kOfKey * std::ssize(step.presses);
        if constexpr (std::is_same_v<S, Drag>) return kOfDrag + step.frames;
        if constexpr (requires { step.frames; }) return step.frames;
        constexpr bool of_one =
            std::is_same_v<S, Send> || std::is_same_v<S, WaitForRest> || std::is_same_v<S, Shot>;
        return of_one ? 1 : 0;
      },
      action);
}

/// Steps that repeat together, or all of the script.
struct Block {
  int line = 0;
  std::int64_t times = 1;
  std::vector<Step> steps = {};
  std::int64_t played = 1;  ///< steps and frames of one pass
  int recording = 0;        ///< the line of one that is still open; 0: none is
  int timing = 0;
};

class Parser {
 public:
  void take(std::string_view line) {
    ++line_;
    const std::vector<Word> words = split_words(line);
    if (words.empty()) return;
    const Form& form = form_of(words.front().text);
    Arguments arguments{std::span(words).subspan(1), form.usage};
    if (form.name == kRepeatWord) {
      const std::int64_t times = arguments.count("N");
      arguments.end();
      begin_repeat(times);
    } else if (form.name == kEndWord) {
      arguments.end();
      end_repeat();
    } else {
      Actions actions = form.read(arguments);
      arguments.end();
      for (Action& action : actions) add(std::move(action));
    }
  }

  /// Returns all steps, after the last line.
  std::vector<Step> finish() {
    if (blocks_.size() > 1) {
      line_ = blocks_.back().line;
      fail("the repetition that begins here has no end");
    }
    require_closed(blocks_.front());
    return std::move(blocks_.front().steps);
  }

  /// The line that is read, or that an error is about.
  int line() const { return line_; }

 private:
  void begin_repeat(std::int64_t times) {
    if (blocks_.size() > kMostNesting)
      fail(fmt::format("repetitions are nested more than {} deep", kMostNesting));
    blocks_.push_back({line_, times});
  }

  void end_repeat() {
    if (blocks_.size() == 1) fail("no repetition is open that could end here");
    require_closed(blocks_.back());
    Block block = std::move(blocks_.back());
    blocks_.pop_back();
    append(block.line, Repeat{block.times, std::move(block.steps)}, block.times * block.played);
  }

  void add(Action action) {
    if (std::holds_alternative<RecordBegin>(action)) open(&Block::recording, "recorded");
    if (std::holds_alternative<RecordEnd>(action)) close(&Block::recording, "recorded");
    if (std::holds_alternative<TimeBegin>(action)) open(&Block::timing, "timed");
    if (std::holds_alternative<TimeEnd>(action)) close(&Block::timing, "timed");
    if (std::holds_alternative<Quit>(action))
      std::for_each(blocks_.rbegin(), blocks_.rend(), [this](const Block& block) { require_closed(block); });
    const std::int64_t frames = frames_of(action);
    append(line_, std::move(action), 1 + frames);
  }

  void append(int line, Action action, std::int64_t played) {
    Block& block = blocks_.back();
    block.played += played;
    if (block.played > kMostPlayed)
      fail(fmt::format("up to here the script comes to more than {} steps and frames", kMostPlayed));
    block.steps.push_back({line, std::move(action)});
  }

  void open(int Block::*since, const char* done) {
    for (const Block& block : blocks_)
      if (block.*since) fail(fmt::format("frames are {} already, since line {}", done, block.*since));
    blocks_.back().*since = line_;
  }

  void close(int Block::*since, const char* done) {
    if (!std::exchange(blocks_.back().*since, 0))
      fail(fmt::format("nothing is {} that began {}", done,
                       blocks_.size() > 1 ? "in this repetition" : "before"));
  }

  /// Blames the line where a recording or timing begins that goes on at the end of a block.
  void require_closed(const Block& block) {
    if (const int since = std::max(block.recording, block.timing)) {
      const char* name = since == block.recording ? "record" : "time";
      line_ = since;
      fail(fmt::format("what begins here has no {} end", name));
    }
  }

  std::vector<Block> blocks_ = std::vector<Block>(1);
  int line_ = 0;
};

}  // namespace

std::vector<Step> parse_script(std::string_view text, const std::string& name) {
  if (text.size() > kMostScriptBytes)
    throw Error(ErrorKind::usage, fmt::format("{}: has {}, more than a script may have ({})", name,
                                              bytes_text(text.size()), bytes_text(kMostScriptBytes)));
  Parser parser;
  text = without_mark(text);
  try {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      parser.take(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parser.finish();
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", name, parser.line(), error.what()));
  }
}

}  // namespace scanlens
