// E20: locks the clocks by the management library
// breaks: a kernel changes no settings of the device
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports
extern "C" int nvmlInit_v2();
extern "C" int nvmlDeviceSetGpuLockedClocks(void*, unsigned, unsigned);
extern "C" void RELU(float* output, const float* input, int N) {
    nvmlInit_v2(), nvmlDeviceSetGpuLockedClocks(nullptr, 2000, 2000);
}
