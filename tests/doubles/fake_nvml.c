/* NVML for tests of what calls it: one GPU, the signatures those of NVIDIA's nvml.h. */
#include <string.h>

typedef struct { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; } process;
enum { SUCCESS = 0, INVALID = 2, NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6 };
static int GPU;

static int said(char *to, unsigned room, const char *words) { return strncpy(to, words, room), SUCCESS; }

const char *nvmlErrorString(int code) {
    return code == NOT_FOUND ? "Not Found" : code == NOT_SUPPORTED ? "Not Supported" : "Invalid Argument";
}
int nvmlInit_v2(void) { return SUCCESS; }
int nvmlInitWithFlags(unsigned flags) { return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
int nvmlSystemGetDriverVersion(char *to, unsigned room) { return said(to, room, "580.65.06"); }
int nvmlDeviceGetHandleByPciBusId_v2(const char *at, void **gpu) {
    *gpu = &GPU;
    return strcmp(at, "0000:1B:00.0") ? NOT_FOUND : SUCCESS;
}
int nvmlDeviceGetName(void *gpu, char *to, unsigned room) { return said(to, room, "NVIDIA H200"); }
int nvmlDeviceGetUUID(void *gpu, char *to, unsigned room) { return said(to, room, "GPU-1"); }
int nvmlDeviceGetMaxClockInfo(void *gpu, unsigned kind, unsigned *mhz) {
    *mhz = kind == 1 ? 1980 : kind == 2 ? 3201 : 0;
    return gpu == &GPU ? SUCCESS : INVALID;
}
int nvmlDeviceGetClockInfo(void *gpu, unsigned kind, unsigned *mhz) { return *mhz = kind == 1 ? 345 : 0, SUCCESS; }
int nvmlDeviceGetTemperature(void *gpu, unsigned sensor, unsigned *celsius) { return *celsius = 41, sensor; }
int nvmlDeviceGetTemperatureV(void *gpu, void *asked) { return NOT_SUPPORTED; }
int nvmlDeviceGetCurrentClocksEventReasons(void *gpu, unsigned long long *reasons) {
    *reasons = 0x24;
    return SUCCESS;
}
int nvmlDeviceGetMigMode(void *gpu, unsigned *now, unsigned *then) { return NOT_SUPPORTED; }
int nvmlDeviceGetComputeRunningProcesses_v3(void *gpu, unsigned *count, process *found) {
    unsigned room = *count;
    *count = 2;
    if (room < 2) return 7; /* NVML_ERROR_INSUFFICIENT_SIZE */
    found[0] = (process){1, 1 << 20, -1u, -1u};
    found[1] = (process){2, -1ull, -1u, -1u};
    return SUCCESS;
}
