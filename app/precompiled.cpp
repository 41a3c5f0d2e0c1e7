// A target with a precompiled header needs a file. This one compiles the header by itself, too.
#include "app/precompiled.h"
