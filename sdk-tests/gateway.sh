# Sourced by the runs of the SDK tests: starts the scripted provider and the real binary on free ports, and stops both
# at the end of the run. Then PROVIDER_PORT is the provider's port, TOLLGATE_STDOUT a file with what the binary printed,
# its address and its first key, and TOLLGATE_NARROW_KEY a key that may use the model test/chat alone.
sdk_tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
server=""
provider=""

stop() {
  [ -z "$provider" ] || kill "$provider" 2>/dev/null || true
  if [ -n "$server" ] && kill -0 "$server" 2>/dev/null; then
    kill -TERM "$server"
    wait "$server" || true
  fi
  rm -rf "$work"
}
trap stop EXIT

node "$sdk_tests/node/provider.mjs" >"$work/port" &
provider=$!
for _ in $(seq 1 100); do
  [ -s "$work/port" ] && break
  sleep 0.1
done
PROVIDER_PORT=$(cat "$work/port")
node "$sdk_tests/node/config.mjs" "$PROVIDER_PORT" >"$work/tollgate.yaml"
"$sdk_tests/../tollgate" serve --config "$work/tollgate.yaml" >"$work/stdout" 2>"$work/stderr" &
server=$!
for _ in $(seq 1 1800); do
  grep -q '^Tollgate serves' "$work/stdout" 2>/dev/null && break
  kill -0 "$server" 2>/dev/null || { cat "$work/stderr" >&2; exit 1; }
  sleep 0.1
done
grep -q '^Tollgate serves' "$work/stdout" || { echo "not ready in 180 s" >&2; cat "$work/stderr" >&2; exit 1; }
narrow=$("$sdk_tests/../tollgate" keys create --config "$work/tollgate.yaml" --org sdk --name narrow \
  --allow-model test/chat -o json)
TOLLGATE_NARROW_KEY=$(grep -o 'sk-llm-[A-Za-z0-9]*' <<<"$narrow")
TOLLGATE_STDOUT=$work/stdout
export PROVIDER_PORT TOLLGATE_STDOUT TOLLGATE_NARROW_KEY
