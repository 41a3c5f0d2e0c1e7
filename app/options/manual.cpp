#include "app/options/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace scanlens {
namespace {

/// Returns text that roff prints as it is: dashes stay ASCII's, so that they can be copied.
std::string escaped(std::string_view text) {
  std::string roff;
  if (text.starts_with('.') || text.starts_with('\'')) roff = "\\&";
  for (const char c : text) {
    if (c == '\\')
      roff += "\\e";
    else if (c == '-')
      roff += "\\-";
    else if (c == '~' || c == '^')
      roff += c == '~' ? "\\(ti" : "\\(ha";
    else if (c == '`')
      roff += "\\(ga";
    else if (c == '\'')
      roff += "\\(aq";
    else
      roff += c;
  }
  return roff;
}

std::string sentence(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.empty()) return text;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text.ends_with('.') ? text : text + ".";
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Returns where an entry of a list, "name: what it is" or "name   what it is", ends its name.
std::size_t end_of_name(const std::string& entry) {
  return std::min(entry.find("  "), entry.find(": "));
}

/// Turns the text below a command's options into paragraphs and lists; its examples go to `examples`.
std::string body_of(const std::string& footer, std::string& examples) {
  std::string body;
  bool in_paragraph = false, in_examples = false;
  std::size_t depth = 0;
  const auto set_depth = [&](std::size_t wanted) {
    for (; depth < wanted; ++depth) body += ".RS 4\n";
    for (; depth > wanted; --depth) body += ".RE\n";
  };
  for (const std::string& line : lines_of(footer)) {
    const std::size_t blanks = line.find_first_not_of(' ');
    if (blanks == std::string::npos) {
      in_paragraph = in_examples = false;
    } else if (blanks > 0 && in_examples) {
      examples += escaped(line.substr(blanks)) + "\n";
    } else if (blanks > 0) {
      constexpr std::size_t kIndent = 2;
      set_depth(blanks / kIndent - 1);
      const std::string entry = line.substr(blanks);
      const std::size_t end = end_of_name(entry);
      if (end == std::string::npos) {
        body += ".br\n" + escaped(entry) + "\n";
      } else {
        const std::size_t rest = entry.find_first_not_of(": ", end);
        body += fmt::format(".TP 12\n.B {}\n{}\n", escaped(entry.substr(0, end)),
                            rest == std::string::npos ? "" : escaped(entry.substr(rest)));
      }
      in_paragraph = false;
    } else if (line.starts_with("Example")) {
      in_examples = true;
    } else {
      set_depth(0);
      if (!in_paragraph) body += ".PP\n";
      in_paragraph = true;
      body += escaped(line) + "\n";
    }
  }
  set_depth(0);
  return body;
}

std::string entry_of(const Option& option) {
  std::string names;
  for (const std::string& name : option.names)
    names +=
        (names.empty() ? "" : "\\fR, ") + std::string(option.is_placed() ? "\\fI" : "\\fB") + escaped(name);
  if (!option.type.empty()) names += " \\fI" + escaped(option.type);
  std::string text = ".TP\n" + names + "\\fR\n";
  for (const std::string& line : lines_of(option.help)) text += escaped(line) + "\n";
  if (!option.default_text.empty()) text += fmt::format("(by default {})\n", escaped(option.default_text));
  if (option.is_required && !option.is_placed()) text += "(required)\n";
  return text;
}

/// Returns the options under their headings, those that have their place by no name first.
std::string options_of(const Command& command) {
  std::string text = ".SH OPTIONS\n";
  for (const Option& option : command.options())
    if (option.is_placed()) text += entry_of(option);
  for (const Group group : groups_of(command)) {
    if (group != Group::options) text += fmt::format(".SS {}\n", escaped(heading(group)));
    for (const Option& option : command.options())
      if (option.group == group && !option.is_placed()) text += entry_of(option);
  }
  return text;
}

std::string synopsis_of(const Command& command, const std::string& called) {
  std::string text = fmt::format(".SH SYNOPSIS\n.B {}\n[\\fIOPTION\\fR...]", escaped(called));
  for (const Option& option : command.options()) {
    if (option.is_placed()) {
      const bool many = option.target.is_list && option.name().find("...") == std::string::npos;
      const std::string word = fmt::format("\\fI{}\\fR{}", escaped(option.name()), many ? "..." : "");
      text += option.is_required ? " " + word : " [" + word + "]";
    } else if (option.is_required) {
      text += fmt::format(" \\fB{}\\fR \\fI{}\\fR", escaped(option.names.front()), escaped(option.type));
    }
  }
  return text + "\n";
}

/// Returns a page's beginning and its end around what `options` says.
std::string page(const Program& program, const Command& command, const std::string& name,
                 const std::string& synopsis, const std::string& options, const std::string& see_also) {
  std::string examples;
  const std::string body = body_of(command.footer, examples);
  std::string text = fmt::format(".\\\" From the declared options: {} --help-all.\n", escaped(name));
  text += fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n", upper(escaped(name)),
                      escaped(program.version_text));
  std::string summary = command.help;
  if (summary.ends_with('.')) summary.pop_back();
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(summary));
  text += synopsis + fmt::format(".SH DESCRIPTION\n{}\n", escaped(sentence(command.help)));
  text += body + options;
  if (!examples.empty()) text += ".SH EXAMPLES\n.EX\n" + examples + ".EE\n";
  return text + ".SH SEE ALSO\n" + see_also;
}

std::string reference(const std::string& page) {
  return fmt::format(".BR {} (1)", escaped(page));
}

std::string page_of(const Program& program, const Command& command) {
  return program.name + "-" + command.name;
}

}  // namespace

std::string manual_page(const Program& program) {
  std::string commands = ".SH COMMANDS\n", see_also;
  for (const Command& command : program.commands()) {
    const std::string name = page_of(program, command);
    commands += fmt::format(".TP\n{}\n{}\n", reference(name), escaped(sentence(command.help)));
    see_also += fmt::format("{}{}", see_also.empty() ? "" : ",\n", reference(name));
  }
  const std::string synopsis =
      fmt::format(".SH SYNOPSIS\n.B {}\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n", program.name);
  return page(program, program, program.name, synopsis, commands + options_of(program), see_also + "\n");
}

std::string manual_page(const Program& program, const Command& command) {
  return page(program, command, page_of(program, command),
              synopsis_of(command, program.name + " " + command.name), options_of(command),
              reference(program.name) + "\n");
}

}  // namespace scanlens
