"""A Ray cluster of two nodes with one CPU each here; a line on stdin ends the second."""

import logging
import sys

from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
second = cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
logging.disable()
print(cluster.address, flush=True)
sys.stdin.readline()
cluster.remove_node(second, allow_graceful=False)
print("removed", flush=True)
sys.stdin.readline()
cluster.shutdown()
