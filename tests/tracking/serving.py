"""What tests of MLflow share: reading a store whole, and servers on the loopback address."""

import re
import socket
import time
import urllib.error
import urllib.request

from l2p_search.tracking.store import Store


def contents(store: Store) -> dict[str, object]:
    """All that a user can see of a store, without ids and times."""
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=store.uri)
    (experiment,) = [e for e in client.search_experiments() if e.name.startswith("l2p-search/")]
    runs = client.search_runs([experiment.experiment_id], max_results=1000)
    names = {run.info.run_id: run.info.run_name for run in runs}
    found: dict[str, object] = {}
    for run in runs:
        tags = {
            key: re.sub(r"\b[0-9a-f]{32}\b", lambda id_: names.get(id_[0], id_[0]), value)
            for key, value in run.data.tags.items()
            if not key.startswith(("mlflow.source", "mlflow.user"))
        }
        history = {
            key: [(m.step, m.value) for m in client.get_metric_history(run.info.run_id, key)]
            for key in run.data.metrics
        }
        files = sorted(file.path for file in client.list_artifacts(run.info.run_id))
        found[run.info.run_name] = (run.info.status, run.data.params, tags, history, files)
    assert len(found) == len(runs), "a run is there twice"
    return found


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_server(base: str) -> None:
    """Until it answers, be it that it wants a password."""
    for _ in range(480):
        try:
            urllib.request.urlopen(f"{base}/health", timeout=1)
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.25)
    raise AssertionError(f"{base} does not answer")
