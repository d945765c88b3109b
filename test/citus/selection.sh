#!/usr/bin/env bash
# The tests that run on a cluster, one a line.
#   selection.sh         all: what is a cluster's own, the isolation probe, the tour, another APP_KEY, and those beside the code of every module. Left out are those
#                        that take minutes, and those of processes
#   selection.sh short   what costs some minutes: every operation of the workspaces' API is done once, a machine is killed, docs/operations.md is followed, and what works
#                        before the workspace is known, or in all of them
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "${1:-}" = short ]; then
  ls test/citus/{operations,roles,shards,worker-down}.test.ts test/{rotating,tour}.test.ts \
    src/platform/{impersonation/impersonation,tenants/erasing}.test.ts src/workspace/{account/account,branded/branded,leads/webhooks/webhooks,short-links/short-links}.test.ts
else
  ls test/citus/*.test.ts test/{isolation,rotating,tour}.test.ts src/demo/*.test.ts src/{workspace,platform,public}/*/*.test.ts src/workspace/*/*/*.test.ts |
    grep -vE '/billing/year\.test|hostile|dovecot|killed|thousands'
fi
