#!/bin/sh
# Restarts the replicas of compose.yaml one after the other, as for a new image or new settings: nginx sends one nothing
# more before it ends. If a new one does not become healthy, this ends here, and the other one goes on answering.
set -eu
cd "$(dirname "$0")"
for number in 1 2; do
  docker compose exec -T nginx touch "/run/passerelle/out-$number"
  docker compose up --no-deps --force-recreate --wait "passerelle-$number"
  docker compose exec -T nginx rm "/run/passerelle/out-$number"
done
