#include "app/hosts/ofx/suites.h"

namespace scanlens::hosts::ofx {
namespace {

// A host loads a plug-in once, before it calls anything else.
Suites g_suites;

template <class T, class Set>
void put_all(Properties* of, const char* name, std::initializer_list<T> values, Set set) {
  for (int index = 0; const T value : values) set(of, name, index++, value);
}

}  // namespace

const Suites& suites() {
  return g_suites;
}

bool fetch_suites(const Host& host) {
  const auto fetch = [&](const char* name, int version = 1) {
    return host.fetch_suite(host.properties, name, version);
  };
  g_suites = {static_cast<const PropertySuite*>(fetch("OfxPropertySuite")),
              static_cast<const EffectSuite*>(fetch("OfxImageEffectSuite")),
              static_cast<const ParamSuite*>(fetch("OfxParameterSuite")),
              static_cast<const MessageSuite*>(fetch("OfxMessageSuite", 2))};
  return g_suites.properties && g_suites.effects && g_suites.params;
}

void show_message(Effect* effect, const std::string& text) {
  if (!g_suites.messages) return;
  if (text.empty())
    g_suites.messages->clear(effect);
  else
    g_suites.messages->keep(effect, "OfxMessageError", "", "scanlens: %s", text.c_str());
}

void put(Properties* of, const char* name, std::initializer_list<const char*> values) {
  put_all(of, name, values, g_suites.properties->set_string);
}

void put(Properties* of, const char* name, std::initializer_list<int> values) {
  put_all(of, name, values, g_suites.properties->set_int);
}

void put(Properties* of, const char* name, std::initializer_list<double> values) {
  put_all(of, name, values, g_suites.properties->set_double);
}

int get(Properties* of, const char* name, int otherwise) {
  int value = otherwise;
  return g_suites.properties->get_int(of, name, 0, &value) == kOk ? value : otherwise;
}

double get(Properties* of, const char* name, double otherwise) {
  double value = otherwise;
  return g_suites.properties->get_double(of, name, 0, &value) == kOk ? value : otherwise;
}

std::string get(Properties* of, const char* name, const char* otherwise) {
  char* value = nullptr;
  return g_suites.properties->get_string(of, name, 0, &value) == kOk && value ? value : otherwise;
}

void* get_pointer(Properties* of, const char* name) {
  void* value = nullptr;
  return g_suites.properties->get_pointer(of, name, 0, &value) == kOk ? value : nullptr;
}

RectI get_rect(Properties* of, const char* name, const RectI& otherwise) {
  int values[4];
  if (g_suites.properties->get_ints(of, name, 4, values) != kOk) return otherwise;
  return {values[0], values[1], values[2], values[3]};
}

}  // namespace scanlens::hosts::ofx
