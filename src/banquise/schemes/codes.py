"""Numbers by which the kernel of groups and its caller understand each other."""

DONE, SOLVE, CONTACT_ROOM, ROW_ROOM = 0, 1, 2, 3  # what the caller is asked for
LOOK, PICK, COMPRESS, REBOUND, STRUCK, MOVE, HOLD = 0, 1, 2, 3, 4, 5, 6  # phases
# controls of a desk
GROUP, PHASE, SOLVED, FOUND, ROUND, HELD = 0, 1, 2, 3, 4, 5
CUT, PASS, ROWS, BODIES, ISLANDS, WATCHED = 6, 7, 8, 9, 10, 11
EVENTS, LOADS, KEPT, NEED, CONTACTS, FRESH, AGAIN, ADDED = 12, 13, 14, 15, 16, 17, 18, 19
LOOKED, SHORTER, NO_ROOM, HALVED = 20, 21, 22, 23
TIME, BLUR = 0, 1  # of the step that is taken: when it began (s), and how near nobody can tell (m)
# totals of a group
LOST, FROM_OBSTACLES, WIND, CURRENT, GRAVITY, PUSH = 0, 1, 2, 3, 4, 5
RESIDUAL, UNSOLVED, ISLAND_COUNT, LARGEST, COLLISIONS, TOUCHING = 6, 7, 8, 9, 10, 11
ROUNDS = 12
