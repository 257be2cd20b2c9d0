"""Text of others with its unseen characters made visible: it looks like no other, and no terminal obeys."""

import re
import unicodedata

UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode's categories of controls, formats, separators of lines, and what stands for nothing."""
KEPT = "\t\n"
_SUSPECT = re.compile(r"[^\x20-\x7e\t\n]")


def visible(text: str) -> str:
    """`text` with a mark such as `‹U+202E›` in the place of each character that cannot be seen."""
    return _SUSPECT.sub(lambda found: _shown(found[0]), text)


def _shown(character: str) -> str:
    unseen = unicodedata.category(character) in UNSEEN and character not in KEPT
    return f"‹U+{ord(character):04X}›" if unseen else character
