#pragma once
#include <stddef.h>
#include <stdint.h>

/// Fuzzes `tryOne` as the arguments say: https://llvm.org/docs/LibFuzzer.html. The linker finds it in libclang_rt.fuzzer_no_main.
int LLVMFuzzerRunDriver(int *_Nonnull argc, char *_Nullable *_Nonnull *_Nonnull argv,
                        int (*_Nonnull tryOne)(const uint8_t *_Nullable bytes, size_t count));
