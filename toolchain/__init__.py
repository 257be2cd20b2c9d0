"""One kernel on one device: build, run, time, profile."""

if __name__ != "cudamaster.toolchain":
    raise ImportError("import cudamaster.toolchain, not toolchain")
