"""All that a kernel's author wants to know of one operator: entry, arguments, sizes, and what right means."""

from collections.abc import Iterator
from textwrap import fill

from cudamaster.agents.briefing import accuracy_words, contract_words
from cudamaster.report.document import Json
from cudamaster.report.figures import shape_text
from cudamaster.report.listing import operator_document
from mskernelbench.operator import Kind, Operator, Parameter, Workload
from mskernelbench.shapes import shape_example

LEAST_NAME = 12
"""Columns of what stands before a text, at least."""
KEPT_TOGETHER = "\u00a0"
"""Stands for the blanks of a shape, so that no line breaks within one."""


def operator_details(operator: Operator) -> Json:
    """The operator's row of the list, with its arguments and what a right answer is."""
    return operator_document(operator) | {
        "parameters": [parameter_document(parameter) for parameter in operator.signature],
        "outputs": contract_words(operator),
        "accuracy": {str(p): accuracy_words(operator, p) for p in operator.precisions},
    }


def parameter_document(parameter: Parameter) -> Json:
    """One argument of the entry."""
    how = {"access": str(parameter.access), "layout": parameter.extent, "element": str(parameter.element)}
    by_value = parameter.kind is not Kind.TENSOR
    return {"name": parameter.name} | ({"by_value": str(parameter.kind)} if by_value else how)


def operator_lines(operator: Operator, width: int) -> Iterator[str]:
    """The operator on a page of this width."""
    aliases = f" (alias {', '.join(operator.aliases)})" if operator.aliases else ""
    yield f"{operator.name}{aliases}: {operator.title}, {operator.category}"
    names = max(LEAST_NAME, *(len(parameter.name) + 4 for parameter in operator.signature))
    for name, text in _rows(operator):
        lines = fill(
            f"{name:<{names}}{text}",
            width,
            subsequent_indent=" " * names,
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield lines.replace(KEPT_TOGETHER, " ")


def _rows(operator: Operator) -> Iterator[tuple[str, str]]:
    yield "computes", operator.mathematics
    for precision in operator.precisions:
        yield f"{precision} entry", f"{operator.c_signature(precision)};"
    yield "", "a cudaStream_t may be declared last, and is then passed"
    for parameter in operator.signature:
        yield f"  {parameter.name}", _parameter_words(parameter, operator)
    yield "outputs", contract_words(operator)
    for precision in operator.precisions:
        yield f"right, {precision}", accuracy_words(operator, precision)
    for name in ("check", "paper", "real"):
        if workloads := operator.in_set(name):
            yield name, "; ".join(_workload_words(workload) for workload in workloads)
    yield "--shape", f"{shape_example(operator)}, or one of those above in quotes"


def _parameter_words(parameter: Parameter, operator: Operator) -> str:
    types = " or ".join(dict.fromkeys(parameter.c_type(precision) for precision in operator.precisions))
    if parameter.kind is not Kind.TENSOR:
        default = "" if parameter.default is None else f"; may be left out, and is {parameter.default} then"
        return f"{types}, by value{default}"
    null = "; null where it is not wanted" if parameter.nullable else ""
    return f"{types}, {str(parameter.access).replace('_', ' ')}, {parameter.extent}{null}"


def _workload_words(workload: Workload) -> str:
    return shape_text(workload.shape, workload.pattern).replace(" ", KEPT_TOGETHER)
