#include "textflag.h"

// add: see update.
//
// DI row, SI r, R8 values, R9 rows left, R10 stride and R11 column in bytes, X6 by, X7 0, AX offset.

#define ENTER \
	MOVQ u+0(FP), DX   \
	MOVQ 0(DX), DI     \
	MOVQ 8(DX), SI     \
	MOVQ 16(DX), R8    \
	MOVQ 24(DX), R9    \
	MOVQ 32(DX), R10   \
	MOVQ 40(DX), R11   \
	VMOVSD 48(DX), X6  \
	SHLQ $3, R10       \
	SHLQ $3, R11       \
	VXORPD X7, X7, X7

// To the next row, where f is 0, or else with f in X5 taken out of this one.
#define TAKE \
	TESTQ R9, R9             \
	JEQ   done               \
	VMOVSD (DI)(R11*1), X5   \
	VUCOMISD X7, X5          \
	JNE   some               \
	JPS   some               \
next:                        \
	ADDQ R10, DI             \
	ADDQ $8, R8              \
	DECQ R9                  \
	JMP  row                 \
some:                        \
	VMOVSD (R8), X4          \
	VFMADD231SD X6, X5, X4   \
	VMOVSD X4, (R8)          \
	VMOVSD X7, (DI)(R11*1)   \
	XORQ AX, AX

// func addAVX512(u *update)
TEXT ·addAVX512(SB), NOSPLIT, $0-8
	ENTER
row:
	TAKE
	VBROADCASTSD X5, Z5
	LEAQ -128(R10), BX
	CMPQ AX, BX
	JGT  last
two:
	VMOVUPD (DI)(AX*1), Z0
	VMOVUPD 64(DI)(AX*1), Z1
	VFMADD231PD (SI)(AX*1), Z5, Z0
	VFMADD231PD 64(SI)(AX*1), Z5, Z1
	VMOVUPD Z0, (DI)(AX*1)
	VMOVUPD Z1, 64(DI)(AX*1)
	ADDQ $128, AX
	CMPQ AX, BX
	JLE  two
last:
	CMPQ AX, R10
	JGE  next
	VMOVUPD (DI)(AX*1), Z0
	VFMADD231PD (SI)(AX*1), Z5, Z0
	VMOVUPD Z0, (DI)(AX*1)
	JMP  next
done:
	VZEROUPPER
	RET

// func addAVX2(u *update)
TEXT ·addAVX2(SB), NOSPLIT, $0-8
	ENTER
row:
	TAKE
	VBROADCASTSD X5, Y5
eight:
	VMOVUPD (DI)(AX*1), Y0
	VMOVUPD 32(DI)(AX*1), Y1
	VFMADD231PD (SI)(AX*1), Y5, Y0
	VFMADD231PD 32(SI)(AX*1), Y5, Y1
	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	ADDQ $64, AX
	CMPQ AX, R10
	JLT  eight
	JMP  next
done:
	VZEROUPPER
	RET
