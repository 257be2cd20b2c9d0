"""The PTX instructions, one group a file: each is a decorated function that emits LLVM IR for one warp."""
