"""Fast Fourier transform."""
