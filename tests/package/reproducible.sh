#!/usr/bin/env bash
# Builds the commit a second time, in another folder, and compares site, package and image with those of `make deb image` in
# this folder, byte by byte.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/package/containers.sh
[ -z "$(git status --porcelain)" ] || fail "commit first: two builds of a commit are compared"
second=$(mktemp -d /tmp/garimpo-built-again.XXXXXX)
on_exit "rm -rf $second"

built() { # folder: a line for each product with its hash
  local deb
  deb=$(ls -t "$1"/target/debian/garimpo_*.deb | head -n 1)
  echo "site     $(cd "$1/web/dist" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)"
  echo "program  $(dpkg-deb --fsys-tarfile "$deb" | tar -xO ./usr/bin/garimpo | sha256sum | cut -d ' ' -f 1)"
  echo "package  $(sha256sum <"$deb" | cut -d ' ' -f 1)"
  # Not the image's id, because buildah writes the random id and name of its container into the image.
  echo "image    $(podman image inspect --format '{{json .RootFS.Layers}} {{json .Config}} {{json .History}} {{.Created}}' localhost/garimpo | sha256sum | cut -d ' ' -f 1)"
}
here=$(built "$PWD")
git clone --quiet "$PWD" "$second/garimpo"
# The tools are the same programs in both builds.
mkdir "$second/garimpo/target"
ln -s "$PWD/target/tools" "$second/garimpo/target/tools"
env -u CARGO_TARGET_DIR make -C "$second/garimpo" deb image
there=$(built "$second/garimpo")
echo "$(git log -1 --format='%h %cs') in $PWD:"
echo "$here"
diff <(echo "$here") <(echo "$there") || fail "the build in another folder differs"
echo "the build in $second is equal"
