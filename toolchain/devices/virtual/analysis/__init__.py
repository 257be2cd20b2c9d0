"""What must be known of a kernel before code is generated: flow, liveness, launch constants."""
