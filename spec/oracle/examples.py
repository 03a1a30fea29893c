"""Numbers printed in public documents, and golden (reference) intervals and differences: the oracle must give them all."""

R = {"matrix": [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]}
RUBRIC = {"matrix": [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]}
CONFIDENT = {"matrix": [[3, 2, 3, 1, 3], [2, 3, 0, 3, 1]]}
TOP_P = {"matrix": [[1, 1, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 0, 0],
                    [1, 1, 1, 0, 1, 1, 0], [0, 0, 1, 0, 0, 0, 0]]}
GREEDY = {"matrix": [[1], [1], [0], [1], [0]]}
W3 = [0.0, 0.5, 1.0]
API, POSTER, PAGE = "API reference", "poster", "project page"

# function, document, arguments, printed fields in order (text keeps the printed digits)
PRINTED = [
    ("bayes", API, {"R": RUBRIC, "w": W3, "R0": {"matrix": [[0, 2], [1, 2]]}}, "0.575000 0.084275"),
    ("bayes", API, {"R": RUBRIC, "w": W3}, "0.562500 0.091998"),
    ("bayes", POSTER, {"R": RUBRIC, "w": W3, "R0": {"matrix": [[2], [1]]}}, "0.583333 0.085165"),
    ("bayes_ci", API, {"R": R, "bounds": [0.0, 1.0]}, "0.642857 0.118451 0.4107 0.8750"),
    ("bayes_ci", POSTER, {"R": RUBRIC, "w": W3}, "0.562500 0.091998 0.382188 0.742812"),
    ("bayes_ci", POSTER, {"R": CONFIDENT, "w": [0.0, 0.0, 0.25, 1.0]}, "0.444444 0.100539 0.247392 0.641497"),
    ("bayes_ci", PAGE, {"R": TOP_P}, "0.4667 0.0629 0.3435 0.5899"),
    ("bayes_ci", PAGE, {"R": TOP_P, "R0": GREEDY}, "0.4800 0.0585 0.3654 0.5946"),
    ("avg", API, {"R": R}, "0.700000 0.165831"),
    ("avg", API, {"R": RUBRIC, "w": W3}, "0.600000 0.147196"),
    ("avg_ci", API, {"R": R, "bounds": [0.0, 1.0]}, "0.7000 0.1658 0.3750 1.0000"),
    ("avg_ci", API, {"R": RUBRIC, "w": W3, "confidence": 0.95}, "0.6000 0.1472 0.3115 0.8885"),
    ("pass_at_k", API, {"R": R, "k": 1}, "0.700000"),
    ("pass_at_k", API, {"R": R, "k": 2}, "0.950000"),
    ("pass_hat_k", API, {"R": R, "k": 1}, "0.700000"),
    ("pass_hat_k", API, {"R": R, "k": 2}, "0.450000"),
    ("pass_at_k_ci", API, {"R": R, "k": 1}, "0.642857 0.118451 0.4107 0.8750"),
    ("pass_at_k_ci", API, {"R": R, "k": 2}, "0.839286 0.097263 0.6487 1.0000"),
    ("pass_hat_k_ci", API, {"R": R, "k": 1}, "0.642857 0.118451 0.4107 0.8750"),
    ("pass_hat_k_ci", API, {"R": R, "k": 2}, "0.446429 0.146167 0.1599 0.7329"),
    ("auc_at_k", API, {"R": R, "k": 1}, "0.700000"),
    ("auc_at_k", API, {"R": R, "k": 2}, "0.825000"),
    ("auc_at_k", API, {"R": R, "k": 3}, "0.900000"),
    ("maj_at_k", API, {"R": R, "k": 1}, "0.700000"),
    ("maj_at_k", API, {"R": R, "k": 2}, "0.450000"),
    ("maj_at_k", API, {"R": R, "k": 3}, "0.850000"),
    ("maj_at_k_ci", API, {"R": R, "k": 2}, "0.446429 0.146167 0.1599 0.7329"),
    ("maj_at_k_ci", API, {"R": R, "k": 3}, "0.684524 0.151958 0.3867 0.9824"),
    ("g_pass_at_k", API, {"R": R, "k": 1}, "0.700000"),
    ("g_pass_at_k", API, {"R": R, "k": 2}, "0.450000"),
    ("g_pass_at_k_tau", API, {"R": R, "k": 2, "tau": 0.5}, "0.950000"),
    ("g_pass_at_k_tau", API, {"R": R, "k": 2, "tau": 1.0}, "0.450000"),
    ("mg_pass_at_k", API, {"R": R, "k": 2}, "0.450000"),
    ("mg_pass_at_k", API, {"R": R, "k": 3}, "0.166667"),
    ("geom_at_k", API, {"R": R, "k": 2}, "0.647106"),
    ("geom_at_k_ci", API, {"R": R, "k": 2}, "0.610666 0.133107 0.3498 0.8716"),
    ("geom_ds_at_k", API, {"R": R, "k": 2}, "0.653835"),
    ("geom_ds_at_k_ci", API, {"R": R, "k": 2}, "0.612112 0.132755 0.3519 0.8723"),
    ("geo_spectrum_at_k", API, {"R": R, "k": 3}, "0.408248"),
    ("geo_spectrum_at_k", API, {"R": R, "k": 3, "lam": 1.0}, "1.000000"),
    ("max_at_k", API, {"R": R, "k": 2}, "0.950000"),
    ("max_at_k", API, {"R": RUBRIC, "k": 2, "w": W3}, "0.850000"),
    ("max_at_k_ci", API, {"R": R, "k": 2}, "0.839286 0.097263 0.6487 1.0000"),
    ("max_at_k_ci", API, {"R": RUBRIC, "k": 2, "w": W3}, "0.750000 0.088120 0.5773 0.9227"),
]

# Successes in 4 trials of the 50 airline tasks of tau-bench (gpt-4o, tool calling), and the first outcomes.
AIRLINE_RIGHT = "01100111000142021140430040220122003443413241222144"
AIRLINE_FIRST = "00000010000110000010100010100101001110111011110011"
AIRLINE = {"counts": [[4 - int(c), int(c)] for c in AIRLINE_RIGHT]}
AIRLINE_ONE = {"matrix": [[int(c)] for c in AIRLINE_FIRST]}
RAGGED_A = {"matrix": [[1, 1, 0], [1, 0], [1], [0, 0, 0, 0], [1, 1, 1, 1]]}
SCORES = {"matrix": [[0, 1, 2], [2, 2, 2], [0, 0, 1]]}

# arguments of mean_ci, golden mu, lo, hi and n_eff ("-": no golden number)
GOLDEN = [
    ({"R": AIRLINE, "questions": "fixed"}, ".420000 .367284 .474607 321.230769"),
    ({"R": AIRLINE, "questions": "fixed", "confidence": 0.9}, ".420000 .375557 .465779 321.230769"),
    ({"R": AIRLINE, "questions": "sampled"}, ".420000 .320204 .526796 88.265221"),
    ({"R": AIRLINE, "questions": "sampled", "pool": 100}, ".420000 .339891 .504558 -"),
    ({"R": AIRLINE_ONE, "questions": "fixed"}, "- .293750 .557666 50.000000"),
    ({"R": RAGGED_A, "questions": "fixed", "missing": "drop"}, "- .252521 .898284 5.000000"),
    ({"R": RAGGED_A, "questions": "sampled", "missing": "drop"}, "- .252521 .898284 -"),
    ({"R": {"counts": [[0, 1]] * 30}, "questions": "fixed"}, "- .886487 1.000000 -"),
    ({"R": {"counts": [[8, 0]] * 30}, "questions": "fixed"}, "- .000000 .015754 -"),
    ({"R": {"counts": [[3, 7]]}, "questions": "fixed"}, "- .396778 .892209 -"),
    ({"R": SCORES, "w": [0.0, 1.0, 2.0], "questions": "fixed"}, "1.111111 .533303 1.622443 -"),
    ({"R": SCORES, "w": [0.0, 1.0, 2.0], "questions": "sampled"}, "1.111111 .301423 1.796023 -"),
]

BLOCK_A = {"counts": [[2, 2], [0, 4], [4, 0], [3, 1], [1, 3]]}
BLOCK_B = {"counts": [[3, 1], [0, 4], [4, 0], [4, 0], [3, 1]]}
RAGGED = {"counts": [[1, 2], [0, 4], [2, 0], [3, 5]]}


def golden_cases(function, data, metric, k, fixed, sampled, **more):
    """Yield (function, arguments, golden numbers) for fixed and for sampled questions, unless the numbers are None."""
    for questions, text in (("fixed", fixed), ("sampled", sampled)):
        if text:
            yield function, {**data, "metric": metric, "k": k, **more, "questions": questions}, text


# function, arguments, golden mu, lo, hi and n_eff; for compare mu, df and p_value
GOLDEN_METRICS = [
    *golden_cases("interval", {"R": AIRLINE}, "pass_at_k", 2, ".566667 .492914 .637580 176.517572", ".566667 .451557 .675005 -"),
    *golden_cases("interval", {"R": AIRLINE}, "pass_at_k", 4, ".720000 .605466 .811629 -", ".720000 .583349 .825258 50.000000"),
    *golden_cases("interval", {"R": AIRLINE}, "pass_hat_k", 2, ".273333 .226604 .325641 -", ".273333 .177273 .396369 -"),
    *golden_cases("interval", {"R": AIRLINE}, "pass_hat_k", 4, ".200000 .140389 .276772 -", ".200000 .112438 .330371 -"),
    *golden_cases("interval", {"R": AIRLINE}, "g_pass_at_k_tau", 4, ".480000 .370671 .591279 -", None, tau=0.5),
    *golden_cases("interval", {"R": AIRLINE}, "maj_at_k", 3, ".380000 .303029 .463520 -", None),
    *golden_cases("interval", {"R": AIRLINE}, "mg_pass_at_k", 4, ".240000 .189167 .299448 -", None),
    *golden_cases("interval", {"R": AIRLINE}, "auc_at_k", 4, ".598889 .518864 .673967 -", None),
    *golden_cases("interval", {"R": BLOCK_A}, "pass_at_k", 2, ".666667 .367798 .873025 -", "- .275199 .913307 -"),
    *golden_cases("compare", {"A": BLOCK_A, "B": BLOCK_B}, "pass_at_k", 2, ".26666667 8.3764197 .2128536", None),
    *golden_cases("compare", {"A": BLOCK_A, "B": BLOCK_B}, "pass_at_k", 4, ".2 13.615881 -", None),
    *golden_cases("interval", {"R": RAGGED}, "pass_at_k", 2, ".723214 .282169 .945559 -", "- .282169 .945559 -"),
    *golden_cases("interval", {"R": {"counts": [[0, 4]] * 30}}, "pass_at_k", 2, "- .939828 1.000000 -", None),
    *golden_cases("interval", {"R": {"counts": [[3, 7]]}}, "pass_at_k", 2, ".933333 .495093 .995022 -", None),
]


def cases_of(function):
    """Cases of a function whose results a document prints."""
    for f, doc, args, printed in PRINTED:
        if f == function:
            yield f"worked example of the {doc}: {printed.replace(' ', ', ')}", ["worked-example"], args
