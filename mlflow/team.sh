#!/bin/sh
# A team's tracking server in one folder: PostgreSQL, artifacts and passwords; see README.md.
set -eu
fail() { echo "team.sh: $1" >&2; exit 2; }
[ $# -eq 1 ] || fail "name the folder that keeps everything, as in: sh mlflow/team.sh /srv/l2p-mlflow"
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
"$python" -c 'import mlflow, flask_wtf, psycopg2' 2>/dev/null ||
    fail "$python lacks MLflow's server; pip install 'l2p-search[server]', or name another by PYTHON"
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || bin=$(dirname "$(command -v initdb || true)")
[ -x "$bin/initdb" ] || fail "there is no PostgreSQL; apt-get install postgresql"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
database=$folder/database
# The socket lies in the database's own folder, which nobody else can enter: no port, no password.
[ "$(printf %s "$database/.s.PGSQL.5432" | wc -c)" -le 100 ] || fail "$folder: the path is too long"

# PostgreSQL does not run as root: there it runs as the user that Debian makes for it.
user=$(id -un)
as() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
    user=postgres
    as() { (cd / && exec runuser -u postgres -- "$@"); }
fi
if [ ! -e "$database/PG_VERSION" ]; then
    chmod 711 "$folder"
    mkdir -p "$database"
    [ "$(id -u)" -ne 0 ] || chown postgres "$database"
    as "$bin/initdb" -D "$database" -U "$user" -A trust -E UTF8 >/dev/null
fi
as "$bin/pg_ctl" -D "$database" -w -l "$database/log" \
    -o "-c listen_addresses='' -k '$database'" start >/dev/null || fail "see $database/log"
server=
end() {
    trap '' INT TERM HUP
    [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" || true; }
    as "$bin/pg_ctl" -D "$database" -m fast -w stop >/dev/null || true
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
for name in mlflow users; do
    as "$bin/psql" -h "$database" -U "$user" -d postgres -Atc \
        "select 1 from pg_database where datname = '$name'" | grep -q 1 ||
        as "$bin/createdb" -h "$database" -U "$user" "$name"
done

umask 077
random() { "$python" -c 'import secrets; print(secrets.token_urlsafe(18))'; }
[ -e "$folder/secret" ] || random >"$folder/secret"
[ -e "$folder/password" ] || random >"$folder/password"
uri() { # a database's address; its path may have any character
    "$python" -c 'import sys; from urllib.parse import quote
print(f"postgresql+psycopg2://{sys.argv[1]}@/{sys.argv[2]}?host={quote(sys.argv[3])}")' \
        "$user" "$1" "$database"
}
cat >"$folder/auth.ini" <<INI
[mlflow]
default_permission = READ
database_uri = $(uri users | sed 's/%/%%/g')
admin_username = admin
admin_password = $(cat "$folder/password")
authorization_function = mlflow.server.auth:authenticate_request_basic_auth
INI

MLFLOW_HOST=${MLFLOW_HOST:-127.0.0.1}
MLFLOW_PORT=${MLFLOW_PORT:-5000}
MLFLOW_BACKEND=$(uri mlflow)
MLFLOW_ARTIFACTS=$folder/artifacts
MLFLOW_AUTH_CONFIG_PATH=$folder/auth.ini
MLFLOW_FLASK_SERVER_SECRET_KEY=$(cat "$folder/secret")
export MLFLOW_HOST MLFLOW_PORT MLFLOW_BACKEND MLFLOW_ARTIFACTS MLFLOW_AUTH_CONFIG_PATH
export MLFLOW_FLASK_SERVER_SECRET_KEY
echo "team.sh: PostgreSQL runs; MLflow starts .."
(cd "$folder" && exec sh "$here/server.sh") >>"$folder/mlflow.log" 2>&1 &
server=$!
until "$python" -c 'import sys, urllib.request
urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/health", timeout=5)' "$MLFLOW_PORT" 2>/dev/null
do
    kill -0 "$server" 2>/dev/null || { server=; tail -n 3 "$folder/mlflow.log" >&2; fail "MLflow ended; see $folder/mlflow.log"; }
    sleep 1
done
echo "MLflow: http://$MLFLOW_HOST:$MLFLOW_PORT (Ctrl-C ends it)"
echo "the administrator is admin; the password is in $folder/password"
wait "$server"
