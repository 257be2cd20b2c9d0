"""The tools that a coding agent sees, and the server that offers them over stdin and stdout."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from anyio import to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import Field, ValidationError

from cudamaster.cli.boundary import sentence_and_code
from cudamaster.cli.opening import Opening
from cudamaster.cli.serving.bench import Bench, Unanswered
from cudamaster.cli.serving.messages import Request, Service, Verb
from cudamaster.config import operators_dir
from cudamaster.own_version import own_version
from cudamaster.report.document import Json
from cudamaster.report.listing import operators_document
from cudamaster.report.stored_kernels import leaderboard_document
from mskernelbench.catalog import all_operators, find_operator

INSTRUCTIONS = """\
Make a CUDA kernel faster, and have it proved. list_operators names the tasks; get_task says what one asks
for, what its baseline does and takes; evaluate_kernel judges your source, profile_kernel says what binds it;
when it is right and faster, submit_kernel judges it afresh on all workloads and stores it. Kernels are judged
one after another. Times marked 'modelled' come from a virtual GPU: there, less than 10 % counts as none."""

Document = dict[str, Any]
Operator = Annotated[str, Field(description="An operator's name or alias, as list_operators gives it.")]
Precision = Annotated[str, Field(description="fp32 or bf16.")]
Source = Annotated[str, Field(description="One whole CUDA C++17 file that defines the entry.")]
Shapes = Annotated[
    list[str] | None,
    Field(
        description="Time these sizes, such as 'M=64,N=2048' (shape_example of the operator), instead of the "
        "operator's workloads; quicker while you try things. What is stored for own sizes is kept apart."
    ),
]


class PlainTool(Tool):
    """A tool whose refusals are one sentence, those of malformed arguments too."""

    async def run(self, *arguments: Any, **named: Any) -> Any:
        """As Tool does. Raises ToolError."""
        try:
            return await super().run(*arguments, **named)
        except ToolError as fault:
            raise ToolError(self._sentence(fault)) from fault.__cause__

    def _sentence(self, fault: ToolError) -> str:
        cause = fault.__cause__
        if isinstance(cause, ValidationError):
            wrong = (f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in cause.errors())
            return f"{self.name} cannot be called like this: {'; '.join(wrong)}"
        if isinstance(cause, Exception) and not isinstance(cause, ToolError):
            return sentence_and_code(cause)[0]
        return str(cause or fault)


class Tools:
    """One method a tool; each docstring is what the agent reads."""

    def __init__(self, bench: Bench, service: Service) -> None:
        self._bench, self._service = bench, service

    async def list_operators(self) -> Document:
        """List the operators: names, mathematics, entries with their signatures, workloads, example sizes."""
        own = operators_dir(self._service.operators_dir)
        return await aside(lambda: operators_document(all_operators(own)))

    async def get_task(
        self, operator: Operator, precision: Precision, context: Context, shapes: Shapes = None
    ) -> Document:
        """All about one task: mathematics, signature, contract, workloads, the device's limits, rules, the
        kernels stored so far, and the baseline with its source, times and profile."""
        return await self._asked(Request(Verb.TASK, operator, precision, tuple(shapes or ())), context)

    async def evaluate_kernel(
        self,
        operator: Operator,
        precision: Precision,
        source: Source,
        context: Context,
        shapes: Shapes = None,
        thorough: Annotated[
            bool, Field(description="Time all workloads, as submit_kernel does, instead of a few.")
        ] = False,
    ) -> Document:
        """Judge a kernel: is it right on hard inputs, and how much faster than the baseline is it? The answer
        has status, reason, and for a correct kernel the speedup with its interval, workload by workload."""
        request = Request(Verb.EVALUATE, operator, precision, tuple(shapes or ()), source, thorough)
        return await self._asked(request, context)

    async def profile_kernel(
        self,
        operator: Operator,
        precision: Precision,
        source: Source,
        context: Context,
        shapes: Shapes = None,
    ) -> Document:
        """Say what a kernel does on the device: launch, metrics as Nsight names them, what binds it, and the
        source lines that cost most. Correctness is not looked at."""
        return await self._asked(
            Request(Verb.PROFILE, operator, precision, tuple(shapes or ()), source), context
        )

    async def submit_kernel(
        self,
        operator: Operator,
        precision: Precision,
        source: Source,
        context: Context,
        shapes: Shapes = None,
        note: Annotated[str, Field(description="One sentence: what you changed, and why it helps.")] = "",
    ) -> Document:
        """Judge a kernel afresh, on all workloads and inputs it has not seen, and store it with the evidence
        when it beats the baseline and what is stored so far."""
        request = Request(Verb.SUBMIT, operator, precision, tuple(shapes or ()), source, note=note)
        return await self._asked(request, context)

    async def leaderboard(
        self, operator: Annotated[str | None, Field(description="Only this operator's.")] = None
    ) -> Document:
        """The kernels stored so far, with speedups and where they lie."""
        return await aside(lambda: self._standings(operator))

    def _standings(self, operator: str | None) -> Json:
        own = operators_dir(self._service.operators_dir)
        name = find_operator(operator, own).operator.name if operator else None
        return leaderboard_document(self._service.results, name)

    async def _asked(self, request: Request, context: Context) -> Json:
        steps = 0

        async def say(words: str) -> None:
            nonlocal steps
            steps += 1
            await context.report_progress(steps, None, words)

        try:
            return await self._bench.ask(named(request, context), say)
        except Unanswered as refusal:
            raise ToolError(str(refusal)) from None


def named(request: Request, context: Context) -> Request:
    """The request with the name that the agent's client gave."""
    client = context.request_context.session.client_params
    return replace(request, agent=client.client_info.name) if client else request


async def aside(work: Callable[[], Json]) -> Json:
    """What `work` returns, done in a thread. Raises ToolError with the sentence of whatever it raises."""
    try:
        return await to_thread.run_sync(work)
    except Exception as fault:  # noqa: BLE001 (a process boundary)
        raise ToolError(sentence_and_code(fault)[0]) from None


def serve(service: Service, means: Opening) -> None:
    """Serve until the client closes stdin."""
    bench = Bench(service, means)
    tools = Tools(bench, service)
    offered = (
        tools.list_operators,
        tools.get_task,
        tools.evaluate_kernel,
        tools.profile_kernel,
        tools.submit_kernel,
        tools.leaderboard,
    )
    server: MCPServer[Any] = MCPServer(
        "cudamaster",
        version=own_version(),
        instructions=INSTRUCTIONS,
        tools=[PlainTool.from_function(tool) for tool in offered],
        log_level="WARNING",
    )
    try:
        server.run("stdio")
    finally:
        bench.close()
