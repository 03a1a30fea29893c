# Tests that need Julia alone: `julia --project=julia julia/test/runtests.jl [part ...]`, or Pkg.test(). A part is the
# name of a function in the list at the end; run means those of Layers and Twins.

const LOAD_SECONDS = @elapsed using Scorio
using Scorio: JSON

using Markdown: Bold, Italic, Markdown
using Test: @inferred, detect_ambiguities, detect_unbound_args

module Checks

const PASSED, FAILED = Ref(0), Ref(0)

"Count a check; print what failed, for the first forty failures."
function check(good, what)
    good === true ? (PASSED[] += 1) : (FAILED[] += 1)
    good === true || FAILED[] > 40 || println("FAILED: ", first(string(what), 400))
end

end

include("spec.jl")
include("twins.jl")
include("layers.jl")

using .Checks: check

"Whether a text has parts that versions of Julia print differently: parameters of a type, the size of an array."
names_type(text) = occursin(r"\w\{|\b\d+-element\b|^\d+×\d+"m, text)

argmax_by(f, items) = items[last(findmax(map(f, items)))]

"The code of the InvalidInput that a call throws, \"none\" if it returns; any other exception is rethrown."
refusal_code(f) =
    try
        f()
        "none"
    catch e
        e isa InvalidInput ? e.code : rethrow()
    end

"The (code, argument) of the InvalidInput that a call throws; any other exception itself; nothing if it returns."
function thrown(f)
    try
        f()
    catch e
        return e isa InvalidInput ? (e.code, e.argument) : e
    end
    return nothing
end

include("against_spec.jl")
include("interface.jl")
include("outcomes.jl")
include("rooms.jl")
include("compiled.jl")

println("Julia ", VERSION, ", ", Threads.nthreads(), " threads; loading took ", round(LOAD_SECONDS, digits = 3), " s")
for part in (
    Layers.run, metrics, vectors, invalid, surface, required, aligned, symbols, by_name, tables, examples, emphasis, printing,
    objects, averages, results, suggestions, many, rubrics, receipts, runs, monitors, convergence, bridge, allocations, inference, bits, states,
    source, statements, Twins.run,
)
    isempty(ARGS) || string(nameof(part)) in ARGS || continue
    seconds = @elapsed part()
    println(rpad(string(parentmodule(part), ".", nameof(part)), 20), round(seconds, digits = 1), " s")
end
println(Checks.PASSED[], " passed, ", Checks.FAILED[], " failed")
Checks.FAILED[] == 0 || exit(1)
