"""The vendor's own answer to an operator, timed beside candidates: never the baseline, never a candidate.

An operator's `vendor.cu` calls cuBLAS, cuSPARSE, cuFFT, cuDNN or CUB behind the operator's entry. The
headers in this folder are what several of them share.
"""
