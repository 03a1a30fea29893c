"""Cases of module rubric: categories under standard and custom schemata, scores of many models."""
from itertools import product
from random import Random

import rubric
from cases_rubric import SMALL, attempts, previous_double, random_signals, next_double

BELOW_HALF = previous_double(0.5)
GIVEN_THRESHOLDS = {"tau_high": 0.5, "tau_low_wrong": 0.75, "tau_prompt": 2.0, "len_p33": 0.25, "len_p66": 0.625, "corr_p33": 0.375, "corr_p66": 0.875}
VALID = {"repeated_pattern": 0, "C": 0.125}
# values of signals, each of which is combined with those of the other signals
LEVELS = {"has_box": [0, 1, 0.5, BELOW_HALF], "is_correct": [0, 1, 0.5, BELOW_HALF], "A": [0.6, previous_double(0.6)], "B": [0, 0.125, previous_double(0.125), BELOW_HALF]}
FEWER_LEVELS = {"has_box": [0, 1], "is_correct": [0, 1], "A": [0.2, 0.7], "B": [0.1, 0.3]}


def schema(key):
    return rubric.Schema(key)


def needed_names(key):
    """The signals that a schema needs beside those of VALID."""
    s = schema(key)
    return [n for n in s.language.needed_signals(s.trees()) if n not in VALID]


def at_thresholds(key, name):
    """Values of a signal at each threshold that the schema compares it with, and next to it where the result differs.

    prompt_bpt is compared with >= and <, the other signals with <= and >.
    """
    s = schema(key)
    compared_thresholds = dict.fromkeys(t for t in s.used_thresholds() if s.language.thresholds[t][1] == name)
    return [x for t in compared_thresholds for x in ((previous_double(GIVEN_THRESHOLDS[t]), GIVEN_THRESHOLDS[t]) if name == "prompt_bpt" else (GIVEN_THRESHOLDS[t], next_double(GIVEN_THRESHOLDS[t])))]


def in_rows(combinations, N):
    """Attempts in rows of N; the last row is padded with the first attempt."""
    combinations = combinations + [combinations[0]] * (-len(combinations) % N)
    return attempts([combinations[i:i + N] for i in range(0, len(combinations), N)])


def all_combinations(key):
    """Attempts with every combination of the levels of a schema's signals, then some with other repeated_pattern and C.

    The first ones are all valid, of the others only some.
    """
    names = needed_names(key)
    levels = [LEVELS.get(n) or at_thresholds(key, n) for n in names]
    grid = [dict(zip(names, x)) for x in product(*levels)]
    out = [{**a, **VALID} for a in grid]
    for rep, c in ((0, BELOW_HALF), (0, 0.5), (1, 0), (1, 1), (0, 0)):
        out += [{**a, "repeated_pattern": rep, "C": c} for a in (grid if c == BELOW_HALF and len(grid) < 20 or key == "verifier_only" else (grid[0], grid[-1]))]
    return in_rows(out, 8)


def combinations_with_missing(key):
    """Attempts with every combination of a few levels of a schema's signals, any of which may be missing."""
    names = needed_names(key)
    levels = [(FEWER_LEVELS.get(n) or sorted(set(at_thresholds(key, n)))) + [None] for n in names]
    out = []
    for x in product(*levels):
        for rep, c in ((0, 0.125), (None, 0), (0, "nan"), (1, None), (None, 0.5)):
            out.append({**dict(zip(names, x)), "repeated_pattern": rep, "C": c})
    return in_rows(out, 15)


def standard_cases():
    for t in rubric.TABLES["schemata"]:
        key, label = t["key"], t["label"]
        state = {n: GIVEN_THRESHOLDS[n] for n in dict.fromkeys(schema(key).used_thresholds())}
        given = {"thresholds": state} if state else {}
        yield f"{label}: every combination, signals at each threshold and next to it", ["standard", "stated"] if state else ["standard"], \
            {"signals": all_combinations(key), "schema": key, **given}
    for t in rubric.TABLES["schemata"]:
        key, label = t["key"], t["label"]
        state = {n: GIVEN_THRESHOLDS[n] for n in dict.fromkeys(schema(key).used_thresholds())}
        given = {"thresholds": state} if state else {}
        yield f"{label}: every combination with signals missing", ["standard", "kleene"], {"signals": combinations_with_missing(key), "schema": key, **given, "missing": "drop"}
    rng = Random(1303)
    for t in rubric.TABLES["schemata"]:
        key, label = t["key"], t["label"]
        yield f"{label}: thresholds of the attempts themselves", ["standard", "random"], {"signals": random_signals(rng, 4, 6, [*needed_names(key), *VALID]), "schema": key}
        with_missing = random_signals(rng, 3, 7, rubric.SIGNALS, missing_share=0.15)
        yield f"{label}: thresholds of the attempts themselves, some signals missing", ["standard", "random", "kleene"], {"signals": with_missing, "schema": key, "missing": "drop"}


def one_question(**signals):
    """Signals of one question; scalars stay scalars."""
    return {name: [x] if isinstance(x, list) else x for name, x in signals.items()}


OK = {"repeated_pattern": 0, "C": 0}


def decision_cases():
    def case(comment, schema, signals, *flags, **args):
        return comment, ["decision", *flags], {"signals": signals, "schema": schema, **args}

    yield case("category 0 comes first: a degenerate output is invalid, correct or not", "exact_match", one_question(is_correct=[1, 0, 1, 0], repeated_pattern=[1, 1, 0, 0], C=0))
    yield case("C >= 0.5 is invalid even where A is high", "verifier_only", one_question(A=[0.6, 0.6, 1], B=0, C=[0.4, 0.5, 0.5], repeated_pattern=0))
    yield case("wrong_high_conf overlaps low_conf: confidence between tau_high and tau_low_wrong is wrong_high_conf", "conf_wrong_penalty", one_question(is_correct=0, completion_bpt=[0.5, 0.6, 0.75, 0.8], **OK), "stated", thresholds={"tau_high": 0.5, "tau_low_wrong": 0.75})
    yield case("wrong_high_conf leaves a gap to low_conf: a wrong answer between tau_low_wrong and tau_high is the lesser fault", "conf_wrong_penalty", one_question(is_correct=0, completion_bpt=[0.25, 0.3, 0.5, 0.6], **OK), "stated", thresholds={"tau_high": 0.5, "tau_low_wrong": 0.25})
    yield case("a gap in Conf-Calibrated: category 2 is tried before 1", "conf_calibrated", one_question(is_correct=[0, 0, 0, 0, 1, 1], completion_bpt=[0.25, 0.3, 0.5, 0.6, 0.3, 0.6], **OK), "stated", thresholds={"tau_low_wrong": 0.25, "corr_p33": 0.25, "corr_p66": 0.5})
    yield case("tau_high is not used by Conf-Wrong Penalty: it need not be given", "conf_wrong_penalty", one_question(is_correct=[0, 1], completion_bpt=0.5, **OK), "stated", thresholds={"tau_low_wrong": 0.5})
    yield case("mid is graded among correct answers: up to corr_p33 is high, up to corr_p66 mid, above low", "conf_calibrated", one_question(is_correct=1, completion_bpt=[0.375, next_double(0.375), 0.875, next_double(0.875)], **OK), "stated", thresholds=GIVEN_THRESHOLDS)
    yield case("corr_p33 and corr_p66 of the correct answers alone: the wrong answers do not move them", "conf_calibrated", one_question(is_correct=[1, 1, 1, 1, 0, 0, 0, 0], completion_bpt=[0.1, 0.2, 0.3, 0.4, 5, 6, 7, 8], **OK))
    yield case("tau_low_wrong of the wrong answers alone", "conf_wrong_penalty", one_question(is_correct=[1, 1, 1, 1, 0, 0, 0, 0], completion_bpt=[0.1, 0.2, 0.3, 0.4, 5, 6, 7, 8], **OK))
    yield case("an attempt without A_high goes to the larger of B and C, a tie to B", "verifier_only", one_question(A=0.59, B=[0.2, 0.3, previous_double(0.3), 0.0, 0.0], C=[0.3, 0.3, 0.3, 0.0, SMALL], repeated_pattern=0))
    yield case("A of 0.6 is high, whatever B and C are", "verifier_only", one_question(A=[0.6, previous_double(0.6)], B=[0.1, 0.1], C=[0.4, 0.4], repeated_pattern=0))
    yield case("economical and high_conf is tried before economical", "concision_high_conf", one_question(is_correct=1, token_ratio=[0.25, 0.25, 0.5, 0.7], completion_bpt=[0.5, next_double(0.5), 0.1, 0.1], **OK), "stated", thresholds=GIVEN_THRESHOLDS)
    yield case("ood at tau_prompt itself", "ood_robustness", one_question(is_correct=[0, 0, 1, 1], prompt_bpt=[2.0, previous_double(2.0), 2.0, previous_double(2.0)], **OK), "stated", thresholds=GIVEN_THRESHOLDS)
    yield case("all prompts alike: all are out of distribution", "ood_robustness", one_question(is_correct=[0, 1, 0, 1], prompt_bpt=1.5, **OK), "ties", "scalar")
    yield case("all lengths alike: all are economical", "efficiency_adjusted", one_question(is_correct=[0, 1], token_ratio=0.3, **OK), "ties", "scalar")
    yield case("all completions alike: all are of high confidence", "format_confidence", one_question(is_correct=[0, 1, 0, 1], has_box=[0, 0, 1, 1], completion_bpt=0.7, **OK), "ties", "scalar")
    yield case("is_correct of 0.5 is correct, has_box of 0.5 is boxed", "format_aware", one_question(is_correct=[0.5, BELOW_HALF, 0.5, BELOW_HALF], has_box=[0.5, 0.5, BELOW_HALF, BELOW_HALF], **OK), "boundary")
    yield case("a wrong answer needs no box to be non-compliant", "strict_compliance", one_question(is_correct=[0, 0, 1, 1], has_box=[0, 1, 0, 1], **OK))
    yield case("A, B and C need not sum to one", "verifier_only", one_question(A=[1, 0.1], B=[1, 0.1], C=[0.4, 0.05], repeated_pattern=0))
    yield case("a threshold is rounded before it is compared: 1 + 0.6 ulp is 1 + 1 ulp, so both are wrong_high_conf", "conf_wrong_penalty", one_question(is_correct=0, completion_bpt=[1.0, next_double(1.0)], **OK), "rounding")
    yield case("the rounding of ood: 1 + 0.9 ulp", "ood_robustness", one_question(is_correct=0, prompt_bpt=[1.0, next_double(1.0)], **OK), "rounding")
    yield case("subnormal confidence", "conf_wrong_penalty", one_question(is_correct=0, completion_bpt=[0, SMALL, 2 * SMALL, 3 * SMALL], **OK), "rounding", "underflow")
    yield case("invalid attempts count in thresholds", "efficiency_adjusted", one_question(is_correct=1, token_ratio=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], repeated_pattern=[0, 0, 0, 1, 1, 1], C=0))
    yield case("the order of the signals does not matter", "exact_match", one_question(C=0, repeated_pattern=[0, 0, 1], is_correct=[1, 0, 1]))
    yield case("signals that the schema does not need have no effect, even if missing", "exact_match", one_question(is_correct=[1, 0], **OK, completion_bpt=[None, None], mood=[-3, None]))
    yield case("thresholds that are not needed have no effect", "exact_match", one_question(is_correct=[1, 0], **OK), "stated", thresholds={**GIVEN_THRESHOLDS, "other": 3, "none": None})
    yield case("truth values are 0 and 1", "exact_match", one_question(is_correct=[True, False, True], repeated_pattern=[False, False, True], C=False), "alias")
    yield case("one attempt", "exact_match", one_question(is_correct=[1], **OK), "boundary")
    yield case("negative zero is zero", "verifier_only", one_question(A=["-0.0", 0.0], B=[0, "-0.0"], C=["-0.0", 0], repeated_pattern="-0.0"), "boundary")
    yield case("thresholds null: the default", "conf_wrong_penalty", one_question(is_correct=[0, 0, 1], completion_bpt=[0.5, 0.75, 0.25], **OK), "alias", thresholds=None)
    yield case("a threshold without value that no comparison needs: no attempt is wrong", "conf_wrong_penalty", one_question(is_correct=1, completion_bpt=[0.5, 0.75], **OK), "undefined-threshold")
    yield case("no correct attempts: corr_p33 has no value and is not needed", "conf_calibrated", one_question(is_correct=0, completion_bpt=[0.5, 0.75], **OK), "undefined-threshold")
    yield case("a threshold given as null that is not needed", "conf_wrong_penalty", one_question(is_correct=1, completion_bpt=[0.5, 0.75], **OK), "undefined-threshold", "stated", thresholds={"tau_low_wrong": None})
    yield case("a threshold without value beside a missing signal: the attempt is missing", "conf_wrong_penalty", one_question(is_correct=[0, 1], completion_bpt=[None, 0.5], **OK), "undefined-threshold", "kleene", missing="drop")
    yield case("given thresholds may be negative, zero or huge", "conf_calibrated", one_question(is_correct=[0, 0, 1, 1], completion_bpt=[0, 5, 0, 1e300], **OK), "stated", thresholds={"tau_low_wrong": -1, "corr_p33": 0, "corr_p66": 1e308})


def policy_cases():
    def case(comment, signals, *flags, schema="exact_match", **args):
        return comment, ["kleene", *flags], {"signals": signals, "schema": schema, **args}

    with_missing = one_question(is_correct=[1, None, 0, "nan"], repeated_pattern=[0, 0, None, 1], C=[0, 0, 0, None])
    yield case("dropped attempts are -1", with_missing, missing="drop")
    for c in (0, 1, 2):
        yield case(f"missing attempts count as category {c}", with_missing, missing=c)
    yield case("no attempt is missing though a signal is: C is not needed where repeated_pattern is 1", one_question(is_correct=[1, 0], repeated_pattern=[1, 1], C=[None, "nan"]))
    yield case("repeated_pattern is not needed where C is high", one_question(is_correct=[1, 0], repeated_pattern=[None, "nan"], C=[0.5, 0.9]))
    yield case("is_correct is not needed for an invalid attempt", one_question(is_correct=[None, 1], repeated_pattern=[1, 0], C=0))
    yield case("a policy is given though nothing is missing", one_question(is_correct=[1, 0], **OK), missing="drop")
    yield case("the policy raise is given", one_question(is_correct=[1, 0], **OK), missing="raise")
    yield case("C is missing for all: a scalar null", one_question(is_correct=[1, 0, 1], repeated_pattern=[0, 0, 1], C=None), "scalar", missing="drop")
    yield case("C missing is not C = 0: unknown before any rule is true", one_question(is_correct=[1, 0], repeated_pattern=0, C=None), "scalar", missing="drop")
    yield case("wrong and no box known: non-compliant all the same", one_question(is_correct=[0, 0, None], has_box=[None, 1, 0], **OK), schema="strict_compliance")
    yield case("wrong or unboxed is unknown if one is unknown and the other false", one_question(is_correct=[None, 1], has_box=[1, None], **OK), schema="strict_compliance", missing="drop")
    yield case("a confident wrong answer cannot be distinguished from another without completion_bpt", one_question(is_correct=[0, 1, None], completion_bpt=[None, None, 0.1], **OK), schema="conf_wrong_penalty", missing="drop", thresholds=GIVEN_THRESHOLDS)
    yield case("token_ratio missing: a correct answer of no known length is missing", one_question(is_correct=[0, 1, 1], token_ratio=[None, None, 0.3], completion_bpt=0.2, **OK), schema="concision_high_conf", missing=0, thresholds=GIVEN_THRESHOLDS)
    yield case("A missing: B and C do not help, A_high is tried first", one_question(A=[None, 0.1], B=[0.9, 0.9], C=[0, 0], repeated_pattern=0), schema="verifier_only", missing="drop")
    yield case("A is high: B may be missing", one_question(A=[0.8, 0.1], B=[None, None], C=[0, 0], repeated_pattern=0), schema="verifier_only", missing="drop")


def custom_schema(rules, scores, **more):
    return {"name": "own", "rules": rules, "w": scores, **more}


def schema_of_conditions(*conditions, **more):
    """A custom schema: each condition gives the next category; category 0 is "otherwise"."""
    rules = [[i + 1, c] for i, c in enumerate(conditions)] + [[0, "otherwise"]]
    return custom_schema(rules, [i / 4 for i in range(len(rules))], **more)


X = {"x": [[-1, 0, 0.5, 1], [2, 3, None, 7]], "y": [[0, 0, 1, None], [0.5, 3, 3, "nan"]]}


def custom_schema_cases():
    def case(comment, schema, *flags, signals=X, **args):
        return comment, ["own", *flags], {"signals": signals, "schema": schema, "missing": "drop", **args}

    for op in ("<", "<=", ">", ">=", "=="):
        yield case(f"a signal {op} a number", schema_of_conditions(f"x {op} 0.5"))
        yield case(f"a signal {op} a signal", schema_of_conditions(f"x {op} y"))
    for number in ("-1", "0.5", "1e0", "5e-1", "0.3e1", "-0.1E+1", "00.50", "30e-1", "-0"):
        yield case(f"the number {number}", schema_of_conditions(f"x == {number}"), "grammar")
    yield case("0.1 is the nearest double of a tenth", schema_of_conditions("z == 0.1", "z == 0.3"), "grammar", "rounding", signals={"z": [[0.1, next_double(0.1), 0.30000000000000004, 0.3]]})
    yield case("a number of many digits rounds to the nearest double", schema_of_conditions("z == 0.1000000000000000055511151231257827021181583404541015625000001"), "grammar", "rounding", signals={"z": [[0.1, next_double(0.1)]]})
    yield case("a number below the smallest double is 0", schema_of_conditions("z == 1e-400"), "grammar", "underflow", signals={"z": [[0, SMALL]]})
    yield case("a number on the left", schema_of_conditions("0.5 <= x"), "grammar")
    yield case("two numbers: true", schema_of_conditions("1 < 2"), "grammar")
    yield case("two numbers: false", schema_of_conditions("2 < 1", "x > 0"), "grammar")
    yield case("without blanks", schema_of_conditions("x>=-1and(y<1)"), "grammar")
    yield case("with blanks, tabs and line feeds", schema_of_conditions("  x\t>=\n-1   and ( y < 1 ) "), "grammar")
    yield case("and binds closer than or", schema_of_conditions("x > 2 or x < 1 and y > 0"), "grammar")
    yield case("parentheses first", schema_of_conditions("(x > 2 or x < 1) and y > 0"), "grammar")
    yield case("not binds closer than and", schema_of_conditions("not x > 2 and y > 0"), "grammar")
    yield case("not of parentheses", schema_of_conditions("not (x > 2 and y > 0)"), "grammar")
    yield case("a double not", schema_of_conditions("not not x > 2"), "grammar")
    yield case("not otherwise is never true", schema_of_conditions("not otherwise", "x > 1"), "grammar")
    yield case("otherwise inside a condition", schema_of_conditions("x > 1 and otherwise or not otherwise"), "grammar")
    yield case("many parentheses", schema_of_conditions("(((((x > 1)))))"), "grammar")
    yield case("parentheses and not, a hundred deep", schema_of_conditions("(" * 50 + "not " * 50 + "x > 1" + ")" * 50), "grammar", "boundary")
    yield case("names are case-sensitive: NOT is a signal", schema_of_conditions("NOT > 1"), "grammar", signals={"NOT": [[0, 2]]})
    yield case("names that begin like words", schema_of_conditions("order > 1 and android < 2 or nothing == 0"), "grammar", signals={"order": [[2, 0]], "android": [[1, 1]], "nothing": [[0, 1]]})
    yield case("an underscore, digits and capitals in names", schema_of_conditions("_x1 > A2_b"), "grammar", signals={"_x1": [[1, 3]], "A2_b": 2})
    yield case("x equals itself, unless it is missing", schema_of_conditions("x == x"))
    yield case("unknown or true", schema_of_conditions("x > 0 or y > 0"), "kleene")
    yield case("unknown and false", schema_of_conditions("x > 0 and y > 0"), "kleene")
    yield case("not unknown", schema_of_conditions("not (x > 0 and y > 0)"), "kleene")
    yield case("unknown is not false: a later rule does not get the attempt", schema_of_conditions("y > 100", "x > -100"), "kleene")
    yield case("a rule that is true comes before one that is unknown", schema_of_conditions("x > -100", "y > 100"), "kleene")
    yield case("x > 0 or not x > 0 is unknown where x is missing", schema_of_conditions("x > 0 or not x > 0"), "kleene")
    yield case("a custom variable", schema_of_conditions("big", variables={"big": "x >= 2"}))
    yield case("a variable of variables, in any order", schema_of_conditions("fine", "big", variables={"fine": "big and not small", "big": "x >= 0.5", "small": "y < 1"}))
    yield case("standard variables beside custom ones", schema_of_conditions("correct and big", variables={"big": "x >= 2"}), signals={**X, "is_correct": [[1, 1, 1, 1], [0, 1, 1, 1]]})
    yield case("standard thresholds in custom rules", schema_of_conditions("token_ratio > len_p33 and x > 0"), signals={**X, "token_ratio": [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]]})
    yield case("a custom threshold", schema_of_conditions("x > mid", thresholds={"mid": [50, "x", None]}))
    yield case("a custom threshold, given", schema_of_conditions("x > mid", thresholds={"mid": [50, "x", None]}), "stated", thresholds={"mid": -0.5})
    yield case("a custom threshold among its custom variable", schema_of_conditions("x > mid", thresholds={"mid": [25, "x", "big"]}, variables={"big": "y >= 0.5"}))
    yield case("a custom threshold on another threshold", schema_of_conditions("x > mid", thresholds={"mid": [50, "x", "y > low"], "low": [20, "y", None]}))
    yield case("a variable of a custom threshold", schema_of_conditions("far", variables={"far": "x > mid"}, thresholds={"mid": [75, "x", "otherwise"]}))
    yield case("a threshold of one signal compared with another", schema_of_conditions("y > mid", thresholds={"mid": [50, "x", None]}))
    yield case("a threshold against a threshold: the same result for all attempts", schema_of_conditions("low < high", thresholds={"low": [10, "x", None], "high": [90, "x", None]}))
    yield case("a given threshold does not need its signal", schema_of_conditions("y > mid", thresholds={"mid": [50, "x", None]}), "stated", signals={"y": X["y"]}, thresholds={"mid": 0.5})
    yield case("the tie of a rounded threshold goes to the even double: 1 + 0.5 ulp is 1", schema_of_conditions("x == mid", thresholds={"mid": [50, "x", None]}), "rounding", signals={"x": [[1.0, next_double(1.0)]]})
    yield case("the tie of a rounded threshold: 1 + 1.5 ulp is 1 + 2 ulp", schema_of_conditions("x == mid", thresholds={"mid": [50, "x", None]}), "rounding", signals={"x": [[next_double(1.0), next_double(next_double(1.0))]]})
    yield case("the tie of a rounded subnormal: 2.5 units are 2", schema_of_conditions("x == mid", thresholds={"mid": [50, "x", None]}), "rounding", "underflow", signals={"x": [[2 * SMALL, 3 * SMALL]]})
    yield case("the first percentile of 101 values: h = 1 exactly", schema_of_conditions("x < t", thresholds={"t": [1, "x", None]}), "whole-place", signals={"x": [[i / 128 for i in range(101)]]})
    yield case("an undefined threshold that a true part makes irrelevant", schema_of_conditions("x > -100 or x > none", thresholds={"none": [50, "x", "not otherwise"]}), "undefined-threshold", signals={"x": [[1, 2]]})
    yield case("an undefined threshold beside a false comparison", schema_of_conditions("x > 100 and x > none", thresholds={"none": [50, "x", "not otherwise"]}), "undefined-threshold", signals={"x": [[1, 2]]})
    yield case("a missing signal before an undefined threshold: the attempt is missing", schema_of_conditions("x > 0 or y > none", thresholds={"none": [50, "y", "not otherwise"]}), "undefined-threshold", "kleene", signals={"x": [[None, 2]], "y": [[1, 1]]})
    yield case("one category from several rules", custom_schema([[1, "x > 2"], [0, "x < 0"], [1, "y == 0"], [2, "x == 0.5"], [0, "otherwise"]], [0, 1, 0.5]))
    yield case("categories in any order", custom_schema([[2, "x > 2"], [0, "x > 0"], [1, "otherwise"]], [0.25, 1, -3]))
    yield case("without otherwise, every attempt fits", custom_schema([[0, "x <= 0"], [1, "x > 0"]], [0, 1]))
    yield case("two categories, equal scores", custom_schema([[0, "x <= 0"], [1, "x > 0"]], [0.5, 0.5]), "boundary")
    yield case("a custom schema with the name of a standard one", {**schema_of_conditions("x > 1"), "name": "exact_match"})
    yield case("variables and thresholds empty", schema_of_conditions("x > 1", variables={}, thresholds={}), "alias")
    yield case("the paper's scores w for Format Aware do not touch its categories", custom_schema([[0, "invalid"], [1, "wrong and unboxed"], [2, "wrong and boxed"], [3, "correct and unboxed"], [4, "correct and boxed"]], [0, 0, 1, 2, 3]), "worked-example", signals=one_question(is_correct=[0, 0, 1, 1, 1], has_box=[0, 1, 0, 1, 1], repeated_pattern=[0, 0, 0, 0, 1], C=0))
    for policy in (0, 1):
        yield case(f"missing attempts of a custom schema count as category {policy}", schema_of_conditions("x > 1"), "kleene", missing=policy)


def name_cases():
    signals = {**{name: [[0.25, 0.45]] for name in rubric.SIGNALS}, "is_correct": [[0, 1]], "has_box": 1, "repeated_pattern": 0}
    for label in [t["label"] for t in rubric.TABLES["schemata"]]:
        yield f"the name of table 5, {label}", ["name"], {"signals": signals, "schema": label}
    for name in ("Conf-wrong-penalty", "CONFWRONGPENALTY", "conf wrong_penalty", " Conf-+ Wrong__penalty"):
        yield f"a name in another spelling, {name!r}", ["name"], {"signals": signals, "schema": name}


def categories():
    for part in (standard_cases, decision_cases, policy_cases, custom_schema_cases, name_cases):
        yield from part()


def score():
    def case(comment, models, *flags, **args):
        return comment, list(flags) or ["plain"], {"models": models, **args}

    plain = {"a": one_question(is_correct=[1, 1, 0, 1], **OK), "b": one_question(is_correct=[1, 0, 0, 0], **OK)}
    yield case("two models, only correctness is known: the other schemata are left out, with the signal they lack", plain, "absent")
    yield case("two models, the worse first: the other schemata are left out", dict(reversed(plain.items())), "absent")
    yield case("one schema by key", plain, schemata=["exact_match"])
    yield case("schemata in the given order", plain, schemata=["length_robust", "exact_match"])
    yield case("schemata null: the default", plain, "alias", "absent", schemata=None)
    yield case("one model", {"a": plain["a"]}, "boundary", schemata=["exact_match"])
    yield case("three models, two equal: ranks 1 1 3", {**plain, "c": plain["a"]}, "ties", schemata=["exact_match"])
    yield case("a tie for the last place", {**plain, "c": plain["b"]}, "ties", schemata=["exact_match"])
    yield case("all models equal", {"a": plain["a"], "b": plain["a"]}, "ties", schemata=["exact_match", "length_robust"])
    half = custom_schema([[2, "x >= 2"], [1, "x >= 1"], [0, "otherwise"]], [0, 0.5, 1])
    yield case("equal scores from other counts tie: two halves, or 0 and 1", {"a": one_question(x=[1, 1]), "b": one_question(x=[0, 2]), "c": one_question(x=[2, 0])}, "ties", "own", schemata=[half])
    third = custom_schema([[2, "x >= 2"], [1, "x >= 1"], [0, "otherwise"]], [0, 0.1, 0.2])
    yield case("equal scores in tenths tie, whose sums round", {"a": one_question(x=[1, 1, 1]), "b": one_question(x=[0, 2, 1]), "c": one_question(x=[2, 0, 0])}, "ties", "own", schemata=[third])
    tiny = custom_schema([[1, "x >= 1"], [0, "otherwise"]], [0, 1e-15])
    yield case("small scores: scores that differ by less than 1e-12 get different ranks", {"a": one_question(x=[1, 0, 0]), "b": one_question(x=[1, 1, 0])}, "weights", "own", schemata=[tiny])
    yield case("the best model differs between the schemata", {"a": one_question(is_correct=[1, 1, 1, 0], has_box=0, **OK), "b": one_question(is_correct=[1, 1, 0, 0], has_box=1, **OK)}, schemata=["exact_match", "strict_compliance", "format_aware"])
    yield case("unequal numbers of trials", {"a": one_question(is_correct=[1, 1, 0], **OK), "b": one_question(is_correct=[1, 0], **OK)}, schemata=["exact_match"])
    yield case("one question, one trial", {"a": one_question(is_correct=[1], **OK), "b": one_question(is_correct=[0], **OK)}, "boundary", schemata=["exact_match"])
    yield case("two models, C as a matrix of zeros", {m: {**s, "C": [[0, 0, 0, 0]]} for m, s in plain.items()}, "scalar", schemata=["exact_match"])
    conf = {"a": one_question(is_correct=[1, 1, 0, 0, 1], completion_bpt=[0.25, 0.5, 0.125, 1.0, 0.75], **OK), "b": one_question(is_correct=[1, 0, 0, 1, 1], completion_bpt=[2.0, 0.375, 1.5, 0.625, 0.875], **OK)}
    yield case("thresholds are pooled over the models", conf, "pooled", schemata=["conf_wrong_penalty", "conf_calibrated"])
    yield case("the order of the models moves no threshold", dict(reversed(conf.items())), "pooled", schemata=["conf_wrong_penalty", "conf_calibrated"])
    yield case("one model alone: its own attempts give other thresholds", {"a": conf["a"]}, "pooled", schemata=["conf_wrong_penalty", "conf_calibrated"])
    yield case("thresholds given", conf, "stated", schemata=["conf_wrong_penalty", "conf_calibrated"], thresholds=GIVEN_THRESHOLDS)
    yield case("thresholds given, with one that no schema needs and one without value", conf, "stated", "undefined-threshold", schemata=["conf_wrong_penalty"], thresholds={"tau_low_wrong": 0.5, "other": 7, "nothing": None})
    yield case("thresholds given for all schemata that can be computed", conf, "stated", "absent", thresholds={n: GIVEN_THRESHOLDS[n] for n in ("corr_p66", "corr_p33", "tau_low_wrong", "tau_high")})
    yield case("no wrong attempts: tau_low_wrong has no value", {m: {**s, "is_correct": 1} for m, s in conf.items()}, "undefined-threshold", schemata=["conf_wrong_penalty"])
    yield case("a signal that one model lacks leaves schemata out", {"a": {**plain["a"], "has_box": [[1, 0, 1, 0]]}, "b": plain["b"]}, "absent")
    yield case("the signal named is the first in the order of the rules, of any model", {"a": {"A": [[0.7, 0.2]], **OK, "is_correct": [[1, 0]]}, "b": {"B": [[0.7, 0.2]], "C": 0, "is_correct": [[1, 0]], "repeated_pattern": 0}}, "absent")
    yield case("only a custom schema, which does not need C", {"a": {"repeated_pattern": [[0, 1]], "is_correct": [[1, 0]], "x": 3}, "b": {"repeated_pattern": [[0, 1]], "is_correct": [[1, 0]], "x": 4}}, "absent", "own", schemata=[schema_of_conditions("x > 3")])
    with_missing = {"a": one_question(is_correct=[1, None, 0, 1, 1], repeated_pattern=[0, 0, None, 1, 0], C=[0, 0, 0, None, 0.1]), "b": one_question(is_correct=[None, 1, 0, 0, 1], **OK)}
    yield case("missing attempts are no trials", with_missing, "kleene", schemata=["exact_match"], missing="drop")
    for c in (0, 1, 2):
        yield case(f"missing attempts count as category {c}", with_missing, "kleene", schemata=["exact_match"], missing=c)
    yield case("the missing attempts differ by schema", {m: {**s, "has_box": [[None, 1, 0, 1, 1]]} for m, s in with_missing.items()}, "kleene", schemata=["exact_match", "strict_compliance", "format_aware"], missing="drop")
    yield case("questions with unequal numbers of attempts left", {"a": {"is_correct": [[1, None, 0], [1, 1, 0]], **OK}, "b": {"is_correct": [[0, 0, 1], [None, None, 1]], **OK}}, "kleene", "ragged", schemata=["exact_match"], missing="drop")
    yield case("the paper's scores w for Format Aware, 0 0 1 2 3, give three times the score of this specification, up to the rounding of thirds", {"a": one_question(is_correct=[1, 1, 0, 0, 1], has_box=[0, 1, 0, 1, 1], **OK), "b": one_question(is_correct=[0, 1, 0, 0, 1], has_box=[1, 1, 0, 1, 0], **OK)},
               "worked-example", "own", schemata=["format_aware", {**custom_schema([[0, "invalid"], [1, "wrong and unboxed"], [2, "wrong and boxed"], [3, "correct and unboxed"], [4, "correct and boxed"]], [0, 0, 1, 2, 3]), "name": "paper"}])
    signed = custom_schema([[0, "x < 0"], [1, "x == 0"], [2, "x > 0"]], [-1, 0, 2.5])
    yield case("negative scores", {"a": one_question(x=[-1, 0, 1]), "b": one_question(x=[-2, -3, 0])}, "weights", "own", schemata=[signed])
    yield case("equal scores: the same score for all", {"a": one_question(x=[-1, 0, 1]), "b": one_question(x=[-2, -3, 0])}, "weights", "ties", "own", schemata=[{**signed, "w": [0.1, 0.1, 0.1]}])
    yield case("huge scores", {"a": one_question(x=[-1, 0, 1]), "b": one_question(x=[-2, -3, 0])}, "weights", "own", schemata=[{**signed, "w": [-1e300, 0, 1e300]}])
    yield case("a category that never occurs has prior mass", {"a": one_question(x=[1, 1]), "b": one_question(x=[1, 2])}, "unobserved", "own", schemata=[signed])
    mid = {"mid": [50, "x", None]}
    yield case("custom thresholds come after the standard ones", {"a": {**conf["a"], "x": [[1, 2, 3, 4, 5]]}, "b": {**conf["b"], "x": [[3, 4, 5, 6, 7]]}}, "own", "pooled", schemata=["conf_wrong_penalty", schema_of_conditions("x > mid", thresholds=mid)])
    yield case("two custom schemata that declare one threshold alike", {"a": one_question(x=[1, 2, 3]), "b": one_question(x=[2, 3, 4])}, "own", "pooled", schemata=[schema_of_conditions("x > mid", thresholds=mid), {**schema_of_conditions("x >= mid", thresholds=mid), "name": "other"}])
    yield case("one threshold, the same custom variables", {"a": one_question(x=[1, 2, 3]), "b": one_question(x=[2, 3, 4])}, "own", "pooled", schemata=[schema_of_conditions("x > t", thresholds={"t": [50, "x", "v"]}, variables={"v": "x > 1"}), {**schema_of_conditions("v and x >= t", thresholds={"t": [50, "x", "v"]}, variables={"v": "x > 1"}), "name": "other"}])
    yield case("one custom threshold, given", {"a": one_question(x=[1, 2, 3]), "b": one_question(x=[2, 3, 4])}, "own", "stated", schemata=[schema_of_conditions("x > mid", thresholds=mid)], thresholds={"mid": 3})
    yield case("custom variables with one name in two schemata are separate", {"a": one_question(x=[1, 2, 3]), "b": one_question(x=[2, 3, 4])}, "own", schemata=[schema_of_conditions("big", variables={"big": "x > 1"}), {**schema_of_conditions("big", variables={"big": "x > 3"}), "name": "other"}])
    yield case("truth values", {m: one_question(is_correct=[bool(x) for x in s["is_correct"][0]], repeated_pattern=False, C=0) for m, s in plain.items()}, "alias", schemata=["exact_match"])
    rng = Random(1304)
    yield case("all twelve schemata of four models", {f"model {i + 1}": random_signals(rng, 4, 5, rubric.SIGNALS) for i in range(4)}, "random", "pooled")
    yield case("all twelve schemata of three models, attempts missing", {f"m{i + 1}": random_signals(rng, 3, 6, rubric.SIGNALS, missing_share=0.04) for i in range(3)}, "random", "pooled", "kleene", missing="drop")
    yield case("all twelve schemata, missing attempts count as invalid", {f"m{i + 1}": random_signals(rng, 3, 4, rubric.SIGNALS, missing_share=0.1) for i in range(2)}, "random", "kleene", missing=0)
    for _ in range(6):
        keys = rng.sample(rubric.KEYS, 3)
        yield case("random attempts of " + ", ".join(keys), {f"m{j}": random_signals(rng, 3, rng.randint(2, 6), rubric.SIGNALS, digits=1) for j in range(rng.randint(2, 4))}, "random", "ties", schemata=keys)
    yield case("schemata by the names of table 5", plain, "name", schemata=["Length-Robust", "EXACT-match"])


BY_NAME = {"rubric.categories": categories, "rubric.score": score}
