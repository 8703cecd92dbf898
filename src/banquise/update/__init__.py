"""The only writer of velocities and positions."""
