# Sourced by the other scripts: makes the virtual environment .venv of the project and keeps it current.
# shellcheck shell=bash

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
VENV="$ROOT/.venv"
VENV_PYTHON="$VENV/bin/python"

say() { printf '%s\n' "$*"; }
complain() { printf '%s\n' "$*" >&2; }

# Print the first Python that is new enough and can make virtual environments, else say what is missing.
find_python() {
    local candidate found="" version
    local candidates=(python3 python3.11 python3.12 python3.13 python3.14 python)
    [[ -z "${PYTHON:-}" ]] || candidates=("$PYTHON")
    for candidate in "${candidates[@]}"; do
        version="$("$candidate" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null)" || continue
        if ! "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            found="${found:-$candidate is Python $version, which is too old}"
        elif ! "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
            found="$candidate lacks the venv module (on Debian and Ubuntu: apt-get install python3-venv)"
        else
            printf '%s\n' "$candidate"
            return
        fi
    done
    complain "BenchChecker needs Python 3.11 or newer: ${found:-there is no ${PYTHON:-Python on PATH}}."
    complain "Install one, or name the one to use: PYTHON=/path/to/python3.12 $0"
    return 1
}

# Print what an environment depends on: the declared packages, the place of the project, and Python itself.
environment_key() {
    "$VENV_PYTHON" - "$ROOT" <<'PYTHON'
import hashlib, pathlib, platform, sys

root = pathlib.Path(sys.argv[1])
parts = [(root / "pyproject.toml").read_bytes(), str(root).encode(), platform.python_version().encode()]
print(hashlib.sha256(b"\0".join(parts)).hexdigest())
PYTHON
}

# Make .venv hold the project with the named extras (comma-separated, none by default).
# The stamp is written last, so that an installation that was interrupted is done again.
ensure_environment() {
    local extras="${1:-}" python stamp="$VENV/installed" key
    if ! "$VENV_PYTHON" -c 'import pip' 2>/dev/null; then
        python="$(find_python)" || return 1
        say "Making $VENV with $("$python" --version) …"
        "$python" -m venv --clear "$VENV"
    fi
    key="$(environment_key)"
    if [[ -f "$stamp" ]] && grep -qxF "$key ${extras:-none}" "$stamp"; then
        return
    fi
    say "Installing BenchChecker${extras:+ with $extras}; the first time this takes a few minutes …"
    # -qq: a second time pip has nothing to say, and the first time nobody reads two hundred lines.
    "$VENV_PYTHON" -m pip install --disable-pip-version-check --no-input -qq \
        --editable "$ROOT${extras:+[$extras]}" || {
        complain "The installation failed; what pip said is above. Run this again to go on."
        return 1
    }
    # An environment with extras also serves what needs none.
    printf '%s\n' "$key ${extras:-none}" "$key none" >"$stamp"
}
