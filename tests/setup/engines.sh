#!/usr/bin/env bash
# Prints the paths of Firefox and of WebKitGTK's browser, and installs the distribution's packages
# if one is missing. WebKitGTK has no headless mode, so its driver and a display are installed, too.
set -euo pipefail
webkit() { compgen -G '/usr/lib/*/webkit2gtk-4.1/MiniBrowser'; }
present() { { command -v firefox-esr && command -v WebKitWebDriver && command -v Xvfb && webkit; } >/dev/null; }
if ! present; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends firefox-esr webkit2gtk-driver xvfb; } >&2
  fi
  present || { echo "Firefox and WebKit are needed for this step: install your distribution's packages 'firefox-esr', 'webkit2gtk-driver' and 'xvfb' and try again." >&2; exit 1; }
fi
echo "$(command -v firefox-esr) $(webkit | head -n 1)"
