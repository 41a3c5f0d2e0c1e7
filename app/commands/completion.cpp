// `scanlens completion` prints the script that makes a shell complete scanlens's words, and answers that
// script.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/gl/embedded.h"
#include "app/options/complete.h"
#include "app/options/values.h"

namespace scanlens {
namespace {

constexpr const char* kScripts = "app/package/completion.";

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files())
    if (file.name.starts_with(kScripts))
      names.emplace_back(file.name.substr(std::string_view(kScripts).size()));
  return names;
}

std::string_view script_of(const std::string& shell) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.name == kScripts + shell) return file.text;
  return {};
}

/// Prints what the scripts read: a line "files" with the part of the word that stands before a file's name,
/// or "words"; then a word a line, with its help behind a tab.
void print(const Completion& offered) {
  fmt::print("{}\t{}\n", offered.files ? "files" : "words", offered.files.value_or(""));
  for (const Completion::Word& word : offered.words) fmt::print("{}\t{}\n", word.text, word.help);
}

struct CompletionCommand {
  std::string shell;
  std::vector<std::string> words;

  void run(const Program& program) const {
    if (words.empty()) {
      fmt::print("{}", script_of(shell));
      return;
    }
    print(complete(program, words));
  }
};

}  // namespace

void add_completion_command(Program& program) {
  auto self = std::make_shared<CompletionCommand>();
  Command& command =
      program.add_command("completion", "print the script that makes a shell complete commands and options");
  command.add("SHELL", &self->shell, "bash, zsh or fish").required().check(one_of(shells()));
  command.add(
      "WORD", &self->words,
      "behind --: the words of a command line behind the program's name; prints what may stand in place\n"
      "of the last one, which is begun or empty, as the scripts read it");
  command.brief =
      "Packages install these scripts. Without one, put `source <(scanlens completion bash)` into ~/.bashrc, "
      "or the\n"
      "same with zsh into ~/.zshrc, behind compinit.\n";
  command.footer = command.brief +
                   "\nExamples:\n"
                   "  scanlens completion bash\n"
                   "  scanlens completion fish > ~/.config/fish/completions/scanlens.fish\n"
                   "  scanlens completion bash -- dof --quality ''";
  command.run = [self, &program] { return self->run(program), 0; };
}

}  // namespace scanlens
