"""Two attention states over different keys made one."""
