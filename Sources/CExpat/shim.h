#ifndef KITH_CEXPAT_H
#define KITH_CEXPAT_H

#include <expat.h>

#endif
