"""The virtual GPU: nvcc's real output, PTX and all, run and modelled on the CPU."""
