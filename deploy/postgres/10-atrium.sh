#!/bin/bash
# Run once by the image of PostgreSQL, in an empty data folder: the role and the database of docs/configuration.md.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -v password="$ATRIUM_PASSWORD" --username "$POSTGRES_USER" <<'SQL'
CREATE ROLE atrium LOGIN PASSWORD :'password' CREATEROLE;
CREATE DATABASE atrium OWNER atrium;
SQL
