#!/usr/bin/env bash
# Cuts the font of the first paint, src/styles/figtree-pt.woff2, out of the package's file: the letters of Portuguese,
# with the weights and features that the styles use. It fits the first window of a connection, which the whole file does
# not. Run it when one of these changes; needs Python with fonttools and brotli.
set -euo pipefail
cd "$(dirname "$0")/.."
whole=node_modules/@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2
cut=src/styles/figtree-pt.woff2
letters="U+0000-007F, U+00A0, U+00A7, U+00A9-00AB, U+00B0, U+00B7, U+00BA-00BB, U+00C0-00C3, U+00C7, U+00C9-00CA,
U+00CD, U+00D3-00D5, U+00D7, U+00DA, U+00DC, U+00E0-00E3, U+00E7, U+00E9-00EA, U+00ED, U+00F3-00F5, U+00FA,
U+00FC, U+2013-2014, U+2018-2019, U+201C-201D, U+2022, U+2026, U+2212"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fonttools subset "$whole" --unicodes="${letters//[[:space:]]/}" --layout-features=ccmp,kern,locl,mark,tnum --no-hinting \
  --output-file="$work/letters.ttf"
fonttools varLib.instancer -q "$work/letters.ttf" wght=400:800 -o "$work/weights.ttf"
fonttools ttLib.woff2 compress -o "$cut" "$work/weights.ttf"
wc -c "$cut"
