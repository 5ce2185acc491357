#!/bin/sh
# MLflow's tracking server for a team; README.md says what it needs.
set -eu
: "${MLFLOW_BACKEND:?name the database, such as postgresql+psycopg2://USER:PASSWORD@localhost/mlflow}"
: "${MLFLOW_ARTIFACTS:?name the artifact store, such as /srv/mlflow/artifacts}"
here=$(cd "$(dirname "$0")" && pwd)
export MLFLOW_AUTH_CONFIG_PATH="${MLFLOW_AUTH_CONFIG_PATH:-$here/auth.ini}"
export MLFLOW_DISABLE_TELEMETRY=true
# With l2p-search installed, browsers start where the searches are.
app=$("${PYTHON:-python3}" -c 'from importlib.metadata import entry_points as e
print("l2p-search-auth" if e(group="mlflow.app", name="l2p-search-auth") else "basic-auth")')
exec "${PYTHON:-python3}" -m mlflow server --workers "${MLFLOW_WORKERS:-1}" \
    --host "${MLFLOW_HOST:-127.0.0.1}" --port "${MLFLOW_PORT:-5000}" \
    --backend-store-uri "$MLFLOW_BACKEND" \
    --artifacts-destination "$MLFLOW_ARTIFACTS" --serve-artifacts \
    --app-name "$app"
