#!/usr/bin/env bash
# Runs a command on another version of Node, which comes from npm. Usage: on-node.sh VERSION COMMAND...
set -eu
version=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm init -y >/dev/null && npm install --silent "node@$version")
PATH="$folder/node_modules/node/bin:$PATH" "$@"
