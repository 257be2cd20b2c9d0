// CUB asks for its scratch memory first.
#include "entry.cuh"

// `call` of (memory, its size): once to learn the size, once to work.
template <class Call>
void in_two_steps(cudaStream_t stream, Call call) {
    size_t bytes = 0;
    MUST(call(nullptr, bytes));
    Scratch scratch(bytes, stream);
    MUST(call(scratch.as<void>(), bytes));
}
