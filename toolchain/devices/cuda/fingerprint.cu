// Sums a mix of every 8-byte word, its place and a seed: any changed bit changes it, and the order of the sum does not.
typedef unsigned long long word;

__device__ word mix(word x) {  // Stafford's "Mix13", as in SplitMix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

extern "C" __global__ void fingerprint(const word* words, word count, word seed, word* sum) {
    word mine = 0, step = (word)gridDim.x * blockDim.x;
    for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        mine += mix(words[i] ^ mix(i + seed));
    atomicAdd(sum, mine);
}

extern "C" void fingerprint_of(const word* words, word* sum, int count, int seed, cudaStream_t stream) {
    fingerprint<<<4, 64, 0, stream>>>(words, (word)count, (word)seed, sum);
}
