"""What `gctax check` does inside the checked interpreter: a type, its instances, its slots.

The worker calls run(). The standard library is all that is imported here, and little of it: what a
check sees must be the target's own. Whatever may crash, hang, print or exit runs in forked children
(children.py); the rules themselves are C (gctax_probe.check) and do the same.
"""
from .check import run

__all__ = ["run"]
