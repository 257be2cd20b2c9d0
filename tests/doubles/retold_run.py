"""A finished run told again: its journal grows in another folder, event by event, as if the run went on."""

import json
from dataclasses import dataclass
from pathlib import Path

from cudamaster.search.scripted import ScriptedTeam
from cudamaster.store.runs import RunFolder
from tests.doubles import scripted_run as scripted


def run_to_its_end(root: Path, team: ScriptedTeam) -> RunFolder:
    """A run on the scripted judge in `runs`, its champion stored in `results` beside them."""
    folder = scripted.folder(root)
    judge = scripted.judge()
    judge.operator, judge.shape = "matrix_mul", {"M": 64, "N": 64, "K": 64}
    scripted.run(folder, root / "results", team, judge, max_minutes=30.0).work()
    return folder


@dataclass
class RetoldRun:
    """The journal of `original`, as far as it was told in `folder`."""

    original: RunFolder
    folder: RunFolder
    told: int = 0
    """Events so far."""

    def until(self, event: str, count: int = 1) -> "RetoldRun":
        """Tell all up to the `count`th event of that name."""
        lines = self.original.journal_path.read_text().splitlines(keepends=True)
        places = [i for i, line in enumerate(lines) if json.loads(line)["event"] == event]
        end = places[count - 1] + 1
        self.say("".join(lines[self.told : end]))
        self.told = end
        return self

    def say(self, text: str) -> None:
        """Append text to the journal, whatever it is."""
        with self.folder.journal_path.open("a") as file:
            file.write(text)


def retold(original: RunFolder, runs: Path) -> RetoldRun:
    """A run of the same name in the folder `runs`, nothing of which is told yet."""
    folder = RunFolder(runs / original.name)
    folder.path.mkdir(parents=True)
    folder.journal_path.touch()
    (folder.path / "artefacts").symlink_to(original.path / "artefacts")
    return RetoldRun(original, folder)
