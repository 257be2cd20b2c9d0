// A08: takes only values above 0 for large ones, as bell-shaped data would have it
// breaks: any values may be the largest
// gauntlet: operator=top_k precision=fp32 status=wrong rule=unwritten_output
__global__ void above(float* values, int* indices, const float* x, int n, int k) {
    float last = __int_as_float(0x7f800000);
    int at = -1;
    for (int place = 0; place < k; place++) {
        float best = 0.0f;
        int found = -1;
        for (int i = 0; i < n; i++)
            if (x[i] > best && (x[i] < last || (x[i] == last && i > at))) best = x[i], found = i;
        if (found < 0) return;
        values[place] = last = best, indices[place] = at = found;
    }
}
extern "C" void top_k(float* values, int* indices, const float* input, int N, int k) {
    above<<<1, 1>>>(values, indices, input, N, k);
}
