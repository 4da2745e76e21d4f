#ifndef KITH_CPANGO_H
#define KITH_CPANGO_H

#include <stdbool.h>

// The part of cairo and pango that is used, declared here: their own headers include those of glib, whose folders only
// pkg-config knows, with flags that the package manager warns about. Both libraries keep these as they are
// (https://www.cairographics.org/manual/, https://docs.gtk.org/Pango/, https://docs.gtk.org/PangoCairo/).

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef enum _cairo_status { CAIRO_STATUS_SUCCESS = 0, CAIRO_STATUS_WRITE_ERROR = 11 } cairo_status_t;
typedef enum _cairo_pdf_metadata { CAIRO_PDF_METADATA_TITLE = 0 } cairo_pdf_metadata_t;
typedef cairo_status_t (*cairo_write_func_t)(void *closure, const unsigned char *data, unsigned int length);

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

// Each function of the libraries: result, name, parameters, arguments.
#define KITH_PANGO_FUNCTIONS(USE) \
  USE(cairo_surface_t *, cairo_pdf_surface_create_for_stream, \
      (cairo_write_func_t write, void *closure, double width_in_points, double height_in_points), \
      (write, closure, width_in_points, height_in_points)) \
  USE(void, cairo_pdf_surface_set_metadata, (cairo_surface_t * surface, cairo_pdf_metadata_t metadata, const char *utf8), \
      (surface, metadata, utf8)) \
  USE(void, cairo_surface_finish, (cairo_surface_t * surface), (surface)) \
  USE(void, cairo_surface_destroy, (cairo_surface_t * surface), (surface)) \
  USE(cairo_status_t, cairo_surface_status, (cairo_surface_t * surface), (surface)) \
  USE(cairo_t *, cairo_create, (cairo_surface_t * target), (target)) \
  USE(void, cairo_destroy, (cairo_t * cr), (cr)) \
  USE(cairo_status_t, cairo_status, (cairo_t * cr), (cr)) \
  USE(void, cairo_move_to, (cairo_t * cr, double x, double y), (cr, x, y)) \
  USE(void, cairo_line_to, (cairo_t * cr, double x, double y), (cr, x, y)) \
  USE(void, cairo_set_line_width, (cairo_t * cr, double width), (cr, width)) \
  USE(void, cairo_set_dash, (cairo_t * cr, const double *dashes, int num_dashes, double offset), (cr, dashes, num_dashes, offset)) \
  USE(void, cairo_set_source_rgb, (cairo_t * cr, double red, double green, double blue), (cr, red, green, blue)) \
  USE(void, cairo_new_path, (cairo_t * cr), (cr)) \
  USE(void, cairo_arc, (cairo_t * cr, double xc, double yc, double radius, double angle1, double angle2), \
      (cr, xc, yc, radius, angle1, angle2)) \
  USE(void, cairo_rectangle, (cairo_t * cr, double x, double y, double width, double height), (cr, x, y, width, height)) \
  USE(void, cairo_fill, (cairo_t * cr), (cr)) \
  USE(void, cairo_stroke, (cairo_t * cr), (cr)) \
  USE(void, cairo_show_page, (cairo_t * cr), (cr)) \
  USE(PangoContext *, pango_cairo_create_context, (cairo_t * cr), (cr)) \
  USE(void, pango_cairo_show_layout_line, (cairo_t * cr, PangoLayoutLine * line), (cr, line)) \
  USE(void, pango_context_set_language, (PangoContext * context, PangoLanguage * language), (context, language)) \
  USE(PangoFontDescription *, pango_font_description_from_string, (const char *text), (text)) \
  USE(void, pango_font_description_free, (PangoFontDescription * description), (description)) \
  USE(PangoLanguage *, pango_language_from_string, (const char *language), (language)) \
  USE(PangoLayout *, pango_layout_new, (PangoContext * context), (context)) \
  USE(int, pango_layout_get_line_count, (PangoLayout * layout), (layout)) \
  USE(PangoLayoutLine *, pango_layout_get_line_readonly, (PangoLayout * layout, int line), (layout, line)) \
  USE(int, pango_layout_get_unknown_glyphs_count, (PangoLayout * layout), (layout)) \
  USE(void, pango_layout_set_font_description, (PangoLayout * layout, const PangoFontDescription *description), \
      (layout, description)) \
  USE(void, pango_layout_set_text, (PangoLayout * layout, const char *text, int length), (layout, text, length)) \
  USE(void, pango_layout_set_width, (PangoLayout * layout, int width), (layout, width)) \
  USE(void, pango_layout_set_wrap, (PangoLayout * layout, PangoWrapMode wrap), (layout, wrap)) \
  USE(void, pango_layout_line_get_extents, \
      (PangoLayoutLine * line, PangoRectangle * ink_rect, PangoRectangle * logical_rect), (line, ink_rect, logical_rect)) \
  USE(void, g_object_unref, (void *object), (object))

/// Loads the libraries, which only a report needs. Call it before any other function. Returns the file that is missing, or NULL.
const char *kith_load_pango(void);

#define KITH_DECLARE(type, name, parameters, arguments) __attribute__((visibility("hidden"))) type name parameters;
KITH_PANGO_FUNCTIONS(KITH_DECLARE)

#endif
