"""The stored kernels and running searches as web pages: a static site, and the same pages live."""
