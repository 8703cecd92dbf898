"""What pushes: wind, water, the turning Earth, gravity, loads, forces of your own."""
