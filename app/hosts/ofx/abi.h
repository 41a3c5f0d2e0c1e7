// The part of OpenFX's binary interface (version 1.5) that the plug-in uses, declared after its public
// specification. A suite is the order of its members; all else goes by strings.
#pragma once

#include <cstddef>

namespace scanlens::hosts::ofx {

// Things of the host, known by pointers alone.
struct Properties;
struct Effect;
struct Param;
struct ParamSet;
struct Clip;
struct ImageMemory;

struct RectD {
  double x1, y1, x2, y2;
};
struct RectI {
  int x1, y1, x2, y2;
};

/// The result of a call, in either direction.
enum Status : int {
  kOk = 0,
  kFailed = 1,
  kErrFatal = 2,
  kErrUnknown = 3,
  kErrMissingFeature = 4,
  kErrUnsupported = 5,
  kErrExists = 6,
  kErrFormat = 7,
  kErrMemory = 8,
  kErrBadHandle = 9,
  kErrBadIndex = 10,
  kErrValue = 11,
  kReplyYes = 12,
  kReplyNo = 13,
  kReplyDefault = 14,
};

struct PropertySuite {
  Status (*set_pointer)(Properties*, const char* name, int index, void* value) = nullptr;
  Status (*set_string)(Properties*, const char* name, int index, const char* value) = nullptr;
  Status (*set_double)(Properties*, const char* name, int index, double value) = nullptr;
  Status (*set_int)(Properties*, const char* name, int index, int value) = nullptr;
  Status (*set_pointers)(Properties*, const char* name, int count, void* const* values) = nullptr;
  Status (*set_strings)(Properties*, const char* name, int count, const char* const* values) = nullptr;
  Status (*set_doubles)(Properties*, const char* name, int count, const double* values) = nullptr;
  Status (*set_ints)(Properties*, const char* name, int count, const int* values) = nullptr;
  Status (*get_pointer)(Properties*, const char* name, int index, void** value) = nullptr;
  Status (*get_string)(Properties*, const char* name, int index, char** value) = nullptr;
  Status (*get_double)(Properties*, const char* name, int index, double* value) = nullptr;
  Status (*get_int)(Properties*, const char* name, int index, int* value) = nullptr;
  Status (*get_pointers)(Properties*, const char* name, int count, void** values) = nullptr;
  Status (*get_strings)(Properties*, const char* name, int count, char** values) = nullptr;
  Status (*get_doubles)(Properties*, const char* name, int count, double* values) = nullptr;
  Status (*get_ints)(Properties*, const char* name, int count, int* values) = nullptr;
  Status (*reset)(Properties*, const char* name) = nullptr;
  Status (*get_dimension)(Properties*, const char* name, int* count) = nullptr;
};

struct EffectSuite {
  Status (*get_properties)(Effect*, Properties**) = nullptr;
  Status (*get_params)(Effect*, ParamSet**) = nullptr;
  Status (*define_clip)(Effect*, const char* name, Properties**) = nullptr;
  Status (*get_clip)(Effect*, const char* name, Clip**, Properties**) = nullptr;
  Status (*get_clip_properties)(Clip*, Properties**) = nullptr;
  Status (*get_image)(Clip*, double time, const RectD* region, Properties** image) = nullptr;
  Status (*release_image)(Properties* image) = nullptr;
  Status (*get_region_of_definition)(Clip*, double time, RectD*) = nullptr;
  int (*abort)(Effect*) = nullptr;
  Status (*allocate)(Effect*, std::size_t bytes, ImageMemory**) = nullptr;
  Status (*free)(ImageMemory*) = nullptr;
  Status (*lock)(ImageMemory*, void**) = nullptr;
  Status (*unlock)(ImageMemory*) = nullptr;
};

/// Values go as arguments of C's `...`: double*, int*, one for each number of a parameter.
struct ParamSuite {
  Status (*define)(ParamSet*, const char* type, const char* name, Properties**) = nullptr;
  Status (*get)(ParamSet*, const char* name, Param**, Properties**) = nullptr;
  Status (*get_set_properties)(ParamSet*, Properties**) = nullptr;
  Status (*get_properties)(Param*, Properties**) = nullptr;
  Status (*get_value)(Param*, ...) = nullptr;
  Status (*get_value_at)(Param*, double time, ...) = nullptr;
  Status (*get_derivative)(Param*, double time, ...) = nullptr;
  Status (*get_integral)(Param*, double from, double to, ...) = nullptr;
  Status (*set_value)(Param*, ...) = nullptr;
  Status (*set_value_at)(Param*, double time, ...) = nullptr;
  Status (*count_keys)(Param*, unsigned int*) = nullptr;
  Status (*get_key_time)(Param*, unsigned int key, double* time) = nullptr;
  Status (*find_key)(Param*, double time, int direction, int* key) = nullptr;
  Status (*delete_key)(Param*, double time) = nullptr;
  Status (*delete_keys)(Param*) = nullptr;
  Status (*copy)(Param* to, Param* from, double offset, const void* range) = nullptr;
  Status (*begin_edit)(ParamSet*, const char* name) = nullptr;
  Status (*end_edit)(ParamSet*) = nullptr;
};

/// Version 2, whose messages stay beside an effect until they are cleared.
struct MessageSuite {
  Status (*show)(void* handle, const char* type, const char* id, const char* format, ...) = nullptr;
  Status (*keep)(void* handle, const char* type, const char* id, const char* format, ...) = nullptr;
  Status (*clear)(void* handle) = nullptr;
};

/// The host as a plug-in gets it.
struct Host {
  Properties* properties;
  const void* (*fetch_suite)(Properties*, const char* name, int version);
};

/// The plug-in as a host gets it.
struct Plugin {
  const char* api;
  int api_version;
  const char* identifier;
  unsigned int major, minor;
  void (*set_host)(Host*);
  Status (*main_entry)(const char* action, const void* handle, Properties* in, Properties* out) = nullptr;
};

}  // namespace scanlens::hosts::ofx
