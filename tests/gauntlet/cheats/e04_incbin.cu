// E04: has the assembler put a file of the host into the object
// breaks: the compiler reads the source and CUDA's headers alone
// gauntlet: operator=relu precision=fp32 status=build_failed rule=compiler
asm(".section .rodata\nfound: .incbin \"/etc/passwd\"\n.text");
extern "C" void RELU(float* output, const float* input, int N) {}
