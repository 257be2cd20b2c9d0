"""The optimisation loop: plan, write, judge, debug, profile, learn, and again."""
