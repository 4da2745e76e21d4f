#ifndef KITH_CBUILD_H
#define KITH_CBUILD_H

/// Which state of the sources this was built from, as scripts/version.sh says: "12.gabc1234" or "12.gabc1234.dirty". Empty for a
/// release, and where it is not known. In C, so that another state compiles this file alone.
const char *kith_build(void);

#endif
