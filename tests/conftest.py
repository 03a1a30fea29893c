"""Shared set-up: the tests' folder on the path, Hypothesis profiles, --long, what the bridges to Julia did."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# What takes more than about a second, or is there for a rare fault: whole files, or these tests of a file, with their
# parameters or without. New tests may also be marked where they stand (@pytest.mark.slow). tests/run --fast leaves
# them out.
SLOW: dict[str, tuple[str, ...]] = {
    "test_differential.py": (), "test_docs.py": (), "test_frames.py": (), "test_fuzz.py": (), "test_juliacall.py": (),
    "test_core.py": (), "test_decisions.py": (), "test_tiers.py": (), "test_twins.py": (),
    "test_battles.py": ("test_twin",),
    "test_cli.py": (
        "test_a_closed_pipe_is_quiet", "test_a_full_disk_is_an_error_of_the_output",
        "test_a_terminal_that_cannot_show_a_name", "test_an_error_in_a_process_has_no_traceback",
        "test_piped_output_is_plain_even_if_colour_is_forced", "test_streams_that_are_closed",
    ),
    "test_commands.py": (
        "test_clusters_are_the_sampling_units_of_sampled_questions", "test_plot_writes_a_picture",
        "test_plots_of_one_model_of_two_and_of_benchmarks", "test_compare_is_sinf_compare",
        "test_pages_are_80_wide_and_plain",
        "test_report_writes_the_page",
    ),
    "test_conformance.py": tuple(
        f"test_vectors[{name}]" for name in (
            "auc_at_k_ci", "beta_rates", "boundaries", "compare_all", "extrapolate_model", "geo_spectrum_star_at_k_ci",
            "influence", "interval", "unhash_ranking",
        )
    ),
    "test_agreement.py": ("test_bench",),
    "test_changes.py": ("test_bench",),
    "test_costs.py": ("test_bench",),
    "test_formats.py": ("test_anything_anywhere", "test_bytes_that_are_changed", "test_truncated"),
    "test_gate_number.py": ("test_error_rates",),
    "test_intervals.py": (
        "test_extrapolation", "test_mu_is_the_metric", "test_order_and_shards_do_not_matter", "test_twin",
        "test_twin_of_pairs",
    ),
    "test_items.py": ("test_covariance_and_dead", "test_order_does_not_matter"),
    "test_looks.py": ("test_bounds_of_the_bench_can_fail", "test_error_rates"),
    "test_models.py": (
        "test_blocks_and_threads_do_not_matter", "test_bootstrap", "test_interrupt_keeps_what_is_finished",
        "test_simulated_laws", "test_trajectories",
    ),
    "test_plot.py": ("test_sizes",),
    "test_report.py": ("test_many_models_and_many_questions", "test_the_curves_are_measured_and_then_modelled"),
    "test_readme.py": ("test_blocks", "test_the_block_of_julia"),
    "test_rubric.py": (
        "test_categories_one_attempt_at_a_time", "test_score_is_bayes_of_categories",
        "test_thresholds_one_attempt_at_a_time",
    ),
    "test_source.py": ("test_bits_without_jit",),
    "test_spec.py": ("test_oracle_checks_itself", "test_regenerated_equals_committed", "test_schema"),
    "test_tally.py": (
        "test_import_where_the_package_cannot_be_written", "test_large_and_threaded", "test_memory_map",
        "test_stale_kernels_are_not_used",
    ),
}  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark these slow."""
    for item in items:
        names = SLOW.get(item.path.name)
        if names is not None and (not names or item.originalname in names or item.name in names):  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.slow)


def pytest_addoption(parser: pytest.Parser) -> None:
    """A hundred thousand differential calls instead of twenty thousand."""
    parser.addoption("--long", action="store_true", help="differential tests on 100,000 random calls")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Which bridges to Julia ran, and on how much: a differential suite that did not run is seen."""
    done: Counter[str] = Counter()
    words = {}
    for report in terminalreporter.stats.get("passed", []):
        for key, x in report.user_properties:
            if key.startswith("bridge "):
                words[key] = x
            elif isinstance(x, int):
                done[key] += x
    if done["differential"]:
        terminalreporter.write_line(
            f"Python against Julia: {done['differential']} random calls ({done['answered']} with a result, "
            f"the rest refused by both) and {done['vectors']} cases of spec/: no bit differs"
        )
    for key in sorted(words):
        terminalreporter.write_line(f"{key}: {words[key]}")


@pytest.fixture
def page(monkeypatch):
    """80 columns and no wish of the machine's for colour."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
