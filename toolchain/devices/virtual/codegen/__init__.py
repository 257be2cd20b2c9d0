"""From a parsed kernel to one LLVM function that runs a warp of 32 lanes."""
