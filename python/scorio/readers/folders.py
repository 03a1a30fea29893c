"""Reading of folders, whose files are read in sorted order, and of several files; other files than logs are listed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..display import progress
from ..display.text import nearest
from ..display.text import number as counted
from ..errors import InvalidInput, shown
from . import engine, values
from .accumulator import TrialAccumulator
from .detect import Source, source
from .evaluation import EvaluationData
from .files import (
    LINK_OUT,
    excluded,
    hash_of,
    is_archive,
    is_link_out,
    may_be_log,
    name_and_kind,
    packed_copies,
    walked,
    without_endings,
)
from .formats import ANSWERED
from .formats.inspect_ai import superseded
from .likely_columns import FAMILY
from .options import ReadOptions, is_requested
from .pattern import Layout, relative_path
from .records import Record, Runs, Settings, Unfinished
from .text_files import SourceLocation, UnknownFormat

RUN = re.compile("(seed|run|trial|epoch|sample|rep|attempt|repeat)s?[-_ .]?[0-9]+", re.IGNORECASE)  # in names of files
PARTS = "[srtkn]|try|iter|part|shard|chunk"  # further words, which are followed by a number
# a run and its model: gpt_seed1, gpt (2)
NAMED_RUN = re.compile(
    rf"(?P<model>.+?(?=[-_ .]))?(?P<before>[-_ .]?(?=({RUN.pattern}|({PARTS})[-_]?[0-9]+$))\D+)[0-9]+"
    r"|(?P<name>.+) \([0-9]+\)",
    re.IGNORECASE,
)
COPY = re.compile(r"(.+?)( \([0-9]+\)| copy( [0-9]+)?| - Copy( \([0-9]+\))?)")  # as systems name copies of files
COPY_NOTE = "copies, or deterministic runs: each counts as further trials, unless --exclude leaves it out"
FURTHER_RUNS = "Files that were read as one more trial of each question, since another file has their model and task: \
{n}. If one is a copy, --exclude leaves it out."
OTHER_PROMPTS = "Files whose prompts of the same questions differ from those of the first run of their model and task: \
{n}. They were read as its trials; --exclude leaves them out."
MOST_NAMES = 50  # names of files that are looked at for a layout
PROGRESS_FILES = 256  # number of files from which a terminal shows a progress bar


def read(location: SourceLocation, options: ReadOptions, roots: Sequence[Path] = ()) -> EvaluationData:
    """The evaluation in a folder, or in several files and folders (roots, which `location` then only names)."""
    accumulator = TrialAccumulator(location, options)
    runs, guard = Runs(location, options.files_are_runs), DuplicateGuard(location, options)
    recognised: Source | UnknownFormat | str
    formats, skipped, left_out, last_skipped = dict[str, bool](), list[str](), list[str](), ""
    hint: str | None = None
    unread, links, answers, results = list[str](), list[str](), dict[Path, str](), list[Path]()
    # of files of a tool, each in a folder of its own: the folder above, and the name; the root, and one of the sources
    one_per_folder: dict[tuple[Path, str], tuple[Path, Source]] = {}
    all_files = list(_distinct_files(roots or [location.root], location))
    included = [x for x in all_files if not (options.exclude and excluded(options.exclude, relative_path(*x[:2])))]
    if options.exclude and len(included) == len(all_files):
        names_in_paths = [name for root, file, _ in all_files for name in relative_path(root, file).split("/")]
        near = nearest(options.exclude[0], names_in_paths)
        what = f"exclude = {shown(', '.join(options.exclude))} matches none of the files{near}"
        raise InvalidInput("choice", "exclude", what, "listed")
    # the fields (model, task, run, ...) in a file's path are None where it does not match the layout
    match = options.layout.match if options.layout else lambda root, file: {}
    files = [(root, file, is_candidate, match(root, file)) for root, file, is_candidate in included]
    candidates = [file for _, file, is_candidate, fields in files if is_candidate and fields is not None]
    retried = superseded(candidates, location.prefetched)
    for file, newer in retried.items():
        location.remark(f"{file.name} was retried: {newer.name} is read instead.")
    packed = packed_copies(candidates)
    guard.files = [x[:2] for x in files if x[2] and x[3] is not None and x[1] not in retried and x[1] not in packed]
    with progress.bar("files", len(files), None if len(files) >= PROGRESS_FILES else False) as advance:
        for root, file, is_candidate, fields in files:
            advance(1)
            if file in retried or file in packed:
                continue
            if is_candidate and fields is not None:
                location.enter(file)
                try:
                    recognised = source(location, options)
                except UnknownFormat as e:  # where columns are stated, every file but XML and YAML should be a table
                    if options.columns is not None and location.suffix not in (".xml", ".yaml", ".yml"):
                        raise
                    recognised = e
                except InvalidInput as e:
                    if formats and ("COLUMN" in (e.hint or "") or e.hint == "wide"):  # such as a table of averages
                        e.hint = f"other:{relative_path(root, file)}"
                    raise
                if isinstance(recognised, Source):
                    formats[recognised.format] = True
                    results.append(file)
                    if recognised.absent and file.parent != root:
                        one_per_folder[file.parent.parent, file.name] = root, recognised
                    _count(recognised, fields, accumulator, runs, guard)
                    continue
                if isinstance(recognised, UnknownFormat):
                    last_skipped, hint = f"{file.name} is {recognised.reason}", recognised.hint
                else:
                    last_skipped = recognised
                if isinstance(recognised, UnknownFormat) and recognised.may_hold_outcomes:
                    unread.append(relative_path(root, file))
                elif last_skipped.startswith(ANSWERED):
                    answers[file] = relative_path(root, file)
            name = relative_path(root, file)
            if is_candidate and fields is None:
                left_out.append(name)
            else:
                skipped.append(name_and_kind(file, name, root))
                if is_link_out(file, root):
                    links.append(name)
                    last_skipped = f"{name} is {LINK_OUT}, name its target to read it"
    for root, file, recognised in _not_there(one_per_folder, results, options):
        if (fields := match(root, file)) is not None:
            location.enter(file)
            _count(recognised._replace(records=_missing(location, recognised)), fields, accumulator, runs, guard)
    location.leave_file()
    archives = [relative_path(root, file) for root, file, _, _ in files if is_archive(file)]
    if not formats:
        what = f": {last_skipped}" if last_skipped else ""
        if archives:
            what += f"; {counted(len(archives), 'archive')} in it would be read by name, such as {shown(archives[0])}"
        if options.layout and files:
            what = what or f": no file is laid out as {options.layout.pattern}"
        raise InvalidInput("empty", "path", f"there is no log of a known format{what}", hint or "files")
    if not options.layout and (what := _remark_on_names(list(accumulator.model.labels), [x.name for x in results])):
        location.remarks = {what: 1} | location.remarks
    if options.exclude:
        what = f"Files left out on request (exclude): {len(all_files) - len(included):,}."
        location.remarks = {what: 1} | location.remarks
    reasons = "--dry-run gives the reason for each"
    for what, names, note in (
        ("Files of unknown layout that may hold outcomes", unread, reasons),
        ("Files of answers without results, which are not read", _without_results(answers, results), reasons),
        ("Links that lead out of the folder, which are not read", links, "name their targets to read them"),
        ("Archives, which are not read", archives, "name them to read them"),
        ("Files that the layout leaves out", left_out, reasons),
        ("Packed copies of files beside them", [x.name for x in packed], "each is counted once"),
        ("Runs whose file is identical to that of another run", guard.copies, COPY_NOTE),
        ("Runs whose file name differs only in its ending from that of another run", guard.other_endings, COPY_NOTE),
    ):
        if names:
            location.remarks = {f"{what}: {len(names):,}, such as {shown(names[0])} ({note}).": 1} | location.remarks
    return accumulator.evaluation(", ".join(formats), skipped)


def _remark_on_names(models: Sequence[str], files: Sequence[str]) -> str:
    """The sentence on models whose names, which are those of files, say that they are runs, copies or benchmarks."""
    copies = [x for x in models if (match := COPY.fullmatch(x)) and match[1] in models]
    if copies:
        ending = next((x[len(copies[0]) :] for x in files if x.startswith(copies[0])), "")
        return f"Model {copies[0]} is named like a copy of another file: --exclude '{copies[0]}{ending}' leaves it out."
    endings = {x[len(y) :] for x in files for y in models if x.startswith(y) and not x[len(y)].isdigit()}
    ending = endings.pop() if len(endings) == 1 else ""
    runs = [match for x in models if (match := NAMED_RUN.fullmatch(x))]
    of_models = Counter(x["model"] or x["name"] for x in runs)
    around = {(x["before"], "") if x["before"] else (" (", ")") for x in runs}  # the number
    repeated = [x[0] for x in runs if of_models[x["model"] or x["name"]] > 1]
    if not repeated:
        return _remark_on_benchmarks(models, ending)
    way = "--files-are-runs reads them as one model"
    if len(runs) < len(models):
        way = "in a folder of each model --layout '{model}/{run}" + (ending or ".csv") + "' reads them as such"
    elif len(of_models) > 1:
        layout = "{{model}}{}{{run}}{}".format(*around.pop()) + ending if len(around) == 1 and ending else ""
        way = f"--layout '{layout}' reads them as such" if layout else "--layout with {model} and {run} reads them so"
    return f"Models are named like runs, {repeated[0]} and {repeated[1]}: {way}."


def _remark_on_benchmarks(models: Sequence[str], ending: str) -> str:
    """The sentence on models whose names are those of models and of benchmarks, of which each is beside each."""
    between, second = in_two_parts(models)
    if not ending or not between or any(map(FAMILY.search, second)):
        return ""
    layout = f"{{model}}{between}{{task}}{ending}"
    return f"If {second[0]} and {second[1]} in the names of files are benchmarks, --layout '{layout}' reads them."


def in_two_parts(names: Sequence[str]) -> tuple[str, list[str]]:
    """The text between the two parts of names that are all pairs of a first and a second part, and the second parts.

    Examples
    --------
    >>> from scorio.readers import folders
    >>> folders.in_two_parts(["a_x", "a_y", "b_x", "b_y"]), folders.in_two_parts(["a_x", "b_y"])
    (('_', ['x', 'y']), ('', []))
    """
    for between in ("__", "_", "-", "."):
        first, second = (list(dict.fromkeys(x.rpartition(between)[i].strip() for x in names)) for i in (0, 2))
        is_product = min(len(first), len(second)) > 1 and len(first) * len(second) == len(names)
        if all(map(RUN.fullmatch, first)) or all(map(RUN.fullmatch, second)):
            break
        if is_product and all(first) and all(x.count(between) == 1 for x in names):
            return between, second
    return "", []


def _count(
    source: Source, fields: dict[str, str], accumulator: TrialAccumulator, runs: Runs, guard: DuplicateGuard
) -> None:
    """Count the outcomes of a file, under the fields (model, task, run, ...) that its path gives."""
    is_pooled = accumulator.options.files_are_runs
    if not (is_pooled or fields or source.table is None) and engine.try_count(
        accumulator.location, *source.table, accumulator, guard.records
    ):
        return
    records = runs.records(source.records, source.is_one_trial, fields)
    is_run = is_pooled or not source.is_one_trial or bool({"run", "trial"} & fields.keys())
    records = guard.records(records, fields.get("question", ""), is_pooled, is_run)
    accumulator.take(records, source.metric, source.format != "table")
    if (source.is_one_trial or is_pooled or {"run", "trial"} & fields.keys()) and accumulator.model.codes:
        guard.note_copies(accumulator.model.codes[-1])


def _not_there(
    one_per_folder: dict[tuple[Path, str], tuple[Path, Source]], results: list[Path], options: ReadOptions
) -> Iterator[tuple[Path, Path, Source]]:
    """Each file of a tool that is not there in a folder beside those of its files, with its root and such a source."""
    with_results = {file.parent for file in results}
    for (above, name), (root, beside) in one_per_folder.items():
        for folder in sorted(above.iterdir()):
            if folder.is_dir() and folder not in with_results and not folder.name.startswith("."):
                file = folder / name
                if not excluded(options.exclude, relative_path(root, file)):
                    yield root, file, beside


def _missing(location: SourceLocation, source: Source) -> Iterator[Record]:
    """The missing outcome of a folder without the file of its tool."""
    assert source.absent is not None
    trial = source.absent(location)
    yield Unfinished(
        f"there is no {location.file.name}, so that the outcome of {shown(trial.question)} is missing", True
    )
    location.remark(f"Folders of questions without a {location.file.name}: {{n}}. Their outcomes are missing.")
    yield trial


def _without_results(answers: dict[Path, str], results: list[Path]) -> list[str]:
    """Names of the files of answers for which no results were found.

    Results are beside the answers, with a name that begins alike, or in another folder of the same name.
    """
    folders = {file.parent.name: file.parent for file in results}
    beginnings = {(file.parent, sign.join(file.name.split(sign)[:i]))
                  for file in results for sign in "._" for i in range(1, file.name.count(sign) + 1)}  # fmt: skip
    return [
        name for file, name in answers.items()
        if folders.get(file.parent.name, file.parent) == file.parent
        and (file.parent, file.name.partition(".")[0]) not in beginnings
    ]  # fmt: skip


def other_files(root: Path, suffix: str) -> list[str]:
    """The names of files with another ending in a folder of tables; raises where one of them may be a log."""
    others = [
        (name_and_kind(file, file.relative_to(root).as_posix(), root), is_candidate)
        for file, is_candidate in walked(root)
        if file.suffix.lower() != suffix or is_link_out(file, root)
    ]
    if logs := [name for name, is_candidate in others if is_candidate]:
        raise InvalidInput(
            "conflict", "path", f"{shown(logs[0])} is in one folder with {suffix} tables: read the two separately"
        )
    return [name for name, _ in others]


def _distinct_files(roots: Iterable[Path], location: SourceLocation) -> Iterator[tuple[Path, Path, bool]]:
    """Each distinct file of these roots: the folder that its name is relative to, its path, whether it may be a log."""
    root_list, yielded = list(roots), set[Path]()
    for root in root_list:
        files = location.below(root) if root.is_dir() else [(root, may_be_log(root.name))]
        base = root if root.is_dir() else root.parent
        for file, is_candidate in files:
            if len(root_list) > 1:
                if (path := file.absolute()) in yielded:
                    continue
                yielded.add(path)
            yield base, file, is_candidate


def layouts(paths: Sequence[str]) -> list[str]:
    """Layouts that tell all these files apart; two where the model cannot be told from the task.

    Examples
    --------
    >>> from scorio.readers import folders
    >>> folders.layouts(["x/a/log.csv", "x/b/log.csv"]), folders.layouts(["a/run1.csv", "a/run2.csv", "b/run1.csv"])
    (['{_}/{model}/log.csv'], ['{model}/{run}.csv'])
    >>> folders.layouts(["a/p.csv", "a/q.csv", "b/p.csv", "b/q.csv"])
    ['{model}/{task}.csv', '{task}/{model}.csv']
    """
    split = [path.split("/") for path in paths]
    if len({*map(len, split)}) != 1:
        return []
    names = [parts[-1] for parts in split]
    ending = "." + ".".join(_common([name.split(".")[:0:-1] for name in names])[::-1])
    if len({*names}) > 1 and ending == ".":
        return []
    columns = [*zip(*(parts[:-1] for parts in split), strict=True), [x.removesuffix(ending) for x in names]]
    varied = [i for i, column in enumerate(columns) if len({*column}) > 1]
    runs = [i for i in varied if all(map(RUN.fullmatch, columns[i])) or all(map(str.isdecimal, columns[i]))]
    others = [i for i in varied if i not in runs]
    if len(runs) > 1:
        return []
    choices = [{i: "model"} for i in reversed(others)]
    if len(others) == 2:
        choices += [dict(zip(others, fields, strict=True)) for fields in (("model", "task"), ("task", "model"))]
    distinct = [x for x in choices if len({*zip(*(columns[i] for i in (*x, *runs)), strict=True)}) == len(paths)]
    out = []
    for fields in distinct[: 1 if distinct and len(distinct[0]) == 1 else 2]:
        fields |= dict.fromkeys(runs, "run")
        parts = [f"{{{fields.get(i, '_')}}}" for i in range(len(columns))]
        parts[-1] = parts[-1] + ending if len({*names}) > 1 else names[0]
        out.append("/".join(parts))
    return out


def _common(lists: Sequence[list[str]]) -> list[str]:
    """The beginning that these lists have in common."""
    equal = [len({*entries}) == 1 for entries in zip(*lists, strict=False)]
    return lists[0][: next((i for i, x in enumerate(equal) if not x), len(equal))]


class DuplicateGuard:
    """Guard against merging two models of one name, and against counting the same outcomes twice.

    A model must be in one folder, or in files that name it. Outcomes without ids of trials must be in one file: if they
    were in two, a copy could not be distinguished from further trials.
    """

    def __init__(self, location: SourceLocation, options: ReadOptions) -> None:
        self.location, self.options = location, options
        self.files: list[tuple[Path, Path]] = []  # the files that may be logs, and the folder that is read
        # the file or folder whose name names each model (None where files state it), and the first file of the model
        self._sources: dict[str, tuple[str | None, Path]] = {}
        # the first file of each model, task and question of a path, and whether its trials have no ids
        self._files: dict[tuple[str, str, str], tuple[Path, bool]] = {}
        self._settings: dict[tuple[str, str], tuple[Path, Settings]] = {}  # of the first file of each model and task
        self.copies: list[str] = []  # runs whose file is identical to an earlier one
        self.other_endings: list[str] = []  # runs whose file name differs only in its ending from an earlier one
        self._names: dict[tuple[int, str], Path] = {}  # the first file of each model and name without its ending
        self._sizes: dict[tuple[int, int], Path] = {}  # the first file of each model and size
        self._digests: dict[Path, bytes] = {}  # hashes of the files that share their size with another
        self._first: dict[tuple[int, bytes], Path] = {}  # the first file of each model and hash

    def records(
        self, records: Iterable[Record], question: str = "", is_pooled: bool = False, is_run: bool = True
    ) -> Iterator[Record]:
        """The records of the next file; each model and task is checked when it first appears.

        question : the question that the path of the file names.
        is_pooled : whether all files are runs of one model, so that only their settings are checked.
        is_run : whether it was requested, or stated in the file, that it is one of several runs.
        """
        checked: set[tuple[str, str]] = set()
        model: Any = None
        task: Any = None
        for record in records:
            if not isinstance(record, Unfinished) and (record.model != model or record.task != task):
                model, task = record.model, record.task
                key = values.id_of(model, "model"), str(task)
                if key not in checked and is_requested(self.options.tasks, None if task is None else str(task)):
                    checked.add(key)
                    if not is_pooled:
                        source, without_ids = getattr(model, "source", None), getattr(record, "trial", "") is None
                        self._check(*key, question, source, without_ids)
                    self._check_settings(*key)
                    if not is_run and self._files[*key, question][0] != self.location.file:
                        self.location.remark(FURTHER_RUNS)
            yield record

    def note_copies(self, model: int) -> None:
        """Note the current file if an earlier one of the model is identical, or its name differs only in the ending.

        model : the accumulator's code of the model.
        """
        file = self.location.file
        if not file.exists():
            return  # a missing outcome
        if self._names.setdefault((model, without_endings(str(file))), file) is not file:
            self.other_endings.append(self.location.relative_path())
        raw = self.location.raw
        first_of_size = self._sizes.setdefault((model, file.stat().st_size if raw is None else len(raw)), file)
        for x in (first_of_size, file) if first_of_size is not file else ():
            if x not in self._digests:
                self._digests[x] = bytes.fromhex(hash_of(x)) if raw is None or x is not file else sha256(raw).digest()
                self._first.setdefault((model, self._digests[x]), x)
        first_of_content = self._first.get((model, self._digests.get(file, b"")), file)
        if first_of_content != file:
            self.copies.append(self.location.relative_path())

    def _check(self, model: str, task: str, question: str, source: str | None, without_ids: bool) -> None:
        """Refuse a model whose name is from another file or folder than before, and outcomes without ids in two files.

        source : the file or folder whose name is the model; None where files state it.
        """
        first_source, file = self._sources.setdefault(model, (source, self.location.file))
        if first_source != source:
            values_of_hint = [*self._layouts(), self._unlike_others(file)]
            hint = f"{('copy', 'folders', 'either_folders')[len(values_of_hint) - 1]}:" + "\n".join(values_of_hint)
            self._refuse(f"model {shown(model)} may be a different model in {file}", hint)
        file, lacks_ids = self._files.setdefault((model, task, question), (self.location.file, without_ids))
        if file != self.location.file and (lacks_ids or without_ids):
            lack = "not both files have ids of trials (a column trial)"
            paths = [relative_path(root, file) for root, file in self.files]
            parts = _common([path.split(".")[:0:-1] for path in paths])[::-1]
            ending = "." + ".".join(parts) if parts else ""
            is_run = source is None and ending and not any("/" in path for path in paths)  # a run of each model in it
            readings = [f"{{{x}}}{ending}" for x in ("run", "task")]
            way_on = "run_files:" + "\n".join([*readings, self.location.relative_path()]) if is_run else None
            self._refuse(f"outcomes of {shown(model)} are in {file} too, and {lack}", way_on)

    def _check_settings(self, model: str, task: str) -> None:
        """Refuse a run whose settings differ from those of the first run of the model and task."""
        location = self.location
        settings: Settings | None = location.settings
        if settings is None:
            return
        file, first = self._settings.setdefault((model, task), (location.file, settings))
        if name := settings.difference(first):
            location.leave_line()
            values_of = f"{shown(settings.stated[name])} here, but {shown(first.stated[name])} in {file}"
            what = f"{name} of task {shown(task)} and model {shown(model)} is {values_of}"
            what += ": runs of different settings are not trials of one question"
            raise InvalidInput("conflict", "path", what, f"settings:{settings.files}\n{first.files}")
        if not settings.same_prompts(first):
            location.remark(OTHER_PROMPTS)

    def _unlike_others(self, first: Path) -> str:
        """The path of the current file, or of the first one if only the name of the current one is that of others too.

        A summary beside a folder for each question is such a file. A name without a folder would leave out both.
        """
        named, own = Counter(file.name for _, file in self.files), self.location.relative_path()
        of_first = next((relative_path(root, file) for root, file in self.files if file == first), own)
        is_alone = named[self.location.file.name] > 1 == named[first.name]
        return of_first if is_alone or ("/" in of_first and "/" not in own and first.name == own) else own

    def _layouts(self) -> list[str]:
        """The layouts that read every file that is a log; of files of one name the first is looked at."""
        is_log = dict[str, bool]()
        for _, file in self.files:
            if file.name not in is_log:
                if len(is_log) == MOST_NAMES:
                    return []
                try:
                    is_log[file.name] = isinstance(source(SourceLocation(file), self.options), Source)
                except (InvalidInput, OSError, ImportError):
                    is_log[file.name] = False
        paths = [relative_path(root, file) for root, file in self.files if is_log[file.name]]
        return [x for x in layouts(paths) if all(Layout(x).fields_of(path) for path in paths)] if paths else []

    def _refuse(self, what: str, hint: str | None = None) -> None:
        self.location.leave_line()
        hint = hint or f"copy:{self.location.relative_path()}"
        raise InvalidInput("conflict", "path", f"{what}; read the two separately", hint)
