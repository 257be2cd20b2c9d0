"""How well modelled times rank kernels whose order on hardware is known."""
