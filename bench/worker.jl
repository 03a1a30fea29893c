# Times calls of Scorio.jl for bench/table.py: requests and answers as in bench/worker.py, but without "read",
# "numpy.sum" and "memory".

using Mmap, Scorio
using Scorio: JSON


const P = 2147483647
const BLOCK = 1 << 16
const TYPES = Dict("int8" => Int8, "uint8" => UInt8, "int64" => Int64, "bool" => Bool)

"Entry of the matrix of bench/recipe.py; i and j start at 1."
function entry(i, j, M, C)
    h = mod(mod(i * 48271 + j * 16807 + 69621 + i * j * 39373, P) * 48271, P)
    hit = mod(h, 10007) * (M + 1) < 10007 * i
    return !hit ? 0 : C == 1 ? 1 : mod(h ÷ 10007, C + 1)
end

"Matrix of bench/recipe.py, stored by rows (order C: a transposed matrix) or by columns (F)."
function recipe(M, N, C, dtype, order)
    T, top = TYPES[dtype], min(M, BLOCK)
    R = order == "C" ? transpose(Matrix{T}(undef, N, M)) : Matrix{T}(undef, M, N)
    for j in 1:N, i in 1:top
        R[i, j] = entry(i, j, top, C)
    end
    for start in top:BLOCK:M-1
        rows = start+1:min(start + BLOCK, M)
        R[rows, :] = R[1:length(rows), :]
    end
    return R
end

"Memory map of a matrix of bytes, stored by rows in a file."
memory_map(path, (M, N)) = transpose(Mmap.mmap(path, Matrix{Int8}, (N, M)))

const CACHED = Ref{Any}("" => nothing)  # the last matrix, by its request

function outcomes(x)
    key = repr(x isa AbstractDict ? collect(x) : x)
    if CACHED[].first != key
        CACHED[] = "" => nothing
        CACHED[] = key => x isa AbstractDict ? memory_map(x["file"], x["shape"]) : recipe(x...)
    end
    return CACHED[].second
end

"Compute all metrics of eval that need only counts, from one reading of R."
function everything(R, k)
    counts = tally(R, 1)
    for f in METRICS
        f(counts, k)
    end
    for f in (bayes, bayes_ci, avg, avg_ci, flip_rate, flip_rate_ci)
        f(counts)
    end
    w = fill(1 / k, k)
    mean_ci(counts; questions = "fixed")
    foreach(f -> f(counts, k, 0.5), (g_pass_at_k_tau, g_pass_at_k_tau_ci))
    foreach(f -> f(counts, k, w), (threshold_spectrum_at_k, threshold_spectrum_at_k_ci))
    foreach(f -> f(counts, k; weights = w), (geo_spectrum_at_k, geo_spectrum_at_k_ci))
end

const METRICS = [
    getfield(Scorio, Symbol(name, tail)) for tail in ("", "_ci") for name in (
        "pass_at_k", "pass_hat_k", "unanimous_at_k", "g_pass_at_k", "mg_pass_at_k", "maj_at_k", "auc_at_k", "max_at_k",
        "geom_at_k", "geom_ds_at_k", "geo_spectrum_star_at_k",
    )
]

"Bootstrap the convergence of as many models as R has blocks of 30 questions."
function bootstrap(R, metric; options...)
    L = size(R, 1) ÷ 30
    return bootstrap_convergence([R[30*(l-1)+m, t] for l in 1:L, m in 1:30, t in axes(R, 2)], metric; options...)
end

doubles(x) = x isa AbstractVector && !isempty(x) && all(y -> y isa Real, x) ? Float64.(x) : x

function answer(request)
    R, name = outcomes(request["R"]), Symbol(request["do"])
    f = isdefined(@__MODULE__, name) ? getfield(@__MODULE__, name) : getfield(Scorio, name)
    args = map(doubles, get(request, "args", []))
    kw = Dict(Symbol(p) => doubles(x) for (p, x) in get(request, "kw", Dict()))
    loops, run = get(request, "loops", 1), () -> f(R, args...; kw...)
    return (@elapsed for _ in 1:loops
        run()
    end) / loops
end

for line in eachline(stdin)
    reply = try
        "\"seconds\": $(answer(JSON.parse(line)))"
    catch e
        "\"error\": \"$(replace(sprint(showerror, e), r"[\"\\\n]" => " "))\""
    end
    println("{", reply, "}")
    flush(stdout)
end
