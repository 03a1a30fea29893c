"""The command ``scorio``: reads logs, and prints or writes results in many forms."""

from __future__ import annotations

import os
import re
import shlex
import sys
import traceback
from argparse import Namespace
from collections.abc import Collection, Sequence
from contextlib import suppress
from importlib import import_module

from ..commands.options import exit_codes
from ..display.text import nearest, printable
from ..errors import InvalidInput, hinted
from ..saving import INTERRUPTED
from ..version import version_text
from .parser import Parser, Raw, add_command

ABOUT = "Statistics for repeated evaluations of language models."
EXAMPLES = """examples:
  scorio leaderboard runs.csv              how good is each model?
  scorio compare runs.csv gpt-4 claude     is one significantly better?
  scorio compare 47/50 52/60               do rates from bare counts differ?
  scorio gate new.csv base.csv --margin .01  may the new model replace the old?
  scorio baseline set base.csv --margin .02  begin a ledger of builds
  scorio gate new.csv --baseline main      the next build, by its ledger
  scorio baseline history                  its builds: verdicts, alarms, steps
  scorio changes new.csv old.csv           which questions regressed?
  scorio plan runs.csv                     how many trials or questions to run?
  scorio items runs.csv                    which questions measure anything?
  scorio runs runs.csv                     do my runs (seeds, prompts) agree?
  scorio judge runs.csv --labels human.csv correct a judge by human labels
  scorio evaluate runs.csv --k 1,2,4       metrics of 1, 2 and 4 trials
  scorio report runs.csv -o report.html    conclusions, tables, plots: one page
  scorio plot forest runs.csv -o f.pdf     one plot
  scorio evaluate runs.csv --receipt -o r.json  what others can verify
  scorio rubric attempts.csv               Bayes@N under several rubrics
  scorio battles arena.csv                 ratings from votes between two models
  scorio convert runs.csv --to counts      the log as a table

  scorio help leaderboard                  all options of a command
  scorio help files                        which logs can be read
  scorio completion bash                   completion of commands and options
  scorio skill                             instructions for agents (SKILL.md)

"""
COMMANDS = {
    "leaderboard": "Rank all models: average and Pass@k of each, with confidence intervals.",
    "compare": "Compare two models: their difference with its interval, and whether it is significant.",
    "gate": "Decide whether a candidate is non-inferior to a baseline by a margin; the exit code is the verdict.",
    "baseline": "Baselines and builds of a ledger: set one, show them, their history, or the noise of evaluations.",
    "history": "History: the builds of a ledger, with scores, verdicts, alarms and steps.",
    "changes": "Changes: which questions regressed, improved or became flaky from one run to another.",
    "plan": "Sample size: how many trials or questions detect the differences, or give narrow intervals.",
    "runs": "Runs: whether seeds, prompts or passes differ more than chance explains, and which one stands out.",
    "items": "Questions: which questions are dead, suspect or discriminating, and how reliable the ranking is.",
    "judge": "Correct a judge by human labels: which outputs to label, and what the labels say.",
    "battles": "Ratings and rank ranges from battles between two models (arena votes, or a judge of pairs).",
    "evaluate": "Metrics of every model, such as Pass@k and Maj@k, with confidence intervals.",
    "convert": "Convert any log to a CSV of outcomes or of counts, or to documents of Every Eval Ever.",
    "rubric": "Bayes@N of models under rubric schemata: correct, boxed, confident, concise.",
    "receipt": "Receipt: results with the counts that they follow from, as JSON that anyone can verify.",
    "report": "Write one HTML page: conclusions in sentences, tables, plots.",
    "plot": "Draw one plot of a log and write it to a file.",
    "rank": "Rank ranges: the ranks that each model may have, given the uncertainty of the scores.",
    "converge": "Stability of the ranking: after how many trials it no longer changes, by bootstrap.",
    "interval": "Rates from bare counts such as 47/50, means of runs: an interval, or a comparison.",
    "agreement": "Agreement of raters, or of repeated calls of a judge: kappa, AC1, alpha.",
    "extrapolate": "Pass@k for k above the number of trials: limits without a model, and a fitted model.",
    "verify": "Verify a receipt: compute every number again from the counts, and compare all 64 bits.",
}  # each command with its purpose; the module of the same name is imported only when the command is used
MODES = {
    "leaderboard": {"--ranks": "rank", "--stability": "converge"},
    "evaluate": {"--extrapolate": "extrapolate", "--receipt": "receipt", "--verify": "verify"},
    "baseline": {"history": "history"},
    "judge": {"--agreement": "agreement"},
    "receipt": {"--verify": "verify"},
}  # options, or the first word, of a command for another question about the same thing; the command that answers it
ALL_CODES = exit_codes("0 success, 1 fail (gate, changes, evaluate --verify)", "3 inconclusive (gate), ")
COUNT = re.compile(r"[0-9]+/[0-9]+")  # successes and trials: scorio compare 47/50 52/60
AVERAGES = re.compile(r"[-+.0-9]+(,[-+.0-9]+)+")  # of runs: scorio compare 71.2,70.8 69.9,70.1 --scale 0,100
HIDDEN = {"interval", "rubric", *(name for modes in MODES.values() for name in modes.values())}  # not in scorio --help
TOPICS = ("files", *COMMANDS)  # of scorio help
OPTIONAL = {"matplotlib": "a plot"}  # each optional package with the feature that needs it
# a hint that ends with options for the end of the command, which are not a choice of the caller's
WHOLE = re.compile(
    r"((?:if [^:]* (?:score|outcomes), )?(?:say which columns they are|read it with|if each column is a model))"
    r",? (?:add )?(--(?!.*COLUMN).*)"
)


def _parser(words: Collection[str]) -> Parser:
    """Make the parser of all commands, with options only for the commands that occur in words."""
    parser = Parser("scorio", description=ABOUT, epilog=EXAMPLES + ALL_CODES, formatter_class=Raw)
    parser.add_argument("--version", action="version", version=version_text())
    commands = parser.add_subparsers(dest="command", required=True, metavar="command", parser_class=Parser)
    for name, about in COMMANDS.items():
        subparser = add_command(commands, name, about, hidden=name in HIDDEN)
        if name in words:
            import_module(f"scorio.commands.{name}").add(subparser)
            for option, other in MODES.get(name, {}).items():
                if not option.startswith("--"):  # a word, of which the command's own help tells
                    continue
                text = f"{COMMANDS[other].partition(': ')[2] or COMMANDS[other]} (scorio help {other})"
                subparser.add_argument(option, action="store_true", help=text)
        subparser.all_commands = lambda: _parser(COMMANDS).all_commands()
    for name, topics in (("help", TOPICS), ("completion", ("bash", "zsh", "fish"))):
        commands.add_parser(name).add_argument("topic", choices=topics)  # for completions only: _main runs these
    commands.add_parser("skill")
    parser.all_commands = lambda: commands.choices
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            return _main(arguments)
        finally:
            if sys.stdout is not None and not sys.stdout.closed:
                sys.stdout.flush()  # now, since an error at the exit of Python would have a code of its own
    except KeyboardInterrupt:  # in a Python program that calls main
        return INTERRUPTED
    except BrokenPipeError:
        _close_output()
        return 141  # 128 + SIGPIPE
    except OSError as e:  # such as a full disk
        _close_output()
        return _fail(f"cannot write the output: {e.strerror or e}")
    except MemoryError:
        return _fail("not enough memory")
    except Exception:  # a fault of scorio, which must not look like a verdict: the codes of verdicts are 1 and 3
        with suppress(OSError, ValueError):  # stderr may be closed or full
            traceback.print_exc()
        return 2


def _main(arguments: list[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        from .topics import complete

        complete(_parser)
    if arguments[:1] in (["help"], ["completion"], ["skill"]):
        return _without_a_log(*arguments)
    arguments = _mode(arguments)
    args = _parser(arguments).parse_args(arguments)
    args.argv = arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show must not fail
    return _run(args)


def _mode(arguments: list[str]) -> list[str]:
    """Arguments of the command that answers what was asked: ``leaderboard --ranks`` is ``rank``, for example."""
    name, *others = arguments or [""]
    end = others.index("--") if "--" in others else len(others)  # what follows is no option
    numbers = [x for x in others if COUNT.fullmatch(x)] + [x for x in others[:1] if AVERAGES.fullmatch(x)]
    if name == "compare" and not all(map(os.path.exists, numbers)):
        return ["interval", *others]
    if others[:1] and others[0] in MODES.get(name, {}) and not others[0].startswith("--"):
        return [MODES[name][others[0]], *others[1:]]
    chosen = {x: _meant(x, name) for x in others[:end] if name in MODES and x.startswith("--") and len(x) > 2}
    words = [x for x, option in chosen.items() if option]
    if len({chosen[x] for x in words}) > 1:
        _parser([name]).error(f"one of {' and '.join(words)}: each is a command of its own")
    if not words:
        return arguments
    return _mode([MODES[name][chosen[words[0]]], *(x for i, x in enumerate(others) if i >= end or x not in words)])


def _meant(word: str, name: str) -> str:
    """The option of a mode that a word states, perhaps in short as argparse allows it; "" if it is another option."""
    if not any(option.startswith(word) for option in MODES[name]):
        return ""
    matches = [x for x in _parser([name]).all_commands()[name]._option_string_actions if x.startswith(word)]
    return matches[0] if matches[:1] == [x for x in matches if x in MODES[name]] else ""


def _without_a_log(command: str, *topics: str) -> int:
    """Run ``scorio help``, ``completion`` or ``skill``, which read no log; returns the exit code."""
    from . import topics as texts

    topic = topics[0] if topics else ""
    if command == "skill":
        if topics and topics not in (("--help",), ("-h",)):
            return _fail(f"scorio skill takes no further word, not {topic!r}")
        text = texts.SKILL_USAGE if topics else texts.skill()
    elif command == "completion" and topic in texts.SHELLS and len(topics) == 1:
        try:
            text = texts.script(topic)
        except ModuleNotFoundError:
            return _fail("completion needs argcomplete: pip install argcomplete")
    elif command == "completion":
        if topic not in ("--help", "-h"):
            return _fail(f"name a shell: scorio completion {'|'.join(texts.SHELLS)}")
        text = texts.COMPLETION_USAGE
    elif topic == "files":
        if len(topics) > 1:
            return _fail(f"scorio help files takes no further word, not {topics[1]!r}")
        from .reading import FILES, formats

        text = FILES + formats()
    elif topic and topic not in (*TOPICS, "help", "completion", "skill", "--help", "-h"):
        return _fail(f"there is no help about {topic!r}{nearest(topic, TOPICS)} (scorio --help lists the commands)")
    else:
        Parser.is_short = False
        try:
            return main([*topics, "--help"])
        finally:
            Parser.is_short = True
    sys.stdout.write(text)
    return 0


def _run(args: Namespace) -> int:
    """Run a command, write its output, and return the exit code; errors that users can mend are one line on stderr."""
    from ..commands.options import show
    from .reading import files, read_log

    run = files if getattr(args, "dry_run", False) else args.run
    try:
        result = run(args, read_log)
        if not isinstance(result, tuple):  # a Result, not the CommandOutput that other commands return
            result = show(result, args)
        text, notes, data, code = result
    except InvalidInput as e:
        return _fail(_with_option_name(e, args))
    except BrokenPipeError:
        raise
    except OSError as e:
        # a library that cannot be loaded has no file
        name = "" if e.filename is None else f"{e.filename or repr('')}: "
        return _fail(f"{name}{e.strerror or e}{_similar_file(e)}")
    except ModuleNotFoundError as e:
        name = (e.name or "").partition(".")[0]
        if name not in OPTIONAL:
            raise
        return _fail(f"{OPTIONAL[name]} needs {name}: pip install {name}")
    except ImportError as e:
        return _fail(str(e))
    if sys.stdout is None:
        return _fail("cannot write the output: stdout is closed")
    if data and sys.stdout.isatty():  # a terminal would execute control characters
        text = "\n".join(map(printable, text.split("\n")))
    if data and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)
    sys.stdout.flush()
    for note in notes:
        _write_error(f"note: {note}")
    return code


def _with_option_name(e: InvalidInput, args: Namespace) -> str:
    """The message of an error; an argument at its start is replaced by the option that the command has for it."""
    message, names = e.on_command_line, {"format": "--from"} | getattr(args, "option_names", {})
    if e.hint and (whole := WHOLE.fullmatch(hinted(e.hint, command=True))) and "--" not in args.argv:
        # the line again, without options that others, in this text, replace
        replaced = {x.partition("=")[0] for x in whole[2].split() if x.startswith("--")} - {"--wide"}
        words = ((before, x, x.partition("=")[0]) for before, x in zip(["", *args.argv], args.argv, strict=False))
        kept = [x for before, x, name in words if name not in replaced and before not in replaced]
        message = f"{e.reason}: {whole[1]}: scorio {shlex.join(kept)} {whole[2]}"
    if files := getattr(args, "files", None) or [x for x in [getattr(args, "file", "")] if x]:  # for the placeholder
        message = re.sub(
            r"(scorio (?!baseline)[a-z ]+) LOG\b", lambda m: f"{m[1]} {shlex.join(map(str, files))}", message
        )
    option = names.get(e.argument) or "--" + e.argument.replace("_", "-")
    if message.startswith(f"{e.argument} = ") and (e.argument in names or hasattr(args, e.argument)):
        message = option + message.removeprefix(e.argument)
    for name in (name for name in vars(args) if "_" in name):
        message = re.sub(rf"(?<![\w-]){name}(?= = | and )|(?<= and ){name}\b", "--" + name.replace("_", "-"), message)
    return message


def _similar_file(e: OSError) -> str:
    """Suggestion for the message about a missing file: a similar name in the same folder."""
    if isinstance(e, FileNotFoundError) and isinstance(e.filename, str):
        if os.path.islink(e.filename):
            return f": it is a link to {os.readlink(e.filename)!r}"
        folder, name = os.path.split(e.filename)
        with suppress(OSError, ValueError):
            return nearest(name, os.listdir(folder or "."))
    return ""


def _close_output() -> None:
    """Redirect stdout to the null device, so that the flush at exit is quiet too."""
    with suppress(OSError, ValueError):  # stdout may not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> int:
    """Print an error message and return exit code 2."""
    _write_error("scorio: error: " + " ".join(message.split()))
    return 2


def _write_error(line: str) -> None:
    if sys.stderr is not None:  # otherwise print would write to stdout
        with suppress(OSError, ValueError):  # stderr may be full or closed
            print(printable(line), file=sys.stderr, flush=True)
