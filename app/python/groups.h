// The groups of functions that the module has, one file for each.
#pragma once

#include <nanobind/nanobind.h>

namespace scanlens::python {

void bind_errors(nanobind::module_& module);
void bind_scans(nanobind::module_& module);
void bind_lines(nanobind::module_& module);
void bind_selections(nanobind::module_& module);
void bind_tables(nanobind::module_& module);
void bind_filters(nanobind::module_& module);
void bind_pictures(nanobind::module_& module);
void bind_statistics(nanobind::module_& module);

}  // namespace scanlens::python
