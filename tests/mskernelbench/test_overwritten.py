"""Arrays that a kernel reads before it writes them are found in its text, and no others."""

import pytest

from mskernelbench.overwritten import overwritten


def launched(body: str, before: str = "") -> str:
    return f"""__global__ void k(float* __restrict__ y, const float* x, float a, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
extern "C" void f(float* out, const float* in, float a, int n, cudaStream_t stream) {{
    {before}
    k<<<(n + 255) / 256, 256, 0, stream>>>(out, in, a, n);
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = a * x[i] + y[i];",
        "if (i < n) y[i] += x[i];",
        "float old = y[i]; y[i] = old + x[i];",
        "y[i]++;",
        "y[row[i] + 1] *= 2.0f;",
        "if (y[i] == 0.0f) y[i] = x[i];",
    ],
)
def test_what_is_read_first_is_overwritten(body: str) -> None:
    assert [(found.name, found.line) for found in overwritten(launched(body), ["out"])] == [("out", 3)]


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = a * x[i];",
        "y[i] = 0.0f; for (int j = 0; j < n; j++) y[i] += x[j];",
        "atomicAdd(&y[0], x[i]);",
        "float4* wide = reinterpret_cast<float4*>(y); wide[i] = make_float4(0, 0, 0, 0);",
        "y[i] = x[i]; // y[i] += 1",
    ],
)
def test_what_is_written_first_or_cannot_be_followed_is_not(body: str) -> None:
    assert overwritten(launched(body), ["out"]) == []


def test_the_first_launch_that_uses_an_array_decides() -> None:
    fill = "__global__ void fill(float* p, int n) { p[threadIdx.x] = 0.0f; }\n"
    source = fill + launched("y[i] += x[i];", before="fill<<<1, n>>>(out, n);")
    assert overwritten(source, ["out"]) == []


def test_a_template_s_launch_is_followed() -> None:
    source = launched("y[i] += x[i];").replace("__global__", "template <int W> __global__")
    assert [o.name for o in overwritten(source.replace("k<<<", "k<4><<<"), ["out"])] == ["out"]
