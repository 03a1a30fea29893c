"""Refused calls of module rubric: signals, conditions, thresholds, schemata."""
from files import Repeated
from invalid_rank import numbers

NOTES = {
    "signal": "a signal is wrong",
    "declaration": "a threshold or a variable made by the user is wrong",
    "condition": "a condition cannot be parsed, or has an unknown name",
    "schema": "a schema is wrong",
    "stated": "a given threshold is wrong",
    "attempt": "each argument is fine, but an attempt has no category",
}
GOOD = {"is_correct": [[1, 0], [0, 1]], "repeated_pattern": 0, "C": 0}
NUMBERS = {"x": [[1, 2], [3, 4]]}
CUSTOM = {"name": "own", "rules": [[1, "x > 2"], [0, "otherwise"]], "w": [0, 1]}

UNREADABLE = [
    ("", "nothing"), (" \t", "blanks"), ("x >", "no right side"), ("> 1", "no left side"), ("x = 1", "one equals sign"), ("x != 1", "an unknown operator"),
    ("x => 1", "an operator the wrong way round"), ("x > 1 and", "an end after and"), ("and x > 1", "and without a left side"), ("or", "a word alone"), ("not", "not without an operand"),
    ("(x > 1", "a parenthesis that is not closed"), ("x > 1)", "a parenthesis too many"), ("()", "empty parentheses"), ("x > 1 x < 2", "two comparisons without and or or"),
    ("0 < x < 3", "a chain of comparisons"), ("x > 1 & x < 3", "an operator of another language"), ("x > 1, x < 3", "a comma"), ("x + 1 > 2", "arithmetic"), ("x > .5", "a number without a digit before the point"),
    ("x > 5.", "a number without a digit after the point"), ("x > +1", "a plus sign"), ("x > - 1", "a minus sign on its own"), ("x > -y", "minus of a name"), ("x > 1e", "an exponent without digits"), ("x > 1e400", "a number beyond the largest double"),
    ("x > 1_000", "an underscore in a number"), ("x > 0x1", "hexadecimal"), ("1", "a number alone"), ("(x) > 1", "parentheses around a side"), ("x > (1)", "parentheses around a number"), ("x > 'a'", "a quoted text"),
    ("x ≥ 1", "a sign beyond ASCII"), ("x > ١", "a digit beyond ASCII"), ("x\u00a0> 1", "a blank beyond ASCII"), ("é > 1", "a letter beyond ASCII"), ("otherwise > 1", "otherwise compared"), ("x > not", "a word as a number"),
    ("x > 1 AND x < 3", "AND in capitals"), ("x > 1 otherwise", "otherwise after a comparison"), ("x > 1 andx < 3", "a word that runs into a name"), ("not (", "an end within parentheses"), ("x > nan > 1", "a chain of comparisons of a name"),
    ("(" * 101 + "x > 1" + ")" * 101, "a hundred and one parentheses"), ("not " * 101 + "x > 1", "a hundred and one nested not"), (Repeated(("(", 2000), ("x > 1", 1), (")", 2000)), "two thousand parentheses"),
]
WRONG_KINDS_OF_NAMES = [("x", "a signal without a comparison"), ("x > 1 and colour", "an unknown variable"), ("tau_high", "a threshold without a comparison"), ("wrong > 0", "a variable compared with a number"), ("x > wrong", "a number compared with a variable"),
           ("Invalid", "a variable with a capital letter")]
BAD_NAMES = [("", "empty"), ("2x", "begins with a digit"), ("a b", "contains a blank"), ("a-b", "contains a minus"), ("naïve", "contains a letter beyond ASCII"), ("and", "is a word of the language"), ("otherwise", "is a word of the language, too")]


def percentile():
    base = {"x": [0.5, 0.25], "p": 50}
    # NaN is a missing number here; the comments of numbers() name the value
    yield from ((c, "missing" if "nan" in c else code, p, {**base, **args}, flag) for c, code, p, args, flag in numbers("x"))
    yield "null among the x", "missing", "x", {**base, "x": [0.5, None]}, "list"
    for bad, why in ((2.5, "a fraction"), (True, "a truth value"), ("50", "text"), (None, "null"), ([50], "a list")):
        yield f"p is {why}", "type", "p", {**base, "p": bad}, "option"
    for bad in (-1, 101, 10**30, -10**30):
        yield f"p = {bad}", "range", "p", {**base, "p": bad}, "option"


# ---------------------------------------------------------------- signals

def signals():
    """Faulty signals of one model: (comment, code, signals)."""
    for name, bad in (("has_box", (-0.1, 1.5)), ("is_correct", (-1, 2)), ("token_ratio", (-1e-300,)), ("repeated_pattern", (0.5, 2, -1)),
                      ("A", (1.0000000000000002, -0.5)), ("B", (1.1, -1e-300)), ("C", (70, -0.25)), ("prompt_bpt", (-1.5,)), ("completion_bpt", (-5e-324,))):
        for x in bad:
            yield f"{name} of {x!r}" + (": the sign of the log-probability was kept" if name.endswith("bpt") else ""), "range", {**GOOD, name: [[0, 0], [x, 0]]}
    yield "a scalar C of 1.5", "range", {**GOOD, "C": 1.5}
    yield "a scalar below 0", "range", {**GOOD, "completion_bpt": -0.7}
    for x in ("inf", "-inf"):
        yield f"{x} among the values of a custom signal", "not_finite", {**GOOD, "mood": [[0, x], [0, 0]]}
    yield "inf among bits a token: a token of probability 0", "not_finite", {**GOOD, "completion_bpt": [[0, 1], ["inf", 1]]}
    yield "a scalar that is infinite", "not_finite", {**GOOD, "mood": "inf"}
    yield "a word among the values", "type", {**GOOD, "is_correct": [[1, "yes"], [0, 1]]}
    yield "a digit as text", "type", {**GOOD, "is_correct": [[1, "1"], [0, 1]]}
    yield "a scalar of text", "type", {**GOOD, "C": "0"}
    yield "an empty text among the values", "type", {**GOOD, "is_correct": [[1, ""], [0, 1]]}
    for special, why in (("complex", "complex numbers"), ("object", "arbitrary objects"), ("string", "text")):
        yield f"a signal of {why}", "type", {"is_correct": {"special": special}, "repeated_pattern": 0, "C": [[0, 0]]}
    yield "a list of numbers: one question or many?", "shape", {**GOOD, "is_correct": [1, 0, 1]}
    yield "three dimensions", "shape", {**GOOD, "is_correct": [[[1, 0], [0, 1]], [[1, 1], [0, 0]]]}
    yield "another number of trials", "shape", {**GOOD, "has_box": [[1, 0, 1], [0, 1, 1]]}
    yield "another number of questions", "shape", {**GOOD, "has_box": [[1, 0]]}
    yield "questions and trials exchanged", "shape", {"is_correct": [[1, 0, 1], [0, 1, 1]], "repeated_pattern": [[0, 0], [0, 0], [0, 0]], "C": 0}
    yield "only scalars: the number of attempts is unknown", "shape", {"is_correct": 1, "repeated_pattern": 0, "C": 0}
    yield "rows of unequal length", "ragged", {**GOOD, "is_correct": [[1, 0, 1], [0, 1]]}
    yield "no signals", "empty", {}
    yield "no questions", "empty", {**GOOD, "is_correct": []}
    yield "questions without trials", "empty", {**GOOD, "is_correct": [[], []]}
    for name, why in BAD_NAMES:
        yield f"the name of a signal {why}", "format", {**GOOD, name: [[1, 2], [3, 4]]}
    yield "a signal with the name of a standard threshold", "conflict", {**GOOD, "tau_high": [[1, 2], [3, 4]]}
    yield "a signal with the name of a standard variable", "conflict", {**GOOD, "wrong": 0}


def not_a_mapping(p):
    for bad, why in ((0.5, "a number"), ("is_correct", "text"), (None, "null"), (True, "a truth value"), ([[0, 1], [1, 1]], "a matrix"), ([], "an empty list")):
        yield f"{p} is {why}", "type", p, {p: bad}, "signal"


# ---------------------------------------------------------------- custom thresholds and variables

def declarations(p):
    """Faulty declarations about the signal x, as the argument p: (comment, code, argument, declarations, flag)."""
    def bad(comment, code, declared, flag="declaration"):
        return comment, code, p, declared, flag

    for x, why in ((0.5, "a number"), ("mid", "text"), ([["mid", 50, "x", None]], "a list")):
        yield bad(f"{p} is {why}", "type", x)
    for x, why in ((50, "a number"), ("x", "text"), (None, "null")):
        yield bad(f"a threshold that is {why}", "type", {"mid": x})
    for x in ([], [50], [50, "x"], [50, "x", None, None]):
        yield bad(f"a threshold of {len(x)} entries", "length", {"mid": x})
    for x, why in ((2.5, "a fraction"), (True, "a truth value"), ("50", "text"), (None, "null")):
        yield bad(f"p of a threshold is {why}", "type", {"mid": [x, "x", None]})
    for x in (-1, 101):
        yield bad(f"p of a threshold is {x}", "range", {"mid": [x, "x", None]})
    for x, why in ((7, "a number"), (None, "null")):
        yield bad(f"the signal of a threshold is {why}", "type", {"mid": [50, x, None]})
    for x, why in ((7, "a number"), (True, "a truth value"), (["x > 1"], "a list")):
        yield bad(f"the condition of a threshold is {why}", "type", {"mid": [50, "x", x]})
    for x, why in BAD_NAMES:
        yield bad(f"the name of a threshold {why}", "format", {x: [50, "x", None]})
    yield bad("the signal of a threshold is no name", "format", {"mid": [50, "x y", None]})
    yield bad("the signal of a threshold is a comparison", "format", {"mid": [50, "x > 1", None]})
    for text, why in UNREADABLE[:4] + UNREADABLE[-3:-2]:  # these four, and a hundred and one parentheses
        yield bad(f"the condition of a threshold: {why}", "format", {"mid": [50, "x", text]}, "condition")
    for text, why in WRONG_KINDS_OF_NAMES:
        yield bad(f"the condition of a threshold: {why}", "choice", {"mid": [50, "x", text]}, "condition")
    for x, why in (("tau_high", "standard threshold"), ("wrong", "standard variable"), ("mid", "the threshold itself")):
        yield bad(f"the signal of a threshold is a {why}", "choice", {"mid": [50, x, None]})
    for x, why in (("tau_high", "threshold"), ("wrong", "variable"), ("A", "signal")):
        yield bad(f"a threshold with the name of a standard {why}", "duplicate", {x: [50, "x", None]})
    yield bad("a threshold that depends on itself", "conflict", {"mid": [50, "x", "x > mid"]})
    yield bad("two thresholds that depend on each other", "conflict", {"mid": [50, "x", "x > low"], "low": [10, "x", "x < mid"]})
    yield bad("three thresholds in a cycle", "conflict", {"mid": [50, "x", "x > low"], "low": [10, "x", "x < top"], "top": [90, "x", "not x < mid"]})


def variables():
    def bad(comment, code, declared, flag="declaration"):
        return comment, code, "variables", declared, flag

    for x, why in ((0.5, "a number"), ("big", "text"), (["x > 1"], "a list")):
        yield bad(f"variables are {why}", "type", x)
    for x, why in ((1, "a number"), (None, "null"), (True, "a truth value"), (["x > 1"], "a list")):
        yield bad(f"a variable that is {why}", "type", {"big": x})
    for x, why in BAD_NAMES:
        yield bad(f"the name of a variable {why}", "format", {x: "x > 1"})
    for text, why in UNREADABLE[:4]:
        yield bad(f"a variable: {why}", "format", {"big": text}, "condition")
    for text, why in WRONG_KINDS_OF_NAMES:
        yield bad(f"a variable: {why}", "choice", {"big": text}, "condition")
    for x, why in (("tau_high", "threshold"), ("wrong", "variable"), ("A", "signal")):
        yield bad(f"a variable with the name of a standard {why}", "duplicate", {x: "x > 1"})
    yield bad("a variable that is itself", "conflict", {"big": "big"})
    yield bad("two variables in a cycle", "conflict", {"big": "not small", "small": "x > 0 and not big"})
    yield bad("three variables in a cycle that no rule uses", "conflict", {"a": "b", "b": "c or x > 1", "c": "a"})


def thresholds():
    fine = {"signals": GOOD}
    for c, code, p, args, flag in not_a_mapping("signals"):
        yield c, code, p, args, flag
    for comment, code, x in signals():
        yield comment, code, "signals", {"signals": x}, "signal"
    for comment, code, x in signals():
        if code in ("range", "empty", "conflict", "ragged"):
            yield f"one model: {comment}", code, "signals", {"signals": {"a": GOOD, "b": x}}, "signal"
    yield "a model among signals", "type", "signals", {"signals": {"a": GOOD, "is_correct": [[1, 0], [0, 1]]}}, "signal"
    yield "a signal among models", "type", "signals", {"signals": {"is_correct": [[1, 0], [0, 1]], "a": GOOD}}, "signal"
    yield "models of unequal numbers of questions", "shape", "signals", {"signals": {"a": GOOD, "b": {"is_correct": [[1, 0]]}}}, "signal"
    for comment, code, p, declared, flag in declarations("own"):
        yield comment, code, p, {"signals": NUMBERS, "own": declared}, flag
    yield "a threshold of an absent signal", "missing", "signals", {**fine, "own": {"mid": [50, "x", None]}}, "declaration"
    yield "a threshold whose condition uses an absent signal", "missing", "signals", {"signals": NUMBERS, "own": {"mid": [50, "x", "y > 1"]}}, "declaration"
    yield "a threshold whose condition uses a variable of an absent signal", "missing", "signals", {"signals": NUMBERS, "own": {"mid": [50, "x", "wrong"]}}, "declaration"
    yield "a threshold of a signal that one model lacks", "missing", "signals", {"signals": {"a": {**NUMBERS, "y": 1}, "b": NUMBERS}, "own": {"mid": [50, "y", None]}}, "declaration"
    yield "a threshold with the name of a given signal", "conflict", "own", {"signals": {**NUMBERS, "mid": 3}, "own": {"mid": [50, "x", None]}}, "declaration"


# ---------------------------------------------------------------- schemata

def schemata():
    """Custom schemata that are refused when made: (comment, code, argument, schema, flag)."""
    def bad(comment, code, p, flag="schema", **changed):
        return comment, code, p, {**CUSTOM, **changed}, flag

    for x, why in ((5, "a number"), (None, "null")):
        yield bad(f"the name is {why}", "type", "name", name=x)
    yield bad("the name is empty", "empty", "name", name="")
    for x, why in ((5, "a number"), (None, "null"), ("x > 1", "text"), ({"1": "x > 1"}, "a mapping")):
        yield bad(f"rules are {why}", "type", "rules", rules=x)
    yield bad("no rules", "empty", "rules", rules=[])
    for x, why in ((1, "a number"), ("x > 1", "text"), (None, "null")):
        yield bad(f"a rule is {why}", "type", "rules", rules=[x, [1, "x > 2"], [0, "otherwise"]])
    for x in ([], [1], [1, "x > 1", "x > 2"]):
        yield bad(f"a rule of {len(x)} entries", "length", "rules", rules=[x, [1, "x > 2"], [0, "otherwise"]])
    for x, why in ((0.5, "a fraction"), (True, "a truth value"), ("1", "text"), (None, "null")):
        yield bad(f"a category that is {why}", "type", "rules", rules=[[x, "x > 3"], [1, "x > 2"], [0, "otherwise"]])
    yield bad("a negative category", "category", "rules", rules=[[-1, "x > 3"], [1, "x > 2"], [0, "otherwise"]])
    yield bad("category 1 is skipped", "category", "rules", rules=[[2, "x > 3"], [0, "otherwise"]], w=[0, 0.5, 1])
    yield bad("category 0 is skipped", "category", "rules", rules=[[2, "x > 3"], [1, "otherwise"]], w=[0, 0.5, 1])
    yield bad("a single category", "category", "rules", rules=[[0, "x > 3"], [0, "otherwise"]], w=[1])
    for x, why in ((5, "a number"), (None, "null"), (True, "a truth value"), (["x > 1"], "a list")):
        yield bad(f"a condition that is {why}", "type", "rules", rules=[[1, x], [0, "otherwise"]])
    for text, why in UNREADABLE:
        yield bad(f"a condition: {why}", "format", "rules", "condition", rules=[[1, text], [0, "otherwise"]])
    for text, why in WRONG_KINDS_OF_NAMES:
        yield bad(f"a condition: {why}", "choice", "rules", "condition", rules=[[1, text], [0, "otherwise"]])
    for x, why in ((5, "a number"), (None, "null"), ("01", "text"), ([True, 0.5], "truth values among numbers"), (["a", "b"], "texts")):
        yield bad(f"the scores w are {why}", "type", "w", w=x)
    yield bad("no scores w", "empty", "w", w=[])
    for x in ([1], [0, 0.5, 1]):
        yield bad(f"{len(x)} scores w of two categories", "length", "w", w=x)
    yield bad("scores w in two dimensions", "shape", "w", w=[[0, 1], [0, 1]])
    for x in ("nan", "inf", "-inf"):
        yield bad(f"a score in w is {x}", "not_finite", "w", w=[0, x])
    for x in (1.1e300, -1.1e300):
        yield bad(f"a score in w is {x!r}", "range", "w", w=[0, x])
    for comment, code, p, declared, flag in variables():
        yield bad(comment, code, p, flag, variables=declared)
    for comment, code, p, declared, flag in declarations("thresholds"):
        yield bad(comment, code, p, flag, thresholds=declared)
    yield bad("a threshold with the name of a custom variable", "duplicate", "thresholds", "declaration", variables={"mid": "x > 1"}, thresholds={"mid": [50, "x", None]})
    yield bad("a threshold and a variable that depend on each other", "conflict", "thresholds", "declaration", variables={"big": "x > mid"}, thresholds={"mid": [50, "x", "big"]})
    yield bad("the signal of a threshold is a custom variable", "choice", "thresholds", "declaration", variables={"big": "x > 1"}, thresholds={"mid": [50, "big", None]})
    yield bad("a custom variable compared with a number", "choice", "rules", "condition", variables={"big": "x > 1"}, rules=[[1, "big > 0"], [0, "otherwise"]])
    yield bad("a custom threshold without a comparison", "choice", "rules", "condition", thresholds={"mid": [50, "x", None]}, rules=[[1, "mid"], [0, "otherwise"]])


def given_thresholds():
    """Faulty given thresholds for Conf-Wrong Penalty, which needs tau_low_wrong: (comment, code, thresholds)."""
    for x, why in ((0.5, "a number"), ("tau_low_wrong", "text"), ([["tau_low_wrong", 0.5]], "a list"), (True, "a truth value")):
        yield f"thresholds are {why}", "type", x
    for x, why in (("0.5", "text"), (True, "a truth value"), ([0.5], "a list")):
        yield f"a threshold that is {why}", "type", {"tau_low_wrong": x}
    for x in ("nan", "inf", "-inf"):
        yield f"a threshold of {x}", "not_finite", {"tau_low_wrong": x}
    yield "no threshold is given, and one is needed", "missing", {}
    yield "the threshold that is needed is not among those given", "missing", {"tau_high": 0.5, "low_wrong": 0.5}


def policies():
    """Faulty policies for schemata with categories 0..2: (comment, code, missing)."""
    yield "an unknown policy", "choice", "ignore"
    yield "a policy in capitals", "choice", "DROP"
    for x, why in ((0.5, "a fraction"), (True, "a truth value"), (None, "null"), ([0], "a list")):
        yield f"a policy that is {why}", "type", x
    for x in (-1, 3, 10**30):
        yield f"missing as category {x}, which does not exist", "category", x


CONF = {"is_correct": [[0, 1], [0, 1]], "completion_bpt": [[0.5, 0.25], [1.5, 1.0]], "repeated_pattern": 0, "C": 0}
ALL_WRONG = {**CONF, "is_correct": 0}  # no attempt is correct
ONE_MISSING = {**GOOD, "is_correct": [[1, None], [0, 1]]}
NONE_FITS = {**CUSTOM, "rules": [[1, "x > 2"], [0, "x < 2"]]}
UNUSED_THRESHOLD = {**CUSTOM, "thresholds": {"mid": [50, "y", None]}}
EMPTY_THRESHOLD = {**CUSTOM, "rules": [[1, "x > never"], [0, "otherwise"]], "thresholds": {"never": [50, "x", "x > 100"]}}


def faulty_calls():
    """Calls with a fault in the signals, the schema or another argument: (comment, code, argument, signals, schema, other arguments)."""
    for name in GOOD:
        yield f"{name} is needed and absent", "missing", "signals", {**{k: v for k, v in GOOD.items() if k != name}, "mood": [[1, 2], [3, 4]]}, "exact_match", {}
    yield "a signal of a custom schema is absent", "missing", "signals", GOOD, CUSTOM, {}
    yield "a signal with a capital letter", "missing", "signals", {"X": [[1, 2]]}, CUSTOM, {}
    yield "a signal of a threshold is absent", "missing", "signals", NUMBERS, {**CUSTOM, "rules": [[1, "x > mid"], [0, "otherwise"]], "thresholds": {"mid": [50, "y", None]}}, {}
    yield "a signal of a threshold that no rule uses is absent", "missing", "signals", NUMBERS, UNUSED_THRESHOLD, {}
    yield "a signal is absent, under the policy drop", "missing", "signals", GOOD, "format_aware", {"missing": "drop"}
    yield "a custom threshold with the name of a given signal", "conflict", "schema", {**NUMBERS, "mid": 3}, {**CUSTOM, "thresholds": {"mid": [50, "x", None]}}, {}
    yield "a custom variable with the name of a given signal", "conflict", "schema", {**NUMBERS, "big": 3}, {**CUSTOM, "variables": {"big": "x > 1"}}, {}
    yield "an attempt lacks a signal", "missing", "signals", ONE_MISSING, "exact_match", {}
    yield "an attempt lacks a signal (NaN)", "missing", "signals", {**GOOD, "C": [[0, "nan"], [0, 0]]}, "exact_match", {}
    yield "no attempt has the signal: a scalar null", "missing", "signals", {**GOOD, "C": None}, "exact_match", {"missing": "raise"}
    yield "a masked array that masks an entry", "missing", "signals", {"is_correct": {"special": "masked"}, "repeated_pattern": 0, "C": [[0, 0], [0, 0]]}, "exact_match", {}
    yield "an attempt that no rule fits", "category", "schema", NUMBERS, NONE_FITS, {}
    yield "an attempt that no rule fits, and missing ones are dropped", "category", "schema", NUMBERS, NONE_FITS, {"missing": "drop"}
    yield "a threshold without values", "empty", "thresholds", NUMBERS, EMPTY_THRESHOLD, {}
    yield "a threshold without values is not a missing signal: it is not dropped", "empty", "thresholds", NUMBERS, EMPTY_THRESHOLD, {"missing": "drop"}
    yield "a threshold without values is not a missing signal: it counts as no category", "empty", "thresholds", NUMBERS, EMPTY_THRESHOLD, {"missing": 0}
    yield "a threshold given as null", "empty", "thresholds", ALL_WRONG, "conf_wrong_penalty", {"thresholds": {"tau_low_wrong": None}}
    yield "a threshold without value before a missing signal: the threshold", "empty", "thresholds", {"x": [[1, 2]], "y": [[None, None]]}, {**EMPTY_THRESHOLD, "rules": [[1, "x > never or y > 1"], [0, "otherwise"]]}, {}
    for comment, code, t in given_thresholds():
        yield comment, code, "thresholds", CONF, "conf_wrong_penalty", {"thresholds": t}
    for comment, code, policy in policies():
        yield comment, code, "missing", GOOD, "exact_match", {"missing": policy}


def flag_of(p):
    return {"schema": "schema", "thresholds": "stated", "signals": "attempt"}.get(p, "option")


def categories():
    for c, code, p, args, flag in not_a_mapping("signals"):
        yield c, code, p, {**args, "schema": "exact_match"}, flag
    for comment, code, x in signals():
        yield comment, code, "signals", {"signals": x, "schema": "exact_match"}, "signal"
    yield "a mapping of models where signals are expected", "type", "signals", {"signals": {"a": GOOD, "b": GOOD}, "schema": "exact_match"}, "signal"
    for bad, why in ((0.5, "a number"), (None, "null"), (True, "a truth value"), (["exact_match"], "a list")):
        yield f"the schema is {why}", "type", "schema", {"signals": GOOD, "schema": bad}, "schema"
    for bad in ("Exact Matches", "exact.match", "EXACT", ""):
        yield f"an unknown schema, {bad!r}", "choice", "schema", {"signals": GOOD, "schema": bad}, "schema"
    for comment, code, p, bad, flag in schemata():
        yield comment, code, p, {"signals": NUMBERS, "schema": bad}, flag
    for comment, code, p, s, schema, more in faulty_calls():
        yield comment, code, p, {"signals": s, "schema": schema, **more}, flag_of(p)


# comments of the faulty schemata that are repeated for score
REPEATED_FOR_SCORE = ("rules are null", "no rules", "a rule of 1 entries", "category 1 is skipped", "a condition: nothing", "a condition: an unknown variable", "1 scores w of two categories", "a score in w is nan",
       "a score in w is 1.1e+300", "scores w in two dimensions", "a variable that is null", "a variable with the name of a standard threshold", "two variables in a cycle", "p of a threshold is 101", "a threshold that depends on itself")


def score():
    fine = {"a": GOOD, "b": GOOD}
    for c, code, p, args, flag in not_a_mapping("models"):
        yield c, code, p, args, flag
    yield "no models", "empty", "models", {"models": {}}, "signal"
    yield "signals where models are expected", "type", "models", {"models": GOOD}, "signal"
    for bad, why in ((0.5, "a number"), (None, "null"), ([[1, 0]], "a matrix"), ("a", "text")):
        yield f"a model that is {why}", "type", "models", {"models": {"a": GOOD, "b": bad}}, "signal"
    for comment, code, x in signals():
        yield f"one model: {comment}", code, "models", {"models": {"a": x if "special" in str(x) else GOOD, "b": x}}, "signal"  # special arrays have a shape of their own
    yield "models of unequal numbers of questions", "shape", "models", {"models": {"a": GOOD, "b": {**GOOD, "is_correct": [[1, 0]]}}}, "signal"
    yield "no schema can be computed", "empty", "models", {"models": {"a": NUMBERS, "b": NUMBERS}}, "schema"
    yield "no schema can be computed for both models", "empty", "models", {"models": {"a": GOOD, "b": {"is_correct": [[1, 0], [0, 1]]}}}, "schema"
    for bad, why in ((0.5, "a number"), (True, "a truth value"), ("exact_match", "text")):
        yield f"schemata are {why}", "type", "schemata", {"models": fine, "schemata": bad}, "schema"
    for bad, why in ((0.5, "a number"), (None, "null"), (["exact_match"], "a list")):
        yield f"a schema that is {why}", "type", "schemata", {"models": fine, "schemata": ["exact_match", bad]}, "schema"
    yield "no schemata", "empty", "schemata", {"models": fine, "schemata": []}, "schema"
    yield "an unknown schema", "choice", "schemata", {"models": fine, "schemata": ["exact_match", "Length-Robus"]}, "schema"
    yield "a schema twice", "duplicate", "schemata", {"models": fine, "schemata": ["exact_match", "length_robust", "exact_match"]}, "schema"
    many = {"a": NUMBERS, "b": {"x": [[4, 3], [2, 1]]}}
    yield "two custom schemata with the same name", "duplicate", "schemata", {"models": many, "schemata": [CUSTOM, {**CUSTOM, "w": [0, 2]}]}, "schema"
    yield "a custom schema with the name of a standard one that is also given", "duplicate", "schemata", {"models": fine, "schemata": ["exact_match", {**CUSTOM, "name": "exact_match", "rules": [[1, "correct"], [0, "otherwise"]]}]}, "schema"
    mid = {**CUSTOM, "thresholds": {"mid": [50, "x", None]}}
    for other, why in (({"mid": [40, "x", None]}, "at different p"), ({"mid": [50, "x", "x > 1"]}, "with different conditions")):
        yield f"two schemata that declare one threshold {why}", "conflict", "schemata", {"models": many, "schemata": [mid, {**mid, "name": "other", "thresholds": other}]}, "declaration"
    among = {**CUSTOM, "thresholds": {"mid": [50, "x", "big"]}, "variables": {"big": "x > 1"}}
    yield "two schemata whose thresholds of one name use different variables of one name", "conflict", "schemata", \
        {"models": many, "schemata": [among, {**among, "name": "other", "variables": {"big": "x > 2"}}]}, "declaration"
    for comment, code, p, bad, flag in schemata():
        if comment in REPEATED_FOR_SCORE:
            yield comment, code, p, {"models": many, "schemata": [bad]}, flag
    for comment, code, p, s, schema, more in faulty_calls():
        place = {"signals": "models", "schema": "schemata"}.get(p, p)
        yield comment, code, place, {"models": {"a": s, "b": s}, "schemata": [schema], **more}, flag_of(p)
    yield "a question of one model without any attempt left", "no_trials", "models", {"models": {"a": GOOD, "b": {**GOOD, "is_correct": [[None, None], [0, 1]]}}, "schemata": ["exact_match"], "missing": "drop"}, "attempt"
    yield "missing as a category of one schema that another does not have", "category", "missing", {"models": {"a": {**GOOD, "has_box": 1}}, "schemata": ["format_aware", "exact_match"], "missing": 3}, "option"


BY_NAME = {"rubric.percentile": percentile, "rubric.thresholds": thresholds, "rubric.categories": categories, "rubric.score": score}


def refused(function):
    yield from BY_NAME.get(function["name"], tuple)()
