// Advice for people who ask a command for something that it cannot do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"

namespace scanlens {

class Command;

/// Returns lines that fit a screen and say where depth maps come from, among them commands that make or take
/// a map of this photo.
std::vector<std::string> depth_advice(const std::filesystem::path& photo,
                                      const std::filesystem::path& output);

/// Returns the batch that does to these pictures and folders what a command does to one, by the options that
/// it is given: "scanlens batch photos OUT --filter dof"; nothing if no batch does that.
std::string batch_like(const Command& command, const std::vector<std::string>& inputs);

/// Throws Error, which names that batch, where a command's picture is a folder.
void refuse_folder_of_pictures(const Command& command, ErrorKind kind = ErrorKind::failed);

/// Throws Error (usage) for options of how pictures are written, where a clip is.
void refuse_options_of_pictures(const Command& command);

/// Returns the commands that do what a word says, as they are typed: "scanlens dof"; nothing where the word
/// is unknown.
std::vector<std::string> commands_meant_by(const std::string& word);

/// Returns whether a word in the place of a command names a picture or a folder, which `view` shows.
bool names_a_picture(const std::string& word);

}  // namespace scanlens
