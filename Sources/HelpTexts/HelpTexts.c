#include "HelpTexts.h"

// `#embed` is C23; the compiler finds the file beside this one and builds it again when it changes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char japanese[] = {
#embed "ja.po"
};

const unsigned char *kith_help_japanese(size_t *count) {
    *count = sizeof japanese;
    return japanese;
}
