#ifndef KITH_CPANGO_H
#define KITH_CPANGO_H

// The part of cairo and pango that is used, declared here: their own headers include those of glib, whose folders only
// pkg-config knows, with flags that the package manager warns about. Both libraries keep these as they are
// (https://www.cairographics.org/manual/, https://docs.gtk.org/Pango/, https://docs.gtk.org/PangoCairo/).

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef enum _cairo_status { CAIRO_STATUS_SUCCESS = 0, CAIRO_STATUS_WRITE_ERROR = 11 } cairo_status_t;
typedef enum _cairo_pdf_metadata { CAIRO_PDF_METADATA_TITLE = 0 } cairo_pdf_metadata_t;
typedef cairo_status_t (*cairo_write_func_t)(void *closure, const unsigned char *data, unsigned int length);

cairo_surface_t *cairo_pdf_surface_create_for_stream(
    cairo_write_func_t write, void *closure, double width_in_points, double height_in_points);
void cairo_pdf_surface_set_metadata(cairo_surface_t *surface, cairo_pdf_metadata_t metadata, const char *utf8);
void cairo_surface_finish(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);
cairo_status_t cairo_surface_status(cairo_surface_t *surface);
cairo_t *cairo_create(cairo_surface_t *target);
void cairo_destroy(cairo_t *cr);
cairo_status_t cairo_status(cairo_t *cr);
void cairo_move_to(cairo_t *cr, double x, double y);
void cairo_line_to(cairo_t *cr, double x, double y);
void cairo_set_line_width(cairo_t *cr, double width);
void cairo_stroke(cairo_t *cr);
void cairo_show_page(cairo_t *cr);

typedef struct _PangoContext PangoContext;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _PangoLanguage PangoLanguage;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoLayoutLine PangoLayoutLine;
typedef struct _PangoRectangle {
  int x;
  int y;
  int width;
  int height;
} PangoRectangle;
typedef enum { PANGO_WRAP_WORD = 0, PANGO_WRAP_CHAR = 1, PANGO_WRAP_WORD_CHAR = 2 } PangoWrapMode;
enum { PANGO_SCALE = 1024 };

PangoContext *pango_cairo_create_context(cairo_t *cr);
void pango_cairo_show_layout_line(cairo_t *cr, PangoLayoutLine *line);
void pango_context_set_language(PangoContext *context, PangoLanguage *language);
PangoFontDescription *pango_font_description_from_string(const char *str);
void pango_font_description_free(PangoFontDescription *desc);
PangoLanguage *pango_language_from_string(const char *language);
PangoLayout *pango_layout_new(PangoContext *context);
int pango_layout_get_line_count(PangoLayout *layout);
PangoLayoutLine *pango_layout_get_line_readonly(PangoLayout *layout, int line);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *desc);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_wrap(PangoLayout *layout, PangoWrapMode wrap);
void pango_layout_line_get_extents(PangoLayoutLine *line, PangoRectangle *ink_rect, PangoRectangle *logical_rect);

void g_object_unref(void *object);

#endif
