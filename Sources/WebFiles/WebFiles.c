#include "WebFiles.h"

// `#embed` is C23; the compiler finds the files beside this one and builds it again when they change.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "../../docs/api/openapi.json"
};

static const unsigned char app_js[] = {
#embed "pages/app.js"
};

static const unsigned char door_css[] = {
#embed "pages/door.css"
};

static const unsigned char form_js[] = {
#embed "pages/form.js"
};

static const unsigned char icon_svg[] = {
#embed "pages/icon.svg"
};

static const unsigned char lists_js[] = {
#embed "pages/lists.js"
};

static const unsigned char live_js[] = {
#embed "pages/live.js"
};

static const unsigned char manifest_webmanifest[] = {
#embed "pages/manifest.webmanifest"
};

static const unsigned char offline_html[] = {
#embed "pages/offline.html"
};

static const unsigned char page_css[] = {
#embed "pages/page.css"
};

static const unsigned char pair_js[] = {
#embed "pages/pair.js"
};

static const unsigned char photos_js[] = {
#embed "pages/photos.js"
};

static const unsigned char push_js[] = {
#embed "pages/push.js"
};

static const unsigned char queue_js[] = {
#embed "pages/queue.js"
};

static const unsigned char recorder_worklet_js[] = {
#embed "pages/recorder-worklet.js"
};

static const unsigned char recorder_js[] = {
#embed "pages/recorder.js"
};

static const unsigned char sender_js[] = {
#embed "pages/sender.js"
};

static const unsigned char store_js[] = {
#embed "pages/store.js"
};

static const unsigned char sw_js[] = {
#embed "pages/sw.js"
};

static const unsigned char voice_js[] = {
#embed "pages/voice.js"
};

static const unsigned char wav_js[] = {
#embed "pages/wav.js"
};

static const unsigned char words_js[] = {
#embed "pages/words.js"
};

static const unsigned char zone_js[] = {
#embed "pages/zone.js"
};

static const struct kith_web_file files[] = {
    {"openapi.json", "application/json", openapi, sizeof openapi},
    {"app.js", "text/javascript; charset=utf-8", app_js, sizeof app_js},
    {"door.css", "text/css; charset=utf-8", door_css, sizeof door_css},
    {"form.js", "text/javascript; charset=utf-8", form_js, sizeof form_js},
    {"icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
    {"lists.js", "text/javascript; charset=utf-8", lists_js, sizeof lists_js},
    {"live.js", "text/javascript; charset=utf-8", live_js, sizeof live_js},
    {"manifest.webmanifest", "application/manifest+json", manifest_webmanifest, sizeof manifest_webmanifest},
    {"offline.html", "text/html; charset=utf-8", offline_html, sizeof offline_html},
    {"page.css", "text/css; charset=utf-8", page_css, sizeof page_css},
    {"pair.js", "text/javascript; charset=utf-8", pair_js, sizeof pair_js},
    {"photos.js", "text/javascript; charset=utf-8", photos_js, sizeof photos_js},
    {"push.js", "text/javascript; charset=utf-8", push_js, sizeof push_js},
    {"queue.js", "text/javascript; charset=utf-8", queue_js, sizeof queue_js},
    {"recorder-worklet.js", "text/javascript; charset=utf-8", recorder_worklet_js, sizeof recorder_worklet_js},
    {"recorder.js", "text/javascript; charset=utf-8", recorder_js, sizeof recorder_js},
    {"sender.js", "text/javascript; charset=utf-8", sender_js, sizeof sender_js},
    {"store.js", "text/javascript; charset=utf-8", store_js, sizeof store_js},
    {"sw.js", "text/javascript; charset=utf-8", sw_js, sizeof sw_js},
    {"voice.js", "text/javascript; charset=utf-8", voice_js, sizeof voice_js},
    {"wav.js", "text/javascript; charset=utf-8", wav_js, sizeof wav_js},
    {"words.js", "text/javascript; charset=utf-8", words_js, sizeof words_js},
    {"zone.js", "text/javascript; charset=utf-8", zone_js, sizeof zone_js},
};

const struct kith_web_file *kith_web_file_at(size_t index) {
    return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
