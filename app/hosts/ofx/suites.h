// The host's suites, and its properties read and written by them.
#pragma once

#include <initializer_list>
#include <string>

#include "app/hosts/ofx/abi.h"

namespace scanlens::hosts::ofx {

struct Suites {
  const PropertySuite* properties = nullptr;
  const EffectSuite* effects = nullptr;
  const ParamSuite* params = nullptr;
  const MessageSuite* messages = nullptr;  ///< null where a host shows no messages
};

/// Returns the suites that the host gave at the action "load".
const Suites& suites();

/// Fetches the suites. Returns false where the host lacks one that the plug-in needs.
bool fetch_suites(const Host& host);

/// Shows a text beside the effect until the next one, where the host can; an empty one clears it.
void show_message(Effect* effect, const std::string& text);

/// Writes values of a property, from the first on.
void put(Properties* of, const char* name, std::initializer_list<const char*> values);
void put(Properties* of, const char* name, std::initializer_list<int> values);
void put(Properties* of, const char* name, std::initializer_list<double> values);

/// Return the first value of a property; the other value where the host does not hold it.
int get(Properties* of, const char* name, int otherwise);
double get(Properties* of, const char* name, double otherwise);
std::string get(Properties* of, const char* name, const char* otherwise);
void* get_pointer(Properties* of, const char* name);
RectI get_rect(Properties* of, const char* name, const RectI& otherwise);

}  // namespace scanlens::hosts::ofx
