#include "WebFiles.h"

// `#embed` is C23; the compiler finds the files beside this one and builds it again when they change.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "../../docs/api/openapi.json"
};

static const unsigned char pair[] = {
#embed "pages/pair.js"
};

static const unsigned char style[] = {
#embed "pages/door.css"
};

static const unsigned char page_style[] = {
#embed "pages/page.css"
};

static const unsigned char icon[] = {
#embed "pages/icon.svg"
};

static const struct kith_web_file files[] = {
    {"openapi.json", "application/json", openapi, sizeof openapi},
    {"pair.js", "text/javascript; charset=utf-8", pair, sizeof pair},
    {"door.css", "text/css; charset=utf-8", style, sizeof style},
    {"page.css", "text/css; charset=utf-8", page_style, sizeof page_style},
    {"icon.svg", "image/svg+xml", icon, sizeof icon},
};

const struct kith_web_file *kith_web_file_at(size_t index) {
    return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
