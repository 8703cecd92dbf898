"""Free flight: the velocity and displacement of bodies that touch nothing."""
