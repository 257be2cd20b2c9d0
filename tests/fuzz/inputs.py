"""Malformed, hostile and merely odd inputs for `evaluate`, drawn by a seed."""

import random
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.fuzz.behaviours import BEHAVIOURS, KERNELS

HONEST = """\
#include <cuda_runtime.h>

__global__ void relu_kernel(float* output, const float* input, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = fmaxf(input[i], 0.0f);
}

extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    relu_kernel<<<(N + 255) / 256, 256, 0, stream>>>(output, input, N);
}
"""
TOKENS = [
    "__global__",
    "__device__",
    "__shared__",
    "__launch_bounds__(0)",
    "void",
    "float*",
    "const",
    "int",
    "N",
    "<<<",
    ">>>",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "::",
    "template",
    "typename",
    "operator",
    "->",
    "&&",
    "||",
    "~",
    "!",
    "?",
    ":",
    "0x",
    "1e999",
    "'a",
    '"text',
    "...",
    "#",
    "##",
    "#define",
    "#if",
    "#endif",
    "/*",
    "*/",
    "//",
    "\\",
    "extern",
    '"C"',
    "RELU",
    "threadIdx.x",
    "asm",
    "volatile",
    "goto",
    "L:",
    "case",
    "default:",
    "return",
    "sizeof",
    "decltype",
    "auto",
    "constexpr",
    "static",
    "inline",
    "struct",
    "union",
    "@",
    "$",
    "`",
    "é",
    "\ufeff",
]
WITHOUT_ENTRY = (
    "__global__ void k{n}(float* y) {{ y[threadIdx.x] = {n}; }}\n",
    "static void RELU(float* y, const float* x, int n, cudaStream_t s) {{}} // {n}\n",
    'extern "C" void relu{n}(float* y, const float* x, int n, cudaStream_t s) {{}}\n',
    'namespace a {{ extern "C" int RELUX{n}; }}\n',
    '// extern "C" void RELU(float* y, const float* x, int N, cudaStream_t s) {{}} {n}\n',
    'const char* text = "extern \\"C\\" void RELU() {{}}"; // {n}\n',
    "int main() {{ return {n}; }}\n",
    'extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream); // {n}\n',
)
TYPES = (
    "float*",
    "const float*",
    "int",
    "double",
    "float",
    "void*",
    "char",
    "long long",
    "float**",
    "...",
    "bool&",
)
HUGE = (
    "__shared__ float tile[{n}ull * 1024 * 1024];\n    tile[threadIdx.x] = 1;",
    "float local[{n}000];\n    local[i % 7] = i; output[0] = local[N % 5];",
    "output[i + {n}ull * 1000000007ull] = 1;",
    "output[0] = {digits};",
    "output[0] = {digits}.0f;",
    "for (long long k = 0; k < {n}ll << 40; ++k) output[k % N] += 1;",
    "int k = {n} << {n};\n    output[k % 3] = k;",
    "#pragma unroll {n}000\n    for (int k = 0; k < {n}000; ++k) output[0] += k;",
)
LAUNCHES = (
    "<<<{n}000000000, 256, 0, stream>>>",
    "<<<1, {n}000, 0, stream>>>",
    "<<<1, 256, {n}00000000ull, stream>>>",
    "<<<dim3(1, {n}0000, {n}0000), dim3(1, 1, {n}), 0, stream>>>",
    "<<<-{n}, -{n}, -{n}, stream>>>",
    "<<<1, 1, 0, (cudaStream_t){n}>>>",
)
BOMBS = (
    "((" * 30_000,
    "#define A0 x\n" + "".join(f"#define A{i + 1} A{i} A{i}\n" for i in range(40)) + "int y = A40;\n",
    '#include "kernel.cu"\n',
    '#include "/dev/zero"\n',
    "template <int n> struct T { static const int v = T<n - 1>::v + T<n - 2>::v; };\nint t = T<100000>::v;\n",
    "int a" + "[1]" * 20_000 + ";\n",
    "#if " + "!" * 50_000 + "0\n#endif\n",
    'asm(".incbin \\"/etc/passwd\\"");\n',
    '#line 99999999999999999999 "/etc/passwd"\n#error here\n',
    'constexpr int f(int n) { return n ? f(n - 1) + f(n - 1) : 0; }\nstatic_assert(f(60) == 0, "");\n',
)


class Input(NamedTuple):
    """One file."""

    kind: str
    content: bytes


def random_bytes(rng: random.Random) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 7, 100, 4000, 60_000)))


def random_text(rng: random.Random) -> bytes:
    return "".join(rng.choices(string.printable, k=rng.choice((1, 20, 300, 5000)))).encode()


def random_tokens(rng: random.Random) -> bytes:
    """C++ words in no order, half the time around an entry, so that the compiler has to see them."""
    soup = " ".join(rng.choices(TOKENS, k=rng.randrange(1, 400)))
    return (HONEST + soup if rng.random() < 0.3 else soup).encode()


def truncated(rng: random.Random) -> bytes:
    return HONEST[: rng.randrange(len(HONEST))].encode()


def damaged(rng: random.Random) -> bytes:
    """A few bytes of an honest kernel removed, doubled or replaced."""
    content = bytearray(HONEST.encode())
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(content))
        content[at : at + rng.randrange(4)] = rng.choice(
            (
                b"",
                bytes(content[at : at + 9]),
                rng.randbytes(2),
                rng.choice(b';{}()<>&*"\\#').to_bytes(1, "little"),
            )
        )
    return bytes(content)


def without_entry(rng: random.Random) -> bytes:
    return rng.choice(WITHOUT_ENTRY).format(n=rng.randrange(10**6)).encode()


def wrong_signature(rng: random.Random) -> bytes:
    """An entry whose parameters are others than it is called with."""
    parameters = ", ".join(f"{kind} p{i}" if kind != "..." else kind
                           for i, kind in enumerate(rng.choices(TYPES, k=rng.randrange(9))))  # fmt: skip
    result = rng.choice(("void", "int", "float*", "double", "auto", "template <class T> void"))
    body = rng.choice(("", "return {};", "*(volatile int*)0 = 1;"))
    return f'#include <cuda_runtime.h>\nextern "C" {result} RELU({parameters}) {{ {body} }}\n'.encode()


def huge(rng: random.Random) -> bytes:
    """Constants beyond every limit, in the kernel or in its launch."""
    n, digits = rng.choice((3, 99, 4096, 10**7)), "9" * rng.choice((20, 400, 20_000))
    if rng.random() < 0.5:
        return HONEST.replace("if (i < N) output[i]", rng.choice(HUGE).format(n=n, digits=digits) +
                              "\n    if (i < N) output[i]").encode()  # fmt: skip
    return HONEST.replace("<<<(N + 255) / 256, 256, 0, stream>>>", rng.choice(LAUNCHES).format(n=n)).encode()


def bomb(rng: random.Random) -> bytes:
    """Small files that a compiler could choke on."""
    place = rng.choice(("{bomb}{honest}", "{honest}{bomb}"))
    return place.format(bomb=rng.choice(BOMBS), honest=HONEST).encode()


def misbehaving_host(rng: random.Random) -> bytes:
    """An entry that does something else than launching its kernel, on every call or on some."""
    name = rng.choice(sorted(BEHAVIOURS))
    at = f"static int calls; if (++calls > {rng.randrange(3)})" if rng.random() < 0.3 else ""
    body = f"    {at} {{ {BEHAVIOURS[name]} }}\n    relu_kernel<<<"
    return (
        f"// {name}\n#include <stdlib.h>\n#include <unistd.h>\n" + HONEST.replace("    relu_kernel<<<", body)
    ).encode()


def misbehaving_kernel(rng: random.Random) -> bytes:
    name = rng.choice(sorted(KERNELS))
    return (
        f"// {name}\n" + HONEST.replace("    if (i < N)", f"    {KERNELS[name]}\n    if (i < N)")
    ).encode()


KINDS: dict[Callable[[random.Random], bytes], int] = {
    random_bytes: 20, random_text: 14, random_tokens: 12, truncated: 12, without_entry: 14,
    damaged: 7, wrong_signature: 6, huge: 5, misbehaving_host: 6, misbehaving_kernel: 3, bomb: 1,
}  # fmt: skip
"""How many of a hundred inputs are of each kind; only the later ones cost a compile."""


def inputs(count: int, seed: int) -> Iterator[Input]:
    """`count` of them, always the same for a seed."""
    rng = random.Random(seed)
    makers, shares = list(KINDS), list(KINDS.values())
    for _ in range(count):
        maker = rng.choices(makers, shares)[0]
        yield Input(maker.__name__, maker(rng))
