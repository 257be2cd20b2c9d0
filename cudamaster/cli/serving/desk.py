"""Answers an agent's requests on one open device: the task, verdicts, profiles, submissions."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from cudamaster.cli.kernel_file import kernel_text
from cudamaster.cli.opening import Opening, choose_operator
from cudamaster.cli.serving.announcing import AnnouncingDevice, Say
from cudamaster.cli.serving.messages import Request, Service, Verb
from cudamaster.cli.serving.submitting import submitted
from cudamaster.cli.serving.task import profiled, task_document
from cudamaster.report.document import Json, finite
from cudamaster.report.stored_kernels import stored_rows
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.settings import Settings
from cudamaster.search.storing import place_name
from cudamaster.search.teams import BUILTIN
from cudamaster.toolchain.device import Device

KEPT = 2
"""Referees that are kept with their inputs and answers; each may hold gigabytes."""

Key = tuple[str, str, tuple[str, ...]]


class Desk:
    """One device, and the referees of the operators that were asked for last."""

    def __init__(self, means: Opening, device: Device, service: Service) -> None:
        self._means, self._service = means, service
        self._device = AnnouncingDevice(device, lambda words: None)
        self._kept: OrderedDict[Key, Collaborators] = OrderedDict()

    def answer(self, request: Request, say: Say) -> Json:
        """The document that was asked for. Raises what is wrong with the request."""
        self._device.say = say
        settings = self._settings(request)
        means = self._collaborators(settings)
        document = ANSWERS[request.verb](self, request, replace(settings, model=model_of(request)), means)
        return dict(finite(document))

    def task(self, request: Request, settings: Settings, means: Collaborators) -> Json:
        """`cudamaster.task/1`."""
        here = (settings.precision, place_name(means.device, means.spec.name))
        rows = stored_rows(self._service.results, settings.operator)
        return task_document(means, settings, [r for r in rows if (r["precision"], r["device"]) == here])

    def evaluate(self, request: Request, settings: Settings, means: Collaborators) -> Json:
        """`cudamaster.evaluation/1`."""
        source = kernel_text("source", request.source.encode("utf-8", "surrogatepass"))
        verdict = means.judge.full(source) if request.thorough else means.judge.quick(source)
        return verdict.document()

    def profile(self, request: Request, settings: Settings, means: Collaborators) -> Json:
        """`cudamaster.profile/1`."""
        source = kernel_text("source", request.source.encode("utf-8", "surrogatepass"))
        return profiled(source, settings, means)

    def submit(self, request: Request, settings: Settings, means: Collaborators) -> Json:
        """`cudamaster.submission/1`."""
        source = kernel_text("source", request.source.encode("utf-8", "surrogatepass"))
        return submitted(source, request.note, settings, means, self._service)

    def _settings(self, request: Request) -> Settings:
        service = self._service
        chosen = choose_operator(request.operator, request.precision, service.operators_dir)
        return Settings(
            operator=chosen.operator.name,
            precision=str(chosen.precision),
            device=self._device.name,
            model=BUILTIN,
            rounds=1,
            candidates=1,
            seed=service.seed,
            shapes=request.shapes,
            operators_dir=str(service.operators_dir or ""),
            results=str(service.results),
            results_asked=True,
        )

    def _collaborators(self, settings: Settings) -> Collaborators:
        key = (settings.operator, settings.precision, settings.shapes)
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                self._kept.popitem(last=False)
            self._kept[key] = self._means.collaborators(settings, self._device)
        self._kept.move_to_end(key)
        return self._kept[key]


def model_of(request: Request) -> str:
    """Who proposed, as a record names it."""
    return f"agent:{request.agent}" if request.agent else "agent"


ANSWERS: dict[Verb, Callable[[Desk, Request, Settings, Collaborators], Json]] = {
    Verb.TASK: Desk.task,
    Verb.EVALUATE: Desk.evaluate,
    Verb.PROFILE: Desk.profile,
    Verb.SUBMIT: Desk.submit,
}
