"""A cluster of somebody else, in a process of its own: prints its address, and ends when its input does.

python heads.py dask|ray|nodes FOLDER
"""

from __future__ import annotations

import sys


def dask(folder: str) -> str:
    from distributed import LocalCluster

    where = "127.0.0.1:0"
    global held  # the cluster ends with its last reference
    held = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=where,
        worker_dashboard_address=where,
        local_directory=folder,
        silence_logs=40,
    )
    return str(held.scheduler_address)


def ray(folder: str) -> str:
    import ray

    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=100_000_000,
        log_to_driver=False,
        _node_ip_address="127.0.0.1",
        _temp_dir=folder,
    )
    return str(ray.get_runtime_context().gcs_address)


def nodes(folder: str) -> str:  # its files are in TMPDIR
    """A Ray cluster of a head that does no fits and two nodes that do."""
    from ray.cluster_utils import Cluster

    global held
    size = {"object_store_memory": 100_000_000}
    held = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **size})
    for _ in range(2):
        held.add_node(num_cpus=1, **size)
    return str(held.address)


if __name__ == "__main__":
    print(f"address {globals()[sys.argv[1]](sys.argv[2])}", flush=True)
    sys.stdin.read()
