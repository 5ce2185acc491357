"""A Ray cluster of two nodes here, told by lines on stdin: `second` or `head` is killed.

With an argument, the second node finds the packages in that folder first.
"""

import logging
import os
import sys

from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
extra = {"env_vars": {"PYTHONPATH": os.pathsep.join(sys.argv[1:])}} if sys.argv[1:] else {}
second = cluster.add_node(num_cpus=1, **extra)
cluster.wait_for_nodes()
logging.disable()
print(cluster.address, flush=True)
for line in sys.stdin:
    if line.strip() == "second":
        cluster.remove_node(second, allow_graceful=False)
    elif line.strip() == "head":
        cluster.head_node.kill_gcs_server()
        cluster.head_node.kill_raylet()
    else:
        break
    print("killed", flush=True)
os._exit(0)
