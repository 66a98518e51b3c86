/* gcc for Windows may keep vectors of 32 and 64 bytes on a stack that Windows aligns to 16
 * only, and still move them with instructions that fault where an address is not aligned (GCC
 * bug 54412; some distributions have a patch, others have not). In files that include this, the
 * assembler takes each such instruction for its unaligned twin, which is as fast on aligned
 * addresses. `make test-windows` looks for them in the object code.
 *
 * Define PCF_UNALIGNED_MOVES to have it on other systems. */
#pragma once

#if defined(_WIN32) && defined(__GNUC__) && !defined(__clang__)
#define PCF_UNALIGNED_MOVES
#endif

#ifdef PCF_UNALIGNED_MOVES
#define PCF_REPLACE_MOVE(aligned, unaligned) \
  __asm__(".macro " aligned " operands:vararg\n\t" unaligned " \\operands\n.endm")

PCF_REPLACE_MOVE("vmovaps", "vmovups");
PCF_REPLACE_MOVE("vmovapd", "vmovupd");
PCF_REPLACE_MOVE("vmovdqa", "vmovdqu");
PCF_REPLACE_MOVE("vmovdqa32", "vmovdqu32");
PCF_REPLACE_MOVE("vmovdqa64", "vmovdqu64");
#endif
