#define _GNU_SOURCE 1

#include "CLinux.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

static int give_back_code(struct dl_phdr_info *object, size_t size, void *total) {
  (void)size;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
    // Code is never written, so its file has all of it. What the linker writes to, as tables of addresses, is in other segments.
    if (segment->p_type != PT_LOAD || segment->p_flags != (PF_R | PF_X)) continue;
    uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
    size_t length = object->dlpi_addr + segment->p_vaddr + segment->p_memsz - start;
    if (madvise((void *)start, length, MADV_DONTNEED) == 0) *(size_t *)total += length;
  }
  return 0;
}

size_t kith_give_back_code(void) {
  size_t total = 0;
  dl_iterate_phdr(give_back_code, &total);
  return total;
}
