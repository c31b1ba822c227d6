#!/usr/bin/env bash
# Cuts the font of the first paint, src/styles/figtree-pt.woff2, out of the package's file: the letters that
# src/styles/font.css names for it, with the weights and features that the styles use. It fits the first window of a
# connection, which the whole file does not. Run it when one of these changes; needs Python with fonttools and brotli.
set -euo pipefail
cd "$(dirname "$0")/.."
whole=node_modules/@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2
cut=src/styles/figtree-pt.woff2
letters=$(tr '\n' ' ' <src/styles/font.css | sed 's/.*figtree-pt[^}]*unicode-range:\([^;]*\);.*/\1/; s/ //g')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fonttools subset "$whole" --unicodes="$letters" --layout-features=ccmp,kern,locl,mark,tnum --no-hinting \
  --output-file="$work/letters.ttf"
fonttools varLib.instancer -q "$work/letters.ttf" wght=400:800 -o "$work/weights.ttf"
fonttools ttLib.woff2 compress -o "$cut" "$work/weights.ttf"
wc -c "$cut"
