#include "textflag.h"

// shiftAdd: dst[k] = Σ src[k − offset] over the offsets, in blocks of 64 bytes. ADD
// adds numbers, of 1<<BITS bytes.
//
// DI dst, SI src, R8 offsets, R9 their number, R10 blocks left, R11 offset
// number, AX and BX addresses.

#define ENTER \
	MOVQ a+0(FP), DX   \
	MOVQ 0(DX), DI     \
	MOVQ 8(DX), SI     \
	MOVQ 16(DX), R8    \
	MOVQ 24(DX), R9    \
	MOVQ 32(DX), R10

#define ADDRESS(BITS) \
	MOVLQSX (R8)(R11*4), AX \
	SHLQ    $BITS, AX       \
	MOVQ    SI, BX          \
	SUBQ    AX, BX

#define NEXT(LOOP) \
	INCQ R11     \
	CMPQ R11, R9 \
	JLT  LOOP

#define CLEAR4Z(A, B, C, D) \
	VPXORQ A, A, A \
	VPXORQ B, B, B \
	VPXORQ C, C, C \
	VPXORQ D, D, D

#define CLEAR4Y(A, B, C, D) \
	VPXOR A, A, A \
	VPXOR B, B, B \
	VPXOR C, C, C \
	VPXOR D, D, D

#define SHIFTADD512(ADD, BITS) \
	ENTER                  \
eight:                     \
	CMPQ R10, $8           \
	JLT  two               \
	CLEAR4Z(Z0, Z1, Z2, Z3) \
	CLEAR4Z(Z4, Z5, Z6, Z7) \
	XORQ R11, R11          \
eightLoop:                 \
	ADDRESS(BITS)          \
	ADD  0(BX), Z0, Z0     \
	ADD  64(BX), Z1, Z1    \
	ADD  128(BX), Z2, Z2   \
	ADD  192(BX), Z3, Z3   \
	ADD  256(BX), Z4, Z4   \
	ADD  320(BX), Z5, Z5   \
	ADD  384(BX), Z6, Z6   \
	ADD  448(BX), Z7, Z7   \
	NEXT(eightLoop)        \
	VMOVUPD Z0, 0(DI)      \
	VMOVUPD Z1, 64(DI)     \
	VMOVUPD Z2, 128(DI)    \
	VMOVUPD Z3, 192(DI)    \
	VMOVUPD Z4, 256(DI)    \
	VMOVUPD Z5, 320(DI)    \
	VMOVUPD Z6, 384(DI)    \
	VMOVUPD Z7, 448(DI)    \
	ADDQ $512, DI          \
	ADDQ $512, SI          \
	SUBQ $8, R10           \
	JMP  eight             \
two:                       \
	CMPQ R10, $2           \
	JLT  one               \
	VPXORQ Z0, Z0, Z0      \
	VPXORQ Z1, Z1, Z1      \
	XORQ R11, R11          \
twoLoop:                   \
	ADDRESS(BITS)          \
	ADD  0(BX), Z0, Z0     \
	ADD  64(BX), Z1, Z1    \
	NEXT(twoLoop)          \
	VMOVUPD Z0, 0(DI)      \
	VMOVUPD Z1, 64(DI)     \
	ADDQ $128, DI          \
	ADDQ $128, SI          \
	SUBQ $2, R10           \
	JMP  two               \
one:                       \
	TESTQ R10, R10         \
	JEQ  done              \
	VPXORQ Z0, Z0, Z0      \
	XORQ R11, R11          \
oneLoop:                   \
	ADDRESS(BITS)          \
	ADD  0(BX), Z0, Z0     \
	NEXT(oneLoop)          \
	VMOVUPD Z0, 0(DI)      \
done:                      \
	VZEROUPPER             \
	RET

#define SHIFTADD256(ADD, BITS) \
	ENTER                  \
four:                      \
	CMPQ R10, $4           \
	JLT  single            \
	CLEAR4Y(Y0, Y1, Y2, Y3) \
	CLEAR4Y(Y4, Y5, Y6, Y7) \
	XORQ R11, R11          \
fourLoop:                  \
	ADDRESS(BITS)          \
	ADD  0(BX), Y0, Y0     \
	ADD  32(BX), Y1, Y1    \
	ADD  64(BX), Y2, Y2    \
	ADD  96(BX), Y3, Y3    \
	ADD  128(BX), Y4, Y4   \
	ADD  160(BX), Y5, Y5   \
	ADD  192(BX), Y6, Y6   \
	ADD  224(BX), Y7, Y7   \
	NEXT(fourLoop)         \
	VMOVUPD Y0, 0(DI)      \
	VMOVUPD Y1, 32(DI)     \
	VMOVUPD Y2, 64(DI)     \
	VMOVUPD Y3, 96(DI)     \
	VMOVUPD Y4, 128(DI)    \
	VMOVUPD Y5, 160(DI)    \
	VMOVUPD Y6, 192(DI)    \
	VMOVUPD Y7, 224(DI)    \
	ADDQ $256, DI          \
	ADDQ $256, SI          \
	SUBQ $4, R10           \
	JMP  four              \
single:                    \
	TESTQ R10, R10         \
	JEQ  done              \
	VPXOR Y0, Y0, Y0       \
	VPXOR Y1, Y1, Y1       \
	XORQ R11, R11          \
singleLoop:                \
	ADDRESS(BITS)          \
	ADD  0(BX), Y0, Y0     \
	ADD  32(BX), Y1, Y1    \
	NEXT(singleLoop)       \
	VMOVUPD Y0, 0(DI)      \
	VMOVUPD Y1, 32(DI)     \
	ADDQ $64, DI           \
	ADDQ $64, SI           \
	DECQ R10               \
	JMP  single            \
done:                      \
	VZEROUPPER             \
	RET

// func shiftAddAVX512(a *shift)
TEXT ·shiftAddAVX512(SB), NOSPLIT, $0-8
	SHIFTADD512(VADDPD, 3)

// func shiftAdd32AVX512(a *shift)
TEXT ·shiftAdd32AVX512(SB), NOSPLIT, $0-8
	SHIFTADD512(VPADDD, 2)

// func shiftAddAVX2(a *shift)
TEXT ·shiftAddAVX2(SB), NOSPLIT, $0-8
	SHIFTADD256(VADDPD, 3)

// func shiftAdd32AVX2(a *shift)
TEXT ·shiftAdd32AVX2(SB), NOSPLIT, $0-8
	SHIFTADD256(VPADDD, 2)

// fill: DI dst, AX pattern, R8 vectors of 64 bytes.

// func fillAVX512(dst unsafe.Pointer, pattern uint64, blocks int)
TEXT ·fillAVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	VPBROADCASTQ pattern+8(FP), Z0
	MOVQ blocks+16(FP), R8

loop:
	VMOVDQU64 Z0, (DI)
	ADDQ $64, DI
	DECQ R8
	JG   loop
	VZEROUPPER
	RET

// func fillAVX2(dst unsafe.Pointer, pattern uint64, blocks int)
TEXT ·fillAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	VPBROADCASTQ pattern+8(FP), Y0
	MOVQ blocks+16(FP), R8

loop:
	VMOVDQU Y0, (DI)
	VMOVDQU Y0, 32(DI)
	ADDQ $64, DI
	DECQ R8
	JG   loop
	VZEROUPPER
	RET

DATA ·ramp+0(SB)/8, $0.0
DATA ·ramp+8(SB)/8, $1.0
DATA ·ramp+16(SB)/8, $2.0
DATA ·ramp+24(SB)/8, $3.0
DATA ·ramp+32(SB)/8, $4.0
DATA ·ramp+40(SB)/8, $5.0
DATA ·ramp+48(SB)/8, $6.0
DATA ·ramp+56(SB)/8, $7.0
DATA ·ramp+64(SB)/8, $8.0
GLOBL ·ramp(SB), RODATA|NOPTR, $72

// spread: see spreadScalar. Z0 numbers, Z1 the last one, Z2 step, Z3 least and Z4
// greatest rest, Z5 eight.

// func spreadAVX512(a *spread)
TEXT ·spreadAVX512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	VBROADCASTSD 0(DI), Z2
	MOVQ 8(DI), SI
	MOVQ 16(DI), R8
	LEAQ -1(R8), AX
	VCVTSI2SDQ AX, X1, X1
	VBROADCASTSD X1, Z1
	VMOVUPD ·ramp(SB), Z0
	VBROADCASTSD ·ramp+64(SB), Z5
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4

loop:
	VMINPD Z1, Z0, Z6
	VMULPD Z2, Z6, Z6
	VRNDSCALEPD $0, Z6, Z7
	VCVTPD2DQ Z7, Y8
	VMOVDQU Y8, (SI)
	VSUBPD Z7, Z6, Z6
	VMINPD Z6, Z3, Z3
	VMAXPD Z6, Z4, Z4
	VADDPD Z5, Z0, Z0
	ADDQ $32, SI
	SUBQ $8, R8
	JG   loop

	LEAQ 24(DI), DI
	JMP  foldedRange512<>(SB)

// func spreadAVX2(a *spread)
TEXT ·spreadAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	VBROADCASTSD 0(DI), Y2
	MOVQ 8(DI), SI
	MOVQ 16(DI), R8
	LEAQ -1(R8), AX
	VCVTSI2SDQ AX, X1, X1
	VBROADCASTSD X1, Y1
	VMOVUPD ·ramp(SB), Y0
	VBROADCASTSD ·ramp+32(SB), Y5
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4

loop:
	VMINPD Y1, Y0, Y6
	VMULPD Y2, Y6, Y6
	VROUNDPD $0, Y6, Y7
	VCVTPD2DQY Y7, X8
	VMOVDQU X8, (SI)
	VSUBPD Y7, Y6, Y6
	VMINPD Y6, Y3, Y3
	VMAXPD Y6, Y4, Y4
	VADDPD Y5, Y0, Y0
	ADDQ $16, SI
	SUBQ $4, R8
	JG   loop

	LEAQ 24(DI), DI
	JMP  foldedRange<>(SB)

// binned: offsets = (values − low)·per, rounded, and the range of what that moves them by; extent: the range
// of values. n is a multiple of 8, and not 0.
//
// DI the argument, SI values, R8 n, R9 offsets.

// func binnedAVX512(a *binned)
TEXT ·binnedAVX512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	MOVQ 0(DI), SI
	VBROADCASTSD 8(DI), Z1
	VBROADCASTSD 16(DI), Z2
	MOVQ 24(DI), R9
	MOVQ 32(DI), R8
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4

loop:
	VMOVUPD (SI), Z6
	VSUBPD Z1, Z6, Z6
	VMULPD Z2, Z6, Z6
	VRNDSCALEPD $0, Z6, Z7
	VCVTPD2DQ Z7, Y8
	VMOVDQU Y8, (R9)
	VSUBPD Z7, Z6, Z6
	VMINPD Z6, Z3, Z3
	VMAXPD Z6, Z4, Z4
	ADDQ $64, SI
	ADDQ $32, R9
	SUBQ $8, R8
	JG   loop

	LEAQ 40(DI), DI
	JMP  foldedRange512<>(SB)

// func binnedAVX2(a *binned)
TEXT ·binnedAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	MOVQ 0(DI), SI
	VBROADCASTSD 8(DI), Y1
	VBROADCASTSD 16(DI), Y2
	MOVQ 24(DI), R9
	MOVQ 32(DI), R8
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4

loop:
	VMOVUPD (SI), Y6
	VSUBPD Y1, Y6, Y6
	VMULPD Y2, Y6, Y6
	VROUNDPD $0, Y6, Y7
	VCVTPD2DQY Y7, X8
	VMOVDQU X8, (R9)
	VSUBPD Y7, Y6, Y6
	VMINPD Y6, Y3, Y3
	VMAXPD Y6, Y4, Y4
	ADDQ $32, SI
	ADDQ $16, R9
	SUBQ $4, R8
	JG   loop

	LEAQ 40(DI), DI
	JMP  foldedRange<>(SB)

// func extentAVX512(a *extent)
TEXT ·extentAVX512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	MOVQ 0(DI), SI
	MOVQ 8(DI), R8
	VMOVUPD (SI), Z3
	VMOVUPD (SI), Z4

loop:
	VMOVUPD (SI), Z6
	VMINPD Z6, Z3, Z3
	VMAXPD Z6, Z4, Z4
	ADDQ $64, SI
	SUBQ $8, R8
	JG   loop

	LEAQ 16(DI), DI
	JMP  foldedRange512<>(SB)

// func extentAVX2(a *extent)
TEXT ·extentAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	MOVQ 0(DI), SI
	MOVQ 8(DI), R8
	VMOVUPD (SI), Y3
	VMOVUPD (SI), Y4

loop:
	VMOVUPD (SI), Y6
	VMINPD Y6, Y3, Y3
	VMAXPD Y6, Y4, Y4
	ADDQ $32, SI
	SUBQ $4, R8
	JG   loop

	LEAQ 16(DI), DI
	JMP  foldedRange<>(SB)

// foldedRange512 is foldedRange of Z3 and Z4.
TEXT foldedRange512<>(SB), NOSPLIT, $0
	VEXTRACTF64X4 $1, Z3, Y6
	VMINPD Y6, Y3, Y3
	VEXTRACTF64X4 $1, Z4, Y6
	VMAXPD Y6, Y4, Y4
	JMP  foldedRange<>(SB)

// foldedRange writes the least of Y3 to (DI), and the greatest of Y4 behind it, and returns.
TEXT foldedRange<>(SB), NOSPLIT, $0
	VEXTRACTF128 $1, Y3, X6
	VMINPD X6, X3, X3
	VPERMILPD $1, X3, X6
	VMINPD X6, X3, X3
	VMOVSD X3, 0(DI)
	VEXTRACTF128 $1, Y4, X6
	VMAXPD X6, X4, X4
	VPERMILPD $1, X4, X6
	VMAXPD X6, X4, X4
	VMOVSD X4, 8(DI)
	VZEROUPPER
	RET
