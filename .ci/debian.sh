#!/usr/bin/env bash
# Installs those of Debian's packages that are not there. Usage: debian.sh PACKAGE...
set -u
missing=()
for package in "$@"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit
apt-get update -qq
# Each by itself: one that cannot be had must not take the others with it.
for package in "${missing[@]}"; do
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null || echo "could not be installed: $package"
done
