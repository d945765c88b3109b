#!/usr/bin/env bash
# Builds Citus from its source against Debian's PostgreSQL, in a folder of its own that is kept from one run to the next, and prints the folder of
# PostgreSQL's programs in it. Nothing is installed in the system. Takes some minutes the first time.
#   CITUS_VERSION  default 13.2.2
#   CITUS_SOURCE   a git repository that has the tag; default: that of the project at GitHub
#   PG_MAJOR       of PostgreSQL; default: the newest whose packages are installed
set -euo pipefail

version=${CITUS_VERSION:-13.2.2}
source=${CITUS_SOURCE:-https://github.com/citusdata/citus.git}
major=${PG_MAJOR:-$(ls /usr/lib/postgresql 2>/dev/null | sort -V | tail -n 1)}
[ -n "$major" ] || { echo 'No PostgreSQL is installed: apt-get install postgresql' >&2 && exit 1; }

# Of one version all of them. What is linked to comes with what is compiled against.
packages=(postgresql-"$major" postgresql-client-"$major" postgresql-server-dev-"$major" libpq5 libpq-dev libzstd1 libzstd-dev liblz4-1 liblz4-dev
  libkrb5-dev krb5-multidev comerr-dev libselinux1-dev libsepol-dev libpcre2-dev libpam0g-dev libssl-dev)
postgres=$(apt-cache show --no-all-versions postgresql-"$major" | sed -n 's/^Version: //p')
# Not below root's home, which the account that PostgreSQL runs as doesn't reach.
home=$([ "$(id -u)" = 0 ] && echo /var/cache || echo "$HOME/.cache")
cache=${XDG_CACHE_HOME:-$home}/atrium
prefix=$cache/citus-$version-postgresql-$postgres
bin=$prefix/usr/lib/postgresql/$major/bin

mkdir -p "$cache"
chmod a+rx "$cache" # whatever the umask: the account that PostgreSQL runs as goes through it
exec 9>"$prefix.lock"
flock 9 # two at once
if [ ! -e "$prefix/complete" ]; then
  rm -rf "$prefix"
  mkdir -p "$prefix/packages"
  echo "Building Citus $version for PostgreSQL $postgres" >&2
  (cd "$prefix/packages" && apt-get download -qq -o APT::Sandbox::User=root "${packages[@]}" && for package in *.deb; do dpkg-deb -x "$package" "$prefix"; done) >&2
  GIT_TERMINAL_PROMPT=0 timeout 180 git -c advice.detachedHead=false clone -q --depth 1 --branch "v$version" "$source" "$prefix/source" >&2
  machine=$(gcc -print-multiarch)
  cd "$prefix/source"
  # PostgreSQL's later releases (15.20) export a function that Citus has a copy of.
  grep -rl have_createdb_privilege src --include='*.[ch]' | xargs sed -i 's/\bhave_createdb_privilege\b/citus_&/g'
  ./configure -q PG_CONFIG="$bin/pg_config" --without-libcurl LDFLAGS="-L$prefix/usr/lib/$machine" \
    CPPFLAGS="-I$prefix/usr/include -I$prefix/usr/include/mit-krb5 -I$prefix/usr/include/$machine" >&2
  nice make -s -j"$(nproc)" with_llvm=no install-extension >"$prefix/log" 2>&1 || { tail -n 30 "$prefix/log" >&2 && exit 1; }
  cd "$cache"
  rm -rf "$prefix/source" "$prefix/packages"
  chmod -R a+rX "$prefix"
  touch "$prefix/complete"
fi
echo "$bin"
