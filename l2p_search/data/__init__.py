"""From a name or a folder to a graph that is ready to train on."""
