"""Small faults that people put into kernels, as changes of source text.

Plain patterns on the text with comments and strings blanked; what does not compile afterwards is not counted.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mskernelbench.entries import blanked
from mskernelbench.operator import Precision

Change = Callable[[re.Match[str]], str]
HALVES = {
    Precision.FP32: ("__half2float", "__float2half"),
    Precision.BF16: ("__bfloat162float", "__float2bfloat16"),
}
HEADER = "#include <cuda_fp16.h>\n"
"""For faults of half precision alone: it doubles what nvcc takes."""


@dataclass(frozen=True, slots=True)
class Mutator:
    """One kind of fault."""

    name: str
    pattern: re.Pattern[str]
    change: Change


@dataclass(frozen=True, slots=True)
class Mutant:
    """A kernel with one fault in it."""

    mutator: str
    line: int
    """In the honest source, from 1."""
    column: int
    """From 1."""
    before: str
    after: str
    source: str


def fault(name: str, pattern: str, replacement: str | Change) -> Mutator:
    """A mutator; `replacement` is a template of `re.Match.expand` or a function."""
    template = replacement if isinstance(replacement, str) else None
    change = (lambda match: match.expand(template)) if template is not None else replacement
    assert callable(change)
    return Mutator(name, re.compile(pattern, re.MULTILINE), change)


def literal(factor: float) -> Change:
    """A constant, a little off."""
    return lambda match: f"{float(match[1]) * factor!r}f"


OPERATORS = {"+=": "-=", "fmaxf": "fminf", "fminf": "fmaxf", " > ": " < ", "&&": "||", "||": "&&"}
COMMON = (
    fault("the last element is left out", r"\b(\w+) < ([A-Za-z]\w*)(?=[);&|? ])", r"\1 < \2 - 1"),
    fault("the last element is left out", r"\b(\w+) >= ([A-Za-z]\w*)(?=[);&|? ])", r"\1 >= \2 - 1"),
    fault("one element too many", r"\b(\w+) < ([A-Za-z]\w*)(?=[);&|? ])", r"\1 <= \2"),
    fault("one element too many", r"\b(\w+) >= ([A-Za-z]\w*)(?=[);&|? ])", r"\1 > \2"),
    fault("no guard", r"\bif \(\w+ >= \w+(?: \|\| \w+ >= \w+)*\) return;", ""),
    fault("no guard", r"\bif \(\w+ < [A-Za-z]\w*\)", "if (true)"),
    fault("no barrier", r"__sync(?:threads|warp)\([^)]*\);", ";"),
    fault("the tail's block is not launched", r"\((\w+) \+ ([\w.]+) - 1\) / \2", r"\1 / \2"),
    fault("the tail's block is not launched", r"\((\w+) - 1\) / ([\w.]+) \+ 1", r"\1 / \2"),
    fault("swapped indices", r"\(size_t\)(\w+) \* (\w+) \+ (\w+)", r"(size_t)\3 * \2 + \1"),
    fault("swapped indices", r"\b(threadIdx|blockIdx)\.([xy])",
          lambda m: f"{m[1]}.{'y' if m[2] == 'x' else 'x'}"),
    fault("wrong initial value", r"= 0(\.0f)?(?=[;,])", r"= 1\1"),
    fault("wrong initial value", r"= -INFINITY(?=[;,])", "= 0.0f"),
    fault("the first step is left out", r"(for \((?:\w+ )?\w+ = )0;", r"\g<1>1;"),
    fault("wrong operator", r"\+=|fmaxf|fminf| > |&&|\|\|", lambda m: OPERATORS[m[0]]),
    fault("a reduction forgets half", r"= (\d+)(?=; \w+ > 0)", lambda m: f"= {int(m[1]) // 2}"),
    fault("a statement is left out", r"^(\s+)[\w.*]+(?:\[[^;=]*\])? [-+*/]?= [^;]+;$", r"\1;"),
    fault("indices of 16 bits", r"\(size_t\)", "(unsigned short)"),
    fault("a neighbour's value", r"\[([a-z]\w*)\](?= [+*/-] |\)|;)", r"[\1 > 0 ? \1 - 1 : 0]"),
    fault("an array one too short", r"(__shared__ \w+ \w+)\[(\w+)\]", r"\1[\2 - 1]"),
)  # fmt: skip


def mutators(precision: Precision, sizes: Sequence[str]) -> Iterator[Mutator]:
    """All of them; `sizes` are the entry's size parameters, in order."""
    yield from COMMON
    back, to = HALVES[precision]
    yield fault("a sum of low precision", r"\b(\w+) \+= ([^;]+);", rf"\1 = {back}({to}(\1 + (\2)));")
    if precision is Precision.FP32:
        yield fault("a result of low precision", r"(\w+\[[^;=]*\]) = ([^;{}]+);", rf"\1 = {back}({to}(\2));")
        yield fault("a constant 0.01 % off", r"\b(\d+\.\d*[1-9]\d*)f", literal(1.0001))
    else:
        yield fault("a constant 2 % off", r"\b(\d+\.\d*[1-9]\d*)f", literal(1.02))
    for limit in (1000, 4096):
        many = " || ".join(f"{size} > {limit}" for size in sizes)
        yield fault(
            f"nothing beyond {limit}",
            r"\bvoid \w+\([^()]*cudaStream_t \w+\) \{",
            rf"\g<0> if ({many}) return;",
        )


def mutants(source: str, precision: Precision, sizes: Sequence[str], most: int) -> list[Mutant]:
    """At most `most` of every kind, spread over the text; the same for the same source."""
    found: dict[str, list[Mutant]] = {}
    text = blanked(source)
    for mutator in mutators(precision, sizes):
        places = [_mutant(mutator, match, source) for match in mutator.pattern.finditer(text)]
        found.setdefault(mutator.name, []).extend(place for place in places if place.before != place.after)
    return [mutant for places in found.values() for mutant in _spread(places, most)]


def _mutant(mutator: Mutator, match: re.Match[str], source: str) -> Mutant:
    after = mutator.change(match)
    changed = source[: match.start()] + after + source[match.end() :]
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    line, column = source.count("\n", 0, start) + 1, start - source.rfind("\n", 0, start)
    head = HEADER if HALVES[Precision.FP32][0] in after else ""
    return Mutant(mutator.name, line, column, match[0].strip(), after.strip(), head + changed)


def _spread(places: list[Mutant], most: int) -> list[Mutant]:
    step = max(1.0, len(places) / most)
    return [places[int(step * i)] for i in range(min(most, len(places)))]
