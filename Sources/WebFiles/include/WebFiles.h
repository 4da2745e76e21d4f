// Files that kith-web serves, which the compiler puts into the program.
#ifndef KITH_WEB_FILES_H
#define KITH_WEB_FILES_H

#include <stddef.h>

struct kith_web_file {
    const char *name;
    const char *media_type;
    const unsigned char *bytes;
    size_t count;
};

// The file at an index; NULL behind the last one.
const struct kith_web_file *kith_web_file_at(size_t index);

#endif
