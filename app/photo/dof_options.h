// The options of the command line that the table of depth of field's parameters stands for.
#pragma once

#include "app/options/options.h"
#include "filters/dof_params.h"

namespace scanlens {

/// Adds the option of a parameter. `defaults` are what help shows; `of_scene` is true if depth always has a
/// unit.
Option& add_dof_option(Command& command, const DofParam& param, DofGiven& given, const DofValues& defaults,
                       bool of_scene);

}  // namespace scanlens
