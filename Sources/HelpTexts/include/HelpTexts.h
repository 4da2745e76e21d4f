// The translations of help and usage errors, which the compiler puts into the programs.
#ifndef KITH_HELP_TEXTS_H
#define KITH_HELP_TEXTS_H

#include <stddef.h>

// The Japanese catalogue in the form of gettext (PO), in UTF-8; `count` is set to its bytes. It lives as long as the program.
const unsigned char *kith_help_japanese(size_t *count);

#endif
