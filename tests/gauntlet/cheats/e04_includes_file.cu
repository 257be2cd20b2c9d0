// E04: includes a file of the host, whose text the compiler would show
// breaks: the compiler reads the source and CUDA's headers alone
// gauntlet: operator=relu precision=fp32 status=build_failed rule=compiler
extern "C" void RELU(float* output, const float* input, int N) {
#include "/etc/passwd"
}
