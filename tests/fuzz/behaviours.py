"""What entries and kernels of the fuzz do instead of their work: crash, hang, exit, fork, call the system."""

SYSTEM_CALL = (
    'long r; asm volatile("syscall" : "=a"(r) : "a"({number}L), "D"((long)({first})), '
    '"S"((long)({second})), "d"((long)({third})) : "rcx", "r11", "memory");'
)


def call(number: int, first: str = "0", second: str = "0", third: str = "0") -> str:
    """A raw system call of x86-64."""
    return SYSTEM_CALL.format(number=number, first=first, second=second, third=third)


BEHAVIOURS = {
    "writes to address zero": "*(volatile int*)0 = 1;",
    "aborts": "abort();",
    "exits with 0": "exit(0);",
    "exits with 3": "_exit(3);",
    "traps": "__builtin_trap();",
    "divides by zero": "volatile int zero = 0; output = (float*)(size_t)(N / zero);",
    "throws": "throw 1;",
    "runs for ever": "for (volatile long k = 0;; ++k) {}",
    "calls itself": "struct Deep { static int down(volatile int n) { volatile char page[4096]; "
    "page[n % 9] = 1; return down(n + 1) + page[1]; } }; Deep::down(0);",
    "takes all memory": "for (;;) { char* p = (char*)malloc(1 << 26); if (!p) break; "
    "for (int k = 0; k < 1 << 26; k += 4096) p[k] = 1; }",
    "takes all device memory": "void* p; while (cudaMalloc(&p, 1 << 30) == cudaSuccess) {}",
    "leaks device memory": "void* p; cudaMalloc(&p, 4096);",
    "frees the output": "cudaFree(output);",
    "frees twice": "void* p = malloc(9); free(p); free(p);",
    "writes past the heap": "char* p = (char*)malloc(16); for (int k = 0; k < 100000; ++k) p[k] = 7;",
    "overwrites its stack": "volatile char here[8]; for (int k = 0; k < 1 << 24; ++k) here[k] = 7;",
    "jumps nowhere": "((void (*)())(size_t)0x1234)();",
    "forks": "fork();",
    "forks past the C library": call(57),
    "forks for ever": f"for (;;) {{ {call(57)} }}",
    "vforks past the C library": call(58),
    "kills its parent": call(110) + f" {{ long parent = r; {call(62, 'parent', '9')} }}",
    "kills its group": call(62, "0", "9"),
    "stops itself": call(39) + f" {{ long own = r; {call(62, 'own', '19')} }}",
    "starts a program": 'system("sleep 100 &");',
    "executes past the C library": 'const char* sh = "/bin/sh"; const char* arguments[] = {sh, 0}; '
    + call(59, "sh", "arguments"),
    "creates a file": 'const char* name = "/tmp/fuzz-was-here"; ' + call(2, "name", "0101", "0600"),
    "creates shared memory": 'const char* name = "/dev/shm/fuzz-was-here"; '
    + call(2, "name", "0101", "0600"),
    "creates a System V segment": call(29, "0x46757a7a", "4096", "01600"),
    "creates a message queue": call(68, "0x46757a7a", "01600"),
    "closes every file": "for (int k = 0; k < 256; ++k) close(k);",
    "writes to every file": f"for (long k = 0; k < 64; ++k) {{ {call(1, 'k', 'output', '64')} }}",
    "shuts every socket": f"for (long k = 0; k < 64; ++k) {{ {call(48, 'k', '2')} }}",
    "ignores being killed": call(13, "15", "0", "0") + " for (volatile long k = 0;; ++k) {}",
    "leaves its group": call(112),
    "lowers a limit": "long limit[2] = {0, 0}; " + call(160, "7", "limit"),
    "sleeps for ever": call(34),
    "resets the device": "cudaDeviceReset();",
    "launches a null kernel": "cudaLaunchKernel((const void*)0, dim3(1), dim3(1), nullptr, 0, stream);",
    "destroys the stream": "cudaStreamDestroy(stream);",
    "copies from nowhere": "cudaMemcpy(output, (void*)0x10, 1 << 20, cudaMemcpyDeviceToDevice);",
    "prints for ever": 'for (;;) write(1, "all work and no play\\n", 21);',
}  # fmt: skip
"""Host code, by what it does."""

KERNELS = {
    "loops for ever": "while (true) { if (N < -i - 1) break; }",
    "waits for another block": "while (((volatile float*)output)[0] != 12345.0f) {}",
    "reads far out of bounds": "output[0] = input[i + (1ll << 40)];",
    "writes to a null pointer": "*(volatile float*)nullptr = 1;",
    "waits in one branch": "if (threadIdx.x & 1) __syncthreads();",
    "traps": "if (i == N - 1) __trap();",
    "asserts": 'asm volatile("trap;");',
    "misaligns": "*(volatile double*)((char*)output + 1) = 1;",
    "calls itself": "struct Deep { static __device__ __noinline__ int down(int n) { "
    "return n < 0 ? 0 : down(n + 1) + n; } }; output[0] = Deep::down(i);",
    "prints": 'printf("%s %d\\n", (const char*)input, i);',
    "allocates": "for (int k = 0; k < 1000; ++k) output[0] = (float)(size_t)malloc(1 << 20);",
    "jumps through memory": "void (*there)() = (void (*)())(size_t)input[0]; there();",
    "divides by zero": "output[0] = i / (N - N);",
    "exhausts registers": "float r[256]; for (int k = 0; k < 256; ++k) r[k] = input[(i + k) % N]; "
    "for (int k = 0; k < 256; ++k) output[k % N] += r[(k * 7) % 256];",
    "uses an odd instruction": 'asm volatile("nanosleep.u32 4000000000;");',
    "uses no instruction": 'asm volatile("frobnicate.u32 %%r1;" ::);',
}
"""Device code, by what it does."""
