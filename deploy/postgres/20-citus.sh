#!/bin/bash
# The extension must be there before the first migration.
set -euo pipefail
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname atrium --command 'CREATE EXTENSION IF NOT EXISTS citus'
