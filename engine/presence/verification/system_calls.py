"""A filter of system calls: memory that no process has and no limit counts cannot be made.

A memory file (`memfd_create`) and System V shared memory hold pages that belong to no process until they are
mapped. The filter is a program for the kernel's packet filter machine, as in the manual page seccomp(2).
"""

from __future__ import annotations

import platform
import struct

_ENOSYS = 38
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | _ENOSYS
_NUMBER, _MACHINE = 0, 4
"""Offsets in what the kernel shows of a call (`struct seccomp_data`)."""
_OTHER_NUMBERING = 0x40000000
"""From here on, x86-64 counts the calls of its 32-bit pointers' mode."""
_REFUSED = {
    # machine: its constant of linux/audit.h, then memfd_create, memfd_secret, shmget
    "x86_64": (0xC000003E, (319, 447, 29)),
    "aarch64": (0xC00000B7, (279, 447, 194)),
}


def call_filter(machine: str | None = None) -> bytes:
    """Return the filter's program; empty for a machine whose numbers are not listed here.

    Calls in another machine's numbering are refused altogether: they would be misread.
    """
    known = _REFUSED.get(machine or platform.machine())
    if known is None:
        return b""
    constant, refused = known
    # The jumps count the instructions that are passed over; the last two are ALLOW and REFUSE.
    checks = [(_EQUAL, number) for number in refused] + [(_AT_LEAST, _OTHER_NUMBERING)]
    lines = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 0, len(checks) + 2, constant), (_LOAD, 0, 0, _NUMBER)]
    for place, (test, value) in enumerate(checks):
        lines.append((test, len(checks) - place, 0, value))
    lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
