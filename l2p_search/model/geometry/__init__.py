"""Geom-GCN's latent spaces: positions of nodes in a plane, and who is near there."""
