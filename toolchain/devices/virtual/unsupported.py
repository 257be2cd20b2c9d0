"""What the virtual GPU does not know, said loudly: neither right nor wrong."""


class Unsupported(Exception):
    """An opcode, modifier or runtime call that the virtual GPU lacks."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(f"the virtual GPU does not support {what}" + (f" (line {line})" if line else ""))
        self.what = what
        self.line = line
