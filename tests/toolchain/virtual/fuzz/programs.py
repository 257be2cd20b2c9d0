"""Random programs in what CPU and GPU must agree on: integers, branches, loops, switches, calls."""

import random
from dataclasses import dataclass, field

TYPES = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
COMMON_TYPES = (*TYPES, "s32", "s32", "u32", "u32", "u64", "s64")
BINARY = ("add", "sub", "mul", "shl", "shr", "div", "mod", "min", "max", "rot")
LIKELY = ("add", "sub", "mul", "shl", "shr", "add", "mul")
BITWISE = ("&", "|", "^")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
SPECIAL = (
    "ones((u64){0})", "zeros((u32){0})", "first((u64){0})", "mirror((u32){0})",
    "upper((u32){0}, (u32){1})", "upper_signed((s64){0}, (s64){1})", "bytes((u32){0}, (u32){1}, (u32){2})",
    "funnel((u32){0}, (u32){1}, (u32){2})", "wide_product({0}, {1}, {2})", "wide_ratio({0}, {1}, {2})",
    "wide_sum({0}, {1}, {2})", "wide_shift({0}, {1}, (u32){2})",
)  # fmt: skip
EDGES = (0, 1, 2, -1, 7, 127, 128, 255, 32767, 65535, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1)
INPUTS = OUTPUTS = 4
ARRAY = 8
MOST_STATEMENTS = 30


@dataclass
class _Writer:
    """One program while it grows."""

    chance: random.Random
    number: int
    variables: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    loops: int = 0
    counters: int = 0
    statements: int = 0
    functions: list[str] = field(default_factory=list)

    def line(self, text: str) -> None:
        self.lines.append("    " * (self.depth + 1) + text)

    # --- expressions

    def expression(self, kind: str, room: int = 3) -> str:
        """An expression of type `kind`."""
        pick = self.chance.random()
        if room == 0 or pick < 0.2:
            return self.leaf(kind)
        if pick < 0.6:
            name = self.chance.choice(LIKELY if self.chance.random() < 0.6 else BINARY)
            return f"{name}_{kind}({self.expression(kind, room - 1)}, {self.expression(kind, room - 1)})"
        if pick < 0.72:
            sign = self.chance.choice(BITWISE)
            return f"({kind})({self.expression(kind, room - 1)} {sign} {self.expression(kind, room - 1)})"
        if pick < 0.82:
            return f"({kind}){self.expression(self.chance.choice(TYPES), room - 1)}"
        if pick < 0.9:
            a, b = self.expression(kind, room - 1), self.expression(kind, room - 1)
            return f"({self.condition(room - 1)} ? {a} : {b})"
        return self.rare(kind, room)

    def rare(self, kind: str, room: int) -> str:
        pick = self.chance.random()
        if pick < 0.6:
            form = self.chance.choice(SPECIAL)
            parts = [self.expression(self.chance.choice(("u32", "u64", "s32")), room - 1) for _ in range(3)]
            return f"({kind}){form.format(*parts)}"
        if pick < 0.8:
            return f"({kind})~{self.expression(kind, room - 1)}"
        if pick < 0.9 and self.functions:
            arguments = ", ".join(self.expression("s32", 1) for _ in range(2))
            return f"({kind}){self.chance.choice(self.functions)}({arguments}, 3)"
        return f"({kind})box[{self.expression('u32', 1)} & {ARRAY - 1}]"

    def leaf(self, kind: str) -> str:
        pick = self.chance.random()
        if pick < 0.6 and self.variables:
            return f"({kind}){self.chance.choice(list(self.variables))}"
        if pick < 0.8:
            return f"({kind})in[{self.chance.randrange(INPUTS)}]"
        number = self.chance.choice(EDGES) if pick < 0.9 else self.chance.randint(-100, 100)
        return f"({kind}){number}ll"

    def condition(self, room: int = 2) -> str:
        """A boolean expression."""
        kind, sign = self.chance.choice(TYPES), self.chance.choice(COMPARISONS)
        first = f"({self.expression(kind, room)} {sign} {self.expression(kind, room)})"
        pick = self.chance.random()
        if room and pick < 0.2:
            return f"({first} {self.chance.choice(('&&', '||'))} {self.condition(room - 1)})"
        return f"!{first}" if pick > 0.95 else first

    # --- statements

    def block(self, count: int) -> None:
        """Some statements, one level further in; what they declare ends with them."""
        kept = dict(self.variables)
        self.depth += 1
        for _ in range(count):
            self.statement()
        self.depth -= 1
        self.variables = kept

    def statement(self) -> None:
        """Any statement; nested ones get rarer further in."""
        self.statements += 1
        pick = self.chance.random()
        if self.depth > 3 or self.statements > MOST_STATEMENTS or pick < 0.5:
            self.assignment()
        elif pick < 0.68:
            self.branch()
        elif pick < 0.8 and self.loops < 2:
            self.loop()
        elif pick < 0.88:
            self.switch()
        elif pick < 0.93 and self.loops:
            self.line(f"if ({self.condition()}) {self.chance.choice(('break', 'continue'))};")
        elif pick < 0.95:
            self.line(f"if ({self.condition()} && {self.condition()}) goto done;")
        else:
            self.line(f"box[{self.expression('u32', 1)} & {ARRAY - 1}] = {self.expression('s64', 2)};")

    def assignment(self) -> None:
        if len(self.variables) < 4 or self.chance.random() < 0.35:
            kind = self.chance.choice(COMMON_TYPES)
            value = self.expression(kind)
            name = f"v{self.counters}"
            self.counters += 1
            self.variables[name] = kind
            self.line(f"{kind} {name} = {value};")
        else:
            name = self.chance.choice(list(self.variables))
            self.line(f"{name} = {self.expression(self.variables[name])};")

    def branch(self) -> None:
        self.line(f"if ({self.condition()}) {{")
        self.block(self.chance.randint(1, 4))
        if self.chance.random() < 0.6:
            self.line("} else {")
            self.block(self.chance.randint(1, 4))
        self.line("}")

    def loop(self) -> None:
        name, mask = f"n{self.counters}", self.chance.choice((3, 7, 15))
        self.counters += 1
        bound = f"({self.expression('u32', 1)} & {mask})"
        if self.chance.random() < 0.5:
            self.line(f"for (u32 {name} = 0, end{name} = {bound}; {name} < end{name}; {name}++) {{")
        else:
            self.line(f"for (u32 {name} = {bound}; {name}-- > 0 && {self.condition(1)};) {{")
        self.loops += 1
        self.block(self.chance.randint(1, 5))
        self.loops -= 1
        self.line("}")

    def switch(self) -> None:
        count = self.chance.choice((2, 4, 9))
        self.line(f"switch ({self.expression('u32', 2)} % {count + 1}) {{")
        loops, self.loops = self.loops, 0  # `break` leaves the switch, `continue` would leave an outer loop
        for case in range(count):
            self.line(f"case {case}: {{")
            self.block(self.chance.randint(1, 2))
            self.line("} break;" if self.chance.random() < 0.75 else "}")
        self.loops = loops
        self.line("}")

    def function(self, index: int) -> None:
        """A function that is called, and may call itself a few levels deep."""
        name = f"f{self.number}_{index}"
        self.variables, kept = {"a": "s32", "b": "s32"}, self.variables
        self.lines.append(f"BOTH APART static s64 {name}(s32 a, s32 b, int left)\n{{")
        self.lines.append(f"    const s64 in[{INPUTS}] = {{a, b, left, 5}};")
        self.lines.append(f"    s64 box[{ARRAY}] = {{b, a}};")
        self.functions, others = [], self.functions
        self.lines.append("    {")
        self.block(self.chance.randint(1, 4))
        self.lines.append("    }")
        again = f"left > 0 ? {name}(b, (s32)in[1], left - 1) : 1" if self.chance.random() < 0.6 else "a"
        self.lines.append(f"    if (left > 0 && {self.condition(1)}) goto done;")
        self.lines.append(f"    return add_s64({again}, box[1]);")
        self.lines.append("done:\n    return add_s64(box[0], a);\n}\n")
        self.functions = [*others, name]
        self.variables = kept


def program(seed: int, number: int) -> str:
    """The source of the function `program<number>`: a function of `in` and `lane` to `out`."""
    chance = random.Random(seed)
    writer = _Writer(chance, number)
    for index in range(chance.choice((0, 0, 0, 1, 2))):
        writer.function(index)
    writer.lines.append(f"BOTH static void program{number}(const s64 *in, s64 *out, s32 lane)\n{{")
    writer.line(f"s64 box[{ARRAY}] = {{lane, 1, 2, 3}};")
    writer.variables = {"lane": "s32"}
    writer.lines.append("    {")
    writer.block(chance.randint(4, 9))
    writer.lines.append("    }\ndone:")
    for place in range(OUTPUTS):
        writer.line(f"out[{place}] = {writer.expression('s64', 1) if place else 'box[lane & 7]'};")
    writer.lines.append("}\n")
    return "\n".join(writer.lines)
