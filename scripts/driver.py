"""Where the driver and its workers are."""
import os
import shutil
from pathlib import Path
from typing import List, Optional

ROOT = Path(__file__).resolve().parent.parent
NO_DRIVER = ("gctax is neither in GCTAX_BUILD_DIR, nor beside this command, nor in build/, nor on "
             "PATH")


def folders() -> List[Path]:
    """Where to look, in that order: the folder named by GCTAX_BUILD_DIR, that of the command that
    runs us, build/ of the tree."""
    named = [os.environ.get("GCTAX_BUILD_DIR"), os.environ.get("GCTAX_COMMAND")]
    places = [Path(named[0])] if named[0] else []
    if named[1]:
        beside = Path(named[1]).resolve().parent
        places += [beside, beside.parent.parent / "bin"]
    return places + [ROOT / "build"]


def find_driver() -> Optional[str]:
    for folder in folders():
        if os.access(folder / "gctax", os.X_OK):
            return str(folder / "gctax")
    return shutil.which("gctax")
