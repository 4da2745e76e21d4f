#include "CBuild.h"

#define TEXT(words) #words
#define TEXT_OF(macro) TEXT(macro)

const char *kith_build(void) { return TEXT_OF(KITH_BUILD); }
