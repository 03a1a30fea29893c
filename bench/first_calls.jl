# Waiting times of a user of Scorio.jl: compiling the package, `using`, and the first call of each function in a process
# of its own. Seconds of processor time; measure on an idle machine: on a busy one they are half as much again.
#
#     julia --project=julia bench/first_calls.jl [WORD ...]      calls that contain one of these; default: all
#     julia --project=julia bench/first_calls.jl --trace FILE [WORD ...]    also writes to FILE, each once, the
#         precompile statements of these calls that mention Scorio
#
# Calls that take longer than a second are marked; the last line gives their number.

const STARTED = ccall(:clock, Clong, ())
using Scorio
const LOADED = ccall(:clock, Clong, ())

const LIMIT = 1.0

# X: outcomes of 4 models, 30 questions, 12 trials; G: outcomes of 3 categories; SIGNALS: rubric signals of two models.
const X = Int[(7 * i * i + 13 * j * j + 5 * i * j + i * j * l + l * l) % 11 < 3 + i for i in 1:4, j in 1:30, l in 1:12]
const A, B = X[1, :, :], X[2, :, :]
const G = X[1, :, :] + X[3, :, :]
const W = [0.0, 0.5, 1.0]
const SIGNALS = [
    name => [
        "is_correct" => x, "has_box" => 1, "repeated_pattern" => 0, "C" => 0,
        "completion_bpt" => Float64.(x) .+ 0.5,
    ] for (name, x) in ("a" => A, "b" => B)
]

const BATTLES = [fill(("a", "b", "model_a"), 7); [("a", "b", "tie")]; fill(("b", "a", "model_a"), 2)]
const LABELS = [(i + 2 * j) % 3 == 0 ? missing : A[i, j] for i in 1:30, j in 1:12]  # labels of the verdicts A

const CALLS = """
tally(A)
Answers(["4" "4" "5" "6"; "9" "3" "9" "8"], ["4", "9"])
ScoredTrials(float.(A .+ B), A)
graded_answers([["a", "b", "a"]], [[1, 0, 1]])
plurality_at_k(Answers(["4" "4" "5" "6"; "9" "3" "9" "8"], ["4", "9"]), 3)
best_of_k(ScoredTrials(float.(A .+ B), A), 2)
Counts([2, 3], [4, 4])
pass_at_k(A, 8)
pass_at_k_ci(A, 8)
pass_hat_k(A, 8)
pass_hat_k_ci(A, 8)
unanimous_at_k(A, 8)
unanimous_at_k_ci(A, 8)
g_pass_at_k(A, 8)
g_pass_at_k_ci(A, 8)
g_pass_at_k_tau(A, 8, 0.5)
g_pass_at_k_tau_ci(A, 8, 0.5)
mg_pass_at_k(A, 8)
mg_pass_at_k_ci(A, 8)
maj_at_k(A, 8)
maj_at_k_ci(A, 8)
auc_at_k(A, 8)
auc_at_k_ci(A, 8)
flip_rate(A)
flip_rate_ci(A)
max_at_k(G, 4, W)
max_at_k_ci(G, 4, W)
threshold_spectrum_at_k(A, 2, [0.5, 0.5])
threshold_spectrum_at_k_ci(A, 2, [0.5, 0.5])
geom_at_k(A, 4)
geom_at_k_ci(A, 4)
geom_ds_at_k(A, 4)
geom_ds_at_k_ci(A, 4)
geo_spectrum_at_k(A, 4)
geo_spectrum_at_k_ci(A, 4)
geo_spectrum_star_at_k(A, 4)
geo_spectrum_star_at_k_ci(A, 4)
avg(A)
avg_ci(G, W)
bayes(A)
bayes(G, W)
bayes_ci(A)
mean_ci(A; questions=:fixed)
mean_ci(G, W; questions=:sampled)
interval(A, "pass@k", 4; questions=:fixed)
interval(A, "pass@k", 8; questions=:fixed)
interval(A, "auc@k", 4; questions=:sampled)
interval(G, "max@k", 4, nothing, W; questions=:fixed)
extrapolate(A, "pass@k", 100)
extrapolate_model(A, "pass@k", 100)
judged(A, LABELS; questions=:fixed)
label_check(A, LABELS)
agreement(A)
cohen_kappa(A[:, 1:2])
compare(A, B; questions=:fixed)
compare(A, B; questions=:sampled)
compare(A, B, "pass@k", 4; questions=:fixed)
certificate(A, B)
compare_all(X; questions=:fixed)
gate(A, B; margin=0.05, questions=:fixed)
suite((easy=(a=A, b=B), hard=(a=B, b=A)); questions=:fixed)
gate_suite((easy=A, hard=B), (easy=B, hard=B); margin=0.1, questions=:fixed)
compare_judged(A, B, LABELS, LABELS; questions=:fixed)
labels_needed([700, 300], [0.95, 0.3]; half_width=0.05)
prob_above(A, 0.5; questions=:fixed)
trials_needed(A, B)
questions_needed(A, B)
trials_needed(A; half_width=0.01)
boundaries([0.25, 0.5, 0.75, 1.0])
e_value(2.0, 0.5)
pair_e_value(9, 1)
look!(Monitor(planned=16, questions=:fixed), A, B)
ranking_confidence(0.62, 0.01, 0.6, 0.008)
ci_from_mu_sigma(0.6, 0.02)
run_variation(A)
interval(A; questions=:fixed, runs=:sampled)
compare(A, B; questions=:fixed, runs=:sampled)
mean_of_runs([0.6, 0.62, 0.58])
compare_runs([0.6, 0.62, 0.58], [0.5, 0.55])
gate_builds([A, B], A; margin=0.5)
alarms([A, B, A])
steps([A, B, A])
noise_floor([A, B])
should_stop(0.02; max_ci_width=0.1)
should_stop_top1([0.6, 0.5], [0.01, 0.02])
suggest_next_allocation([0.6, 0.5], [0.01, 0.02])
Rank.bayes(X)
Rank.avg(X)
Rank.pass_at_k(X, 8)
Rank.pass_hat_k(X, 8)
Rank.unanimous_at_k(X, 8)
Rank.g_pass_at_k(X, 8)
Rank.g_pass_at_k_tau(X, 8, 0.5)
Rank.mg_pass_at_k(X, 8)
Rank.maj_at_k(X, 8)
Rank.auc_at_k(X, 8)
Rank.flip_rate(X)
Rank.max_at_k(X, 8)
Rank.threshold_spectrum_at_k(X, 2, [0.5, 0.5])
Rank.geom_at_k(X, 4)
Rank.geom_ds_at_k(X, 4)
Rank.geo_spectrum_at_k(X, 4)
Rank.geo_spectrum_star_at_k(X, 4)
Rank.ranges(X; questions=:fixed)
Rank.winners(X; questions=:fixed)
Rank.bradley_terry(BATTLES)
Rank.win_probability(BATTLES, "a", "b")
Rank.next_pair(BATTLES)
Rank.battles_needed(BATTLES, "a", "b")
Rank.influence(BATTLES)
Rank.score_test(BATTLES, "a", "b")
Items.items(X)
Items.changes(A, B)
Items.reliability(X)
Items.design(X; se=0.05, cost_question=10)
Items.cost_per_solved(A, A .+ 1.5; questions=:fixed)
elo(X)
competition_ranks_from_scores([0.5, 0.7, 0.5])
rank_scores([0.5, 0.7, 0.5])
compare_rankings([1, 2, 3], [1, 3, 2])
lehmer_hash([2, 1, 3])
lehmer_unhash(2, 3)
ranking_hash([1, 2, 2])
unhash_ranking(2, 3)
rank_trajectory(X)
convergence_at_n(X)
bootstrap_convergence(X; replicates=1000)
bootstrap_convergence(X, "pass@k"; k=4, replicates=1000)
tau_curve(X; replicates=1000)
Simulate.random_indices(1, 10, 5)
Simulate.coins([0.5, 0.7], 10)
Simulate.beta_rates([2.0, 3.0], [2.0, 1.0])
Simulate.updates([2.0, 3.0], [2.0, 3.0])
Rubric.percentile([0.5, 0.7, 0.2], 50)
Rubric.thresholds(SIGNALS[1][2])
Rubric.categories(SIGNALS[1][2], :format_aware)
Rubric.Schema("mine", [1 => "correct", 0 => "otherwise"], [0, 1])
Rubric.score(SIGNALS)
"""

"Print the seconds of loading Scorio and of one call, in this process."
function timed(call)
    code = Meta.parse(call)
    start = ccall(:clock, Clong, ())
    Core.eval(Main, code)
    stop = ccall(:clock, Clong, ())
    println((LOADED - STARTED) / 1e6, " ", (stop - start) / 1e6)
end

const FILE = @__FILE__
const JULIA = `$(Base.julia_cmd()) --startup-file=no --project=$(dirname(Base.active_project()))`

"Processor seconds of the finished children of this process, and of their children."
function children_seconds()
    times = zeros(Clong, 4)  # times(): own user and system, children's user and system, in ticks
    ccall(:times, Clong, (Ptr{Clong},), times)
    return (times[3] + times[4]) / ccall(:sysconf, Clong, (Cint,), 2)  # 2: _SC_CLK_TCK of Linux, ticks per second
end

"Processor seconds of compiling the package: of a `using` after a change, less those of one without."
function compilation_seconds()
    touch(joinpath(dirname(pathof(Scorio)), "Scorio.jl"))
    before = children_seconds()
    run(`$JULIA -e "using Scorio"`)
    seconds = children_seconds() - before
    run(`$JULIA -e "using Scorio"`)
    return seconds - (children_seconds() - before - seconds)
end

"Print the seconds of every chosen call; trace: file for precompile statements of what they compile, or nothing."
function report(words, trace)
    println("compilation of the package: ", round(compilation_seconds(), digits = 1), " s")
    loads, slow, statements = Float64[], 0, Set{String}()
    for call in split(CALLS, '\n', keepempty = false)
        isempty(words) || any(w -> occursin(w, call), words) || continue
        file = trace === nothing ? "" : tempname()
        child = trace === nothing ? JULIA : `$JULIA --trace-compile=$file`
        load, first = parse.(Float64, split(read(`$child $FILE --call $call`, String)))
        push!(loads, load)
        slow += first > LIMIT
        println(rpad(call, 62), lpad(round(first, digits = 2), 5), first > LIMIT ? " *" : "")
        trace === nothing || union!(statements, filter(l -> occursin("Scorio", l), readlines(file)))
    end
    println("load: ", round(sort(loads)[cld(end, 2)], digits = 2), " s")
    println(slow, " of ", length(loads), " calls above a second")
    trace === nothing || write(trace, join(sort!(collect(statements)), "\n"), "\n")
end

if length(ARGS) == 2 && ARGS[1] == "--call"
    timed(ARGS[2])
elseif !isempty(ARGS) && ARGS[1] == "--trace"
    report(ARGS[3:end], ARGS[2])
else
    report(ARGS, nothing)
end
