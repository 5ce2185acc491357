"""A trained model that is kept: as an object, as a folder, and as predictions of other graphs."""
