#!/usr/bin/env bash
# The tests that run on a cluster: what is a cluster's own, the isolation probe, tour and demo, and those beside the code of every module. Left out are files whose
# own SQL asks what no cluster answers (joins over all workspaces, sums with an interval in an UPDATE), those that take minutes, and those of processes.
cd "$(dirname "$0")/../.."
left_out='/(documents/(allowance|categories)|platform/impersonation/impersonation|invoices/(invoices|series)|imports/imports|social-ads/social-ads|roles/powers|issued-documents/issued-documents|branded/branded|billing/year)\.test|hostile|dovecot|killed|thousands'
ls test/citus/*.test.ts test/isolation.test.ts src/demo/*.test.ts src/{workspace,platform,public}/*/*.test.ts src/workspace/*/*/*.test.ts | grep -vE "$left_out"
