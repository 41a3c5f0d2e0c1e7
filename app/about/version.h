// Facts about this build: its version, commit, backends and libraries.
#pragma once

#include <string_view>

#include "app/io/json.h"

namespace scanlens {

/// Returns the commit as git describes it; null where it was built without git.
Json commit_of_build();

/// Returns what `scanlens --version --json` and `scanlens info --json` say of the build. Opens no device.
Json version_facts(std::string_view command);

}  // namespace scanlens
