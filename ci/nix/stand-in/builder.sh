# shellcheck shell=bash disable=SC2154 # the derivation's variables
# What every derivation of the stand-in runs.
# shellcheck source=setup.sh
. "$stdenv/setup"
export HOME=$NIX_BUILD_TOP/home
mkdir -p "$HOME"
genericBuild
[[ -e $out ]] || { echo "builder: no \$out was made" >&2; exit 1; }
