"""Physical constants and defaults, SI. Values of Rabatel, Labbé and Weiss (2015) where they print one."""

AIR_DENSITY = 1.341  # kg/m3
WATER_DENSITY = 1024.071  # kg/m3, under floes
SEA_WATER_DENSITY = 1025.0  # kg/m3, around blocks that float
ICE_DENSITY = 917.0  # kg/m3
AIR_DRAG = 1.7e-3  # quadratic drag coefficient of the upper surface
WATER_DRAG = 5.0e-3  # quadratic drag coefficient of the lower surface
EARTH_RATE = 7.292e-5  # rad/s; f = 2 * EARTH_RATE * sin(latitude)
GRAVITY = 9.81  # m/s2
