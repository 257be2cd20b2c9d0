"""The addresses that are served: `/runs/`, `/runs/RUN/` and their `events`, and the site of the results."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from mimetypes import guess_type
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cudamaster.errors import CudamasterError
from cudamaster.store.results import RECORD
from cudamaster.store.runs import list_runs
from cudamaster.web.building import Files, site_files
from cudamaster.web.live.glimpse import Beside
from cudamaster.web.live.stream import Stream, Watch
from cudamaster.web.live.views import RunsView, RunView
from cudamaster.web.pages.environment import rendered
from cudamaster.web.pages.kernel import PAGE


@dataclass(frozen=True, slots=True)
class Shown:
    """What is served."""

    runs: Path
    beside: Beside
    first: str = ""
    """The run that is opened with; empty for the results, or where there are none the list of all."""


@dataclass(slots=True)
class Site:
    """The site of the stored results, made when it is first asked for and when they have changed."""

    shown: Shown
    _made: tuple[object, Files] | None = None

    def is_there(self) -> bool:
        """Whether there is anything to show; whether that is sound is not looked at."""
        return any(self.shown.beside.results.rglob(RECORD))

    def files(self) -> Files:
        """Contents by path. Raises UsageError where nothing is stored, or something unsound."""
        records = sorted(self.shown.beside.results.rglob(RECORD))
        mark = tuple((record, record.stat().st_mtime_ns) for record in records)
        if self._made is None or self._made[0] != mark:
            runs, beside = self.shown.runs, self.shown.beside
            self._made = mark, site_files(beside.results, (), runs, beside.own, "runs/")
        return self._made[1]


@dataclass(slots=True)
class Pages:
    """Answers to requests."""

    shown: Shown
    stream: Stream
    _runs: Watch = field(init=False)
    _site: Site = field(init=False)
    _making_site: asyncio.Lock = field(default_factory=asyncio.Lock)
    _watches: dict[str, Watch] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._runs = Watch(RunsView(self.shown.runs))
        self._site = Site(self.shown)

    async def home(self, _: Request) -> Response:
        """To the run that was asked for, else to the stored results, else to the list of runs."""
        first = self.shown.first
        if not first and await run_in_threadpool(self._site.is_there):
            return RedirectResponse(PAGE, 303)
        return RedirectResponse(f"runs/{first}/" if first else "runs/", 303)

    async def runs(self, _: Request) -> Response:
        """The list of runs."""
        view = await self._runs.now()
        return HTMLResponse(rendered("runs.html.j2", live=True, root="../", view=view))

    async def folder(self, request: Request) -> Response:
        """To the page of that name, typed without its last slash."""
        return RedirectResponse(f"{request.url.path}/", 303)

    async def runs_events(self, request: Request) -> Response:
        """Its changes."""
        return self.stream.response(request, self._runs)

    async def run(self, request: Request) -> Response:
        """One run."""
        view = await (await self._watch(request)).now()
        return HTMLResponse(rendered("run.html.j2", live=True, root="../../", view=view))

    async def run_events(self, request: Request) -> Response:
        """Its changes."""
        return self.stream.response(request, await self._watch(request))

    async def site(self, request: Request) -> Response:
        """A file of the site of the stored results."""
        path = request.path_params["path"]
        try:
            async with self._making_site:
                files = await run_in_threadpool(self._site.files)
        except (CudamasterError, OSError) as fault:  # results may go at any moment
            raise HTTPException(404, f"{fault}\n") from fault
        if path not in files:
            raise HTTPException(404, f"there is no {path} here\n")
        kind, _ = guess_type(path)
        return Response(files[path], media_type=kind or "text/plain")

    async def _watch(self, request: Request) -> Watch:
        name = request.path_params["name"]
        if name not in self._watches:
            found = await run_in_threadpool(list_runs, self.shown.runs)
            run = next((run for run in found if run.name == name), None)
            if run is None:
                raise HTTPException(404, f"there is no run {name} here\n")
            self._watches.setdefault(name, Watch(RunView(run, self.shown.beside)))
        return self._watches[name]


def application(shown: Shown, ending: Callable[[], bool]) -> Starlette:
    """The application that serves it, until `ending`."""
    pages = Pages(shown, Stream(ending))
    return Starlette(
        routes=[
            Route("/", pages.home),
            Route("/runs/", pages.runs),
            Route("/runs", pages.folder),
            Route("/runs/events", pages.runs_events),
            Route("/runs/{name}", pages.folder),
            Route("/runs/{name}/", pages.run),
            Route("/runs/{name}/events", pages.run_events),
            Route("/{path:path}", pages.site),
        ]
    )
