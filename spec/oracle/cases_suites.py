"""Cases of suites: macro-averages, pairs over several benchmarks and in each, gates over a suite."""
from random import Random

from cases import recipe, states
from cases_looks import LOW, NEXT, ONE, TWO, X, Y
from cases_hypergeometric import GRADED

W3 = [0.0, 0.5, 1.0]
EASY, HARD = states((4, 4), (3, 4), (4, 4), (2, 4)), states((0, 6), (1, 6), (3, 6), (0, 6), (2, 6), (6, 6))
EASIER, HARDER = states((3, 4), (3, 4), (1, 4), (2, 4)), states((1, 6), (0, 6), (1, 6), (0, 6), (2, 6), (3, 6))
OTHER = {"counts": [[2, 3, 1], [1, 1, 4], [3, 0, 3], [5, 1, 0], [0, 2, 4]]}
SINGLE, SINGLES = states(*[(i % 2, 1) for i in range(7)]), states(*[(int(i < 2), 1) for i in range(7)])
TENS = {"a": ONE, "b": TWO, "c": LOW, "d": NEXT}
FIVES = {"a": X, "b": Y}
CLUSTERS = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3]
BOTH = ("fixed", "sampled")


def named(**benchmarks):
    return {"benchmarks": {name: {"models": models} for name, models in benchmarks.items()}}


def suite():
    def case(comment, benchmarks, *flags, **args):
        return comment, list(flags) or ["suite"], {"benchmarks": benchmarks, "questions": "fixed", **args}

    two = named(easy={"a": EASY, "b": EASIER}, hard={"a": HARD, "b": HARDER})
    three = named(tens=TENS, fives=FIVES, easy={"b": EASIER, "a": EASY, "d": states((3, 4), (2, 4), (4, 4), (1, 4))})
    for q in BOTH:
        options = {"questions": q}
        yield case(f"{q}, two models, two benchmarks", two, **options)
        yield case(f"{q}, a single benchmark: interval and compare_all", named(tens=TENS), "boundary", **options)
        yield case(f"{q}, a single model: no pairs", named(easy={"a": EASY}, hard={"a": HARD}), "boundary", **options)
        yield case(f"{q}, models that lack a benchmark have no macro-average", three, "mapping", **options)
        yield case(f"{q}, only the benchmark that all models have", three, "mapping", common=True, weights={"tens": 3, "fives": 2, "easy": 1}, **options)
        yield case(f"{q}, no model has all benchmarks", named(tens={"a": ONE}, fives={"b": Y}), "boundary", **options)
        yield case(f"{q}, unequal weights", two, weights={"hard": 0.3, "easy": 0.1}, **options)
        for guard in (0.25, 1.0):
            yield case(f"{q}, guard {guard}", two, "guard", guard=guard, **options)
        yield case(f"{q}, a weight of 1e-300", two, "underflow", weights={"easy": 1e-300, "hard": 1.0}, **options)
        yield case(f"{q}, no correction", three, "no-correction", correction=None, **options)
        for c in (0.6, 0.99):
            yield case(f"{q}, confidence {c}", two, "confidence", confidence=c, **options)
        yield case(f"{q}, single trials in one benchmark", named(easy={"a": EASY, "b": EASIER}, single={"a": SINGLE, "b": SINGLES}), "boundary", **options)
        yield case(f"{q}, differences that cancel exactly", named(x={"a": states((3, 6), (2, 6)), "b": states((1, 6), (1, 6))}, y={"a": states((1, 6), (1, 6), (0, 6), (2, 6)), "b": states((3, 6), (2, 6), (1, 6), (4, 6))}),
                   "exact-zero", "cancellation", **options)
        yield case(f"{q}, thirds that cancel: 1/2 - 1/3 - 1/6", named(
            x={"a": states((2, 2), (2, 2), (1, 2)), "b": states((1, 2), (1, 2), (0, 2))}, y={"a": states((0, 3), (1, 3), (2, 3)), "b": states((1, 3), (2, 3), (3, 3))},
            z={"a": states((0, 6), (2, 6), (1, 6)), "b": states((1, 6), (3, 6), (2, 6))}), "exact-zero", **options)
        yield case(f"{q}, pass_at_k", two, metric="pass@k", k=2, **options)
        yield case(f"{q}, pass_hat_k of fewer than 2k trials", two, "modelled", metric="pass^k", k=3, **options)
        yield case(f"{q}, pass_at_k that cancels", named(x={"a": states((1, 4), (2, 4)), "b": states((2, 4), (2, 4))}, y={"a": states((2, 4), (2, 4)), "b": states((2, 4), (1, 4))}), "exact-zero", metric="pass@k", k=2, **options)
        yield case(f"{q}, no model", two, "no-model", metric="pass@k", k=3, model=None, **options)
        yield case(f"{q}, graded", named(x={"a": GRADED, "b": OTHER}, y={"b": OTHER, "a": GRADED}), "weights", w=W3, **options)
        yield case(f"{q}, graded, mean 0 by cancellation", named(x={"a": {"counts": [[3, 0, 1], [2, 0, 2]]}}, y={"a": {"counts": [[1, 0, 3], [2, 0, 2]]}}), "weights", "exact-zero", w=[-1.0, 0.0, 1.0], **options)
        yield case(f"{q}, best of 2, falling scores", named(x={"a": GRADED, "b": OTHER}, y={"a": OTHER, "b": GRADED}), "weights", metric="max@k", k=2, w=[2.0, -0.5, -3.0], weights={"x": 2.0, "y": 1.0}, **options)
        yield case(f"{q}, all scores equal", named(x={"a": GRADED, "b": OTHER}, y={"a": OTHER, "b": GRADED}), "weights", "boundary", w=[0.5, 0.5, 0.5], **options)
        yield case(f"{q}, only successes", named(x={"a": states((4, 4), (4, 4)), "b": states((4, 4), (0, 4))}, y={"a": states((2, 2), (2, 2)), "b": states((0, 2), (0, 2))}), "boundary", **options)
        yield case(f"{q}, a question without trials", named(x={"a": {"matrix": [[1, 1], [None, None], [0, 1]]}, "b": {"matrix": [[0, 1], [1, 1], [0, 0]]}}, y={"a": EASY, "b": EASIER}), "missing", missing="drop", **options)
        yield case(f"{q}, by recipe", named(x={"a": recipe(60, 16, 961), "b": recipe(60, 16, 962), "c": recipe(60, 16, 963)}, y={"a": recipe(20, 8, 964), "b": recipe(20, 8, 965), "c": recipe(20, 8, 966)}), "large", **options)
    labelled = {"questions": "sampled", "clusters": {"tens": CLUSTERS}}
    yield case("clusters in one benchmark", named(tens=TENS, easy={"a": EASY, "b": EASIER, "c": EASY, "d": EASIER}), "clusters", **labelled)
    yield case("clusters in both benchmarks", named(tens=TENS, fives=FIVES), "clusters", **{**labelled, "clusters": {"tens": CLUSTERS, "fives": list("xxyyz")}})
    yield case("clusters, a question without trials", named(x={"a": {"matrix": [[1, 1], [None, None], [0, 1], [0, 0]]}, "b": {"matrix": [[0, 1], [1, 1], [0, 0], [1, 0]]}}), "clusters", "missing", missing="drop", questions="sampled", clusters={"x": [7, 7, 8, 8]})
    yield case("clusters without a pair: one cluster gives a bound", named(x={"a": X}, y={"a": EASY}), "clusters", "boundary", questions="sampled", clusters={"x": [1, 1, 1, 1, 1]})
    rng = Random(967)
    for i in range(10):
        B = {}
        for name in "xyz"[:rng.randint(1, 3)]:
            M, N = rng.randint(2, 6), rng.randint(2, 8)
            B[name] = {m: states(*((rng.randint(0, N), N) for _ in range(M))) for m in rng.sample("abc", rng.randint(1, 3))}
        yield case(f"random suite {i + 1} of seed 967", named(**B), "random", questions=BOTH[i % 2], weights={b: rng.randint(1, 9) for b in B}, confidence=rng.choice((0.8, 0.95)))


def mixed_questions(M):
    """M questions of two successes in four trials."""
    return states(*[(2, 4)] * M)


def gate_suite():
    def case(comment, new, base, margin, *flags, **args):
        return comment, list(flags) or ["suite"], {"candidate": {"benchmarks": new}, "baseline": {"benchmarks": base}, "margin": margin, "questions": "fixed", **args}

    new, base = {"tens": NEXT, "fives": X}, {"fives": Y, "tens": ONE}
    low, far = {"tens": LOW, "fives": X}, {"tens": recipe(100, 16, 971), "fives": recipe(80, 12, 972)}
    near = {"tens": recipe(100, 16, 973), "fives": recipe(80, 12, 974)}
    for q in BOTH:
        for rule in ("mean", "each"):
            options = {"questions": q, "rule": rule}
            yield case(f"{q}, {rule}, a margin of 0.2", new, base, 0.2, **options)
            yield case(f"{q}, {rule}, one much worse benchmark", low, base, 0.1, **options)
            yield case(f"{q}, {rule}, a small margin", new, base, 0.01, **options)
            yield case(f"{q}, {rule}, many questions", far, near, 0.05, "large", **options)
            yield case(f"{q}, {rule}, the same outcomes", base, base, 0.05, "ties", **options)
            yield case(f"{q}, {rule}, all worse", {"tens": LOW, "fives": states((0, 4), (1, 4), (0, 4), (0, 4), (0, 4))}, base, 0.05, **options)
        options = {"questions": q}
        yield case(f"{q}, a single benchmark: gate", {"tens": NEXT}, {"tens": ONE}, 0.15, "boundary", **options)
        for guard in (0.0, 0.2, 0.5):
            yield case(f"{q}, guard {guard}", new, base, 0.1, "guard", guard=guard, **options)
            yield case(f"{q}, guard {guard}, scores", {"A": {"matrix": [[1]] * 20}, "B": {"matrix": [[1], [2], [2], [1], [2]] * 2}}, {"A": {"matrix": [[1], [2]] * 10}, "B": {"matrix": [[2]] * 10}}, 0.1, "guard", guard=guard, w=[0.0, 0.8, 0.9], **options)
        yield case(f"{q}, unequal weights", new, base, 0.1, weights={"tens": 4, "fives": 1}, **options)
        yield case(f"{q}, confidence 0.8", new, base, 0.1, "confidence", confidence=0.8, **options)
        for power in (0.5, 0.95):
            yield case(f"{q}, power {power}", new, base, 0.02, power=power, **options)
        yield case(f"{q}, pass_at_k", new, base, 0.1, metric="pass@k", k=2, **options)
        yield case(f"{q}, pass_hat_k of fewer than 2k trials", new, base, 0.1, "modelled", metric="pass^k", k=3, **options)
        yield case(f"{q}, graded, margin in units of w", {"x": GRADED, "y": OTHER}, {"x": OTHER, "y": GRADED}, 0.5, "weights", w=[-1.0, 0.0, 2.5], **options)
        yield case(f"{q}, a question without trials", {"x": {"matrix": [[1, 1], [None, None], [0, 1]]}, "y": EASY}, {"x": {"matrix": [[0, 1], [1, 1], [0, 0]]}, "y": EASIER}, 0.3, "missing", missing="drop", **options)
    yield case("a difference of minus the margin: neither verdict", {"x": states((1, 4), (2, 4))}, {"x": states((3, 4), (2, 4))}, 0.25, "ties", "boundary")
    yield case("a margin of 1e-300, equal outcomes: growth is beyond the doubles", base, base, 1e-300, "ties", "boundary")
    yield case("clusters", new, base, 0.1, "clusters", questions="sampled", clusters={"tens": CLUSTERS})
    rng = Random(975)
    for i in range(10):
        sizes = {b: (rng.randint(3, 9), rng.randint(2, 8)) for b in "xyz"[:rng.randint(1, 3)]}
        a, b = ({name: states(*((rng.randint(0, N), N) for _ in range(M))) for name, (M, N) in sizes.items()} for _ in "ab")
        yield case(f"random outcomes {i + 1} of seed 975", a, b, rng.randint(5, 60) / 100, "random", questions=BOTH[i % 2], rule=("mean", "each")[i % 3 == 0])
    once, twice = states((0, 1), (0, 1)), states((0, 2), (0, 2))
    yield case("a metric that is always 0; one trial per question gives only a bound", {"x": once, "y": twice}, {"x": once, "y": twice}, 0.5, "boundary", metric="mg_pass_at_k", k=1)
    few, none, many, mixed = (states(*[x] * m) for x, m in (((4, 4), 4), ((0, 4), 4), ((4, 4), 40), ((2, 4), 12)))
    for q in BOTH:
        for w in (0.1, 0.5, 0.9):
            weights = {"few": w, "many": 1 - w}
            yield case(f"{q}, every question of a small benchmark is won, its weight {w}", {"few": few, "many": many}, {"few": none, "many": many}, 0.001, "boundary", questions=q, weights=weights)
            yield case(f"{q}, every question of a small benchmark is lost, its weight {w}", {"few": none, "many": many}, {"few": few, "many": many}, 0.001, "boundary", questions=q, weights=weights)
        yield case(f"{q}, two benchmarks of three are won", {"few": few, "mixed": mixed, "many": many}, {"few": none, "mixed": mixed, "many": many}, 0.4, "boundary", questions=q)
        yield case(f"{q}, all benchmarks are won", {"few": few, "more": states(*[(4, 4)] * 6), "many": states(*[(4, 4)] * 9)}, {"few": mixed_questions(4), "more": mixed_questions(6), "many": mixed_questions(9)}, 0.3, "boundary", questions=q)
        yield case(f"{q}, every question of both benchmarks is won", {"few": few, "many": many}, {"few": none, "many": states(*[(0, 4)] * 40)}, 0.1, "boundary", questions=q)
        yield case(f"{q}, every question of both benchmarks is lost", {"few": none, "many": states(*[(0, 4)] * 40)}, {"few": few, "many": many}, 0.1, "boundary", questions=q)
        good, bad = ({"matrix": [[x]] * 5} for x in (2, 0))
        yield case(f"{q}, a loss in one benchmark and wins in the other nearly cancel", {"A": {"matrix": [[0]] * 20}, "B": good}, {"A": {"matrix": [[2]] * 20}, "B": {"matrix": [[1]] * 5}}, 0.4, "boundary", questions=q, w=[0.0, 0.1, 1.0])
        yield case(f"{q}, a win in one benchmark and losses in the other nearly cancel", {"A": {"matrix": [[2]] * 20}, "B": bad}, {"A": {"matrix": [[0]] * 20}, "B": {"matrix": [[2]] * 5}}, 0.1, "boundary", questions=q, w=[0.0, 0.1, 1.0], weights={"A": 0.45, "B": 0.55})
    yield case("a small benchmark beside clusters", {"few": few, "many": many}, {"few": none, "many": many}, 0.001, "boundary", "clusters", questions="sampled", clusters={"many": [0] * 10 + [1] * 10 + list(range(2, 22))})
    calm = {"matrix": [[2]] * 6}, {"matrix": [[1]] * 6}
    for won, q, confidence, w in ((6, "sampled", 0.9, 0.4), (7, "sampled", 0.95, 0.34), (8, "sampled", 0.99, 0.4), (9, "sampled", 0.999, 0.4), (7, "fixed", 0.95, 0.34), (3, "sampled", 0.95, 0.5)):
        varies = {"matrix": [[1]] * won + [[0]] * (17 - won)}, {"matrix": [[0]] * won + [[2]] * (17 - won)}
        new, base = ({"calm": x, "varies": y} for x, y in zip(calm, varies))
        more = {"questions": q, "w": [0.0, 0.5, 1.0], "weights": {"calm": w, "varies": 1 - w}, "confidence": confidence}
        for delta in (0.05, 0.3):
            yield case(f"{q}, one benchmark of two varies: {won} wins, {confidence}", new, base, delta, "boundary", **more)
            yield case(f"{q}, one benchmark of two varies: {won} losses, {confidence}", base, new, delta, "boundary", **more)
    one_lost, all_won = states(*[(2, 2)] * 8, (0, 2)), states(*[(2, 2)] * 9)
    new, base = ({"calm": states(*[(2, 2)] * 5), "varies": x, "other": y} for x, y in ((one_lost, all_won), (all_won, mixed_questions(9))))
    for q in BOTH:
        yield case(f"{q}, two benchmarks of three vary", new, base, 0.2, "boundary", questions=q)
        yield case(f"{q}, two benchmarks of three vary, the models in the other order", base, new, 0.2, "boundary", questions=q)
    yield case("one benchmark of two varies, in clusters", {"calm": calm[0], "varies": {"matrix": [[1]] * 8 + [[0]] * 10}}, {"calm": calm[1], "varies": {"matrix": [[0]] * 8 + [[2]] * 10}}, 0.3, "boundary", "clusters", questions="sampled", w=[0.0, 0.5, 1.0], clusters={"varies": [i // 2 for i in range(18)]})
    whole, little = states(*[(0, 16)] * 2, *[(16, 16)] * 28), states(*[(14, 16)] * 30)
    for q in BOTH:
        yield case(f"{q}, some questions of one benchmark fail in every trial", {"x": little, "y": EASY}, {"x": whole, "y": EASY}, 0.01, "boundary", questions=q)
