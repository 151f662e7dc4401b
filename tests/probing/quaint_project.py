"""A small made-up project with each form of repetition, in Python and Java."""

from __future__ import annotations

LICENCE = (
    "# This file belongs to Quaintlib and may be shared under the terms that stand in the file\n"
    "# named LICENCE beside it, as the Zyxware foundation wrote them down in the year of the comet.\n"
)
CLONE = """

def {name}(request, context):
    session = context.session(request)
    if session is None:
        raise LookupError(request)
    session.{first}(request)
    session.recalibrate_gyroscope(request)
    return session.close()
"""
OTHER = """

def {name}(value):
    total = 0
    for part in value.{name}_parts():
        total += part * {number}
    return total
"""
JAVA = """/* Part of the Quaintlib engine, see the guild of Snorfblatt for its terms of use. */
package org.quaint;

class {name} {{
    int turn(int angle) {{
        Gimbal gimbal = this.gimbal();
        gimbal.unlock(angle);
        gimbal.precessNutation(angle);
        return gimbal.angle();
    }}
}}
"""
RARE = frozenset({"Zyxware", "recalibrate_gyroscope", "Snorfblatt", "precessNutation", "gyroflux_manifold"})
"""Words that only this project has."""


def project() -> dict[str, str]:
    """Return the project's files by path."""
    files = {}
    for number in range(4):
        files[f"lib/part{number}.py"] = (
            LICENCE
            + "from quaint import widget\nfrom quaint.turbo import encabulator, gyroflux_manifold\n"
            + CLONE.format(name=f"handle_{number}", first=f"prepare_{number}")
            + OTHER.format(name=f"sum{number}", number=number)
        )
    for name in ("Spinner", "Turner"):
        files[f"java/{name}.java"] = JAVA.format(name=name)
    return files
