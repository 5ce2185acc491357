#!/bin/sh
# MLflow's tracking server for a team; README.md says what it needs.
set -eu
: "${MLFLOW_BACKEND:?name the database, such as postgresql+psycopg2://USER:PASSWORD@localhost/mlflow}"
: "${MLFLOW_ARTIFACTS:?name the artifact store, such as /srv/mlflow/artifacts}"
here=$(cd "$(dirname "$0")" && pwd)
export MLFLOW_AUTH_CONFIG_PATH="${MLFLOW_AUTH_CONFIG_PATH:-$here/auth.ini}"
export MLFLOW_DISABLE_TELEMETRY=true
exec "${PYTHON:-python3}" -m mlflow server \
    --host "${MLFLOW_HOST:-127.0.0.1}" --port "${MLFLOW_PORT:-5000}" \
    --backend-store-uri "$MLFLOW_BACKEND" \
    --artifacts-destination "$MLFLOW_ARTIFACTS" --serve-artifacts \
    --app-name basic-auth
