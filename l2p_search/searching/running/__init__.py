"""Running searches: proposals, races, and the workers that train."""
