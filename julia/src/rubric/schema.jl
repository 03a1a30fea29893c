# Schemata: the signals and the twelve schemata of the paper (tables 4 and 5 of arXiv:2510.04265), and your own.

# --- tables 4 and 5 as data; a test compares them with spec/rubric.json -----------------------------

const STANDARD_SIGNALS = [  # the range of each signal
    "has_box" => (0.0, 1.0),
    "is_correct" => (0.0, 1.0),
    "token_ratio" => (0.0, Inf),
    "repeated_pattern" => (0.0, 1.0),
    "prompt_bpt" => (0.0, Inf),
    "completion_bpt" => (0.0, Inf),
    "A" => (0.0, 1.0),
    "B" => (0.0, 1.0),
    "C" => (0.0, 1.0),
]
const BINARY = ["repeated_pattern"]  # signals that must be 0 or 1

# which percentile of which signal, among all attempts (nothing) or those for which a condition is true
const STANDARD_THRESHOLDS = [
    "tau_high" => (40, "completion_bpt", nothing),
    "tau_low_wrong" => (60, "completion_bpt", "wrong"),
    "tau_prompt" => (90, "prompt_bpt", nothing),
    "len_p33" => (33, "token_ratio", nothing),
    "len_p66" => (66, "token_ratio", nothing),
    "corr_p33" => (33, "completion_bpt", "correct"),
    "corr_p66" => (66, "completion_bpt", "correct"),
]

# names for conditions; ood and ind: the prompt is out of the distribution, or in it
const STANDARD_VARIABLES = [
    "invalid" => "repeated_pattern == 1 or C >= 0.5",
    "correct" => "is_correct >= 0.5",
    "wrong" => "is_correct < 0.5",
    "high_conf" => "completion_bpt <= tau_high",
    "low_conf" => "completion_bpt > tau_high",
    "wrong_high_conf" => "wrong and completion_bpt <= tau_low_wrong",
    "ood" => "prompt_bpt >= tau_prompt",
    "ind" => "prompt_bpt < tau_prompt",
    "economical" => "token_ratio <= len_p33",
    "moderate" => "token_ratio > len_p33 and token_ratio <= len_p66",
    "verbose" => "token_ratio > len_p66",
    "boxed" => "has_box >= 0.5",
    "unboxed" => "has_box < 0.5",
    "A_high" => "A >= 0.6",
]

const CORRECTNESS = [0 => "invalid", 1 => "wrong", 2 => "correct"]
const STANDARD_SCHEMATA = [  # label, rules in the order tried, scores w
    "exact_match" => ("Exact Match", CORRECTNESS, [0.0, 0.0, 1.0]),
    "format_aware" => (
        "Format Aware",
        [
            0 => "invalid",
            1 => "wrong and unboxed",
            2 => "wrong and boxed",
            3 => "correct and unboxed",
            4 => "correct and boxed",
        ],
        [0.0, 0.0, 1 / 3, 2 / 3, 1.0],
    ),
    "conf_calibrated" => (
        "Conf-Calibrated",
        [
            0 => "invalid",
            2 => "wrong_high_conf",
            1 => "wrong",
            5 => "correct and completion_bpt <= corr_p33",
            4 => "correct and completion_bpt <= corr_p66",
            3 => "correct",
        ],
        [0.0, 0.2, 0.0, 0.6, 0.8, 1.0],
    ),
    "ood_robustness" => (
        "OOD Robustness",
        [0 => "invalid", 1 => "ood and wrong", 2 => "ind and wrong", 3 => "ood and correct", 4 => "ind and correct"],
        [0.0, 0.1, 0.0, 1.0, 0.9],
    ),
    "strict_compliance" => (
        "Strict Compliance",
        [0 => "invalid", 1 => "wrong or unboxed", 2 => "correct and boxed"],
        [0.0, 0.0, 1.0],
    ),
    "conf_wrong_penalty" => (
        "Conf-Wrong Penalty",
        [0 => "invalid", 1 => "wrong_high_conf", 2 => "wrong", 3 => "correct"],
        [0.0, 0.0, 0.25, 1.0],
    ),
    "verifier_only" => (
        "Verifier-Only",
        [0 => "invalid", 3 => "A_high", 2 => "B >= C", 1 => "otherwise"],
        [0.0, 0.0, 0.1, 1.0],
    ),
    "format_confidence" => (
        "Format+Confidence",
        [
            0 => "invalid",
            1 => "wrong and unboxed",
            2 => "wrong and boxed and low_conf",
            3 => "wrong and boxed and high_conf",
            4 => "correct and unboxed and low_conf",
            5 => "correct and unboxed and high_conf",
            6 => "correct and boxed and low_conf",
            7 => "correct and boxed and high_conf",
        ],
        [0.0, 0.0, 0.1, 0.0, 0.5, 0.6, 0.8, 1.0],
    ),
    "length_robust" => ("Length-Robust", CORRECTNESS, [0.0, 0.0, 1.0]),
    "verifier_probe" => (
        "Verifier Probe",
        [0 => "invalid", 1 => "wrong and A_high", 2 => "wrong", 4 => "correct and A_high", 3 => "correct"],
        [0.0, 0.0, 0.1, 0.8, 1.0],
    ),
    "efficiency_adjusted" => (
        "Efficiency-Adjusted",
        [
            0 => "invalid",
            1 => "wrong and economical",
            2 => "wrong and moderate",
            3 => "wrong and verbose",
            4 => "correct and economical",
            5 => "correct and moderate",
            6 => "correct and verbose",
        ],
        [0.0, 0.1, 0.05, 0.0, 1.0, 0.9, 0.8],
    ),
    "concision_high_conf" => (
        "Concision-High-Conf",
        [
            0 => "invalid",
            1 => "wrong",
            2 => "correct and verbose",
            3 => "correct and moderate",
            5 => "correct and economical and high_conf",
            4 => "correct and economical",
        ],
        [0.0, 0.0, 0.6, 0.8, 0.9, 1.0],
    ),
]

# --- schemata ---------------------------------------------------------------------------------------

# limits of chains in which each variable or threshold depends on the next, since evaluation is recursive
const LONGEST_CHAIN = 50  # most names in a chain
const DEEPEST_CHAIN = 400  # largest total height of the conditions of a chain

"A percentile of a signal, over all attempts or those for which a condition is true."
struct Threshold
    p::Int
    signal::String
    among::Union{Nothing,Node}
end

"The variables and thresholds that conditions may name; any other name in a comparison is a signal."
struct Scope
    variables::Named   # conditions
    thresholds::Named  # of type Threshold
    declared::Vector{String}  # the thresholds in their order, standard ones first
end

"The signals and thresholds that conditions depend on, in the order of the text."
struct Needs
    signals::Vector{String}
    thresholds::Vector{String}
end

"The signals and thresholds that conditions name; computed: also those that these thresholds depend on."
function needs(scope, nodes, computed = true)
    needed, seen = Needs(String[], String[]), Set{String}()
    for node in nodes
        visit_needs!(needed, seen, scope, node, computed)
    end
    return needed
end

"Add to `needed` what a condition depends on; seen: the variables and thresholds that were visited."
function visit_needs!(needed, seen, scope, node, computed)
    for leaf in leaves(node), name in names_in(leaf)
        if leaf isa Compare && !haskey(scope.thresholds, name)
            name in needed.signals || push!(needed.signals, name)
        elseif !(name in seen)
            push!(seen, name)
            if leaf isa Variable
                visit_needs!(needed, seen, scope, scope.variables[name], computed)
                continue
            end
            push!(needed.thresholds, name)
            t = scope.thresholds[name]::Threshold
            computed || continue
            t.signal in needed.signals || push!(needed.signals, t.signal)
            t.among === nothing || visit_needs!(needed, seen, scope, t.among, computed)
        end
    end
end

"The signals that a threshold is computed from."
sources(scope::Scope, name) = needs(scope, Node[Compare(BELOW, name, 0.0)]).signals

# Parsed when first needed: parsing during compilation would compile the parser too, which takes longer than all else.
const STANDARD_SCOPE = Ref{Union{Nothing,Scope}}(nothing)

"The scope of the standard variables and thresholds."
function standard_scope()::Scope
    STANDARD_SCOPE[] === nothing && (STANDARD_SCOPE[] = parse_standard_scope())
    return STANDARD_SCOPE[]::Scope
end

function parse_standard_scope()
    scope = Scope(Named(), Named(), String[])
    for (name, text) in STANDARD_VARIABLES
        scope.variables[name] = parse_condition(text, "variables", name)
    end
    for (name, (p, signal, among)) in STANDARD_THRESHOLDS
        node = among === nothing ? nothing : parse_condition(among, "thresholds", name)
        scope.thresholds[name] = Threshold(p, signal, node)
        push!(scope.declared, name)
    end
    return scope
end

"Names that a caller must not declare."
reserved_names() = Set{String}([first.(STANDARD_VARIABLES); first.(STANDARD_THRESHOLDS); first.(STANDARD_SIGNALS)])

# --- declarations of the caller ----------------------------------------------------------------------

"Whether x maps names to values; it may be empty."
isnamed(x) = ismapping(x) || (x isa AbstractVector{<:Pair} && eltype(x) !== Union{})

"The names and values of a mapping; label: the name of the mapping in messages."
function entries(x, argument, label = argument)
    isnamed(x) || refuse("type", argument, label, " must be names with values, not ", shown(x))
    names, values = Models.unzipped(x)
    for name in names
        name isa Union{AbstractString,Symbol} ||
            refuse("type", argument, "the name ", shown(name), " in ", label, " is not text")
    end
    named, first_seen = Pair{String,Any}[], Named()
    for i in eachindex(values)
        push!(named, Pair{String,Any}(String(names[i]), values[i]))
    end
    for (name, _) in named
        haskey(first_seen, name) && refuse("duplicate", argument, label, "[", shown(name), "] is a duplicate")
        first_seen[name] = true
    end
    return named
end

"The standard scope with further variables and thresholds; argument: the argument that holds the thresholds."
function extended(variables, thresholds, argument = "thresholds")
    standard, own = standard_scope(), new_entries(variables, "variables", reserved_names())
    declared = new_entries(thresholds, argument, union(reserved_names(), first.(own)))
    parsed(name, text) = parse_condition(text, "variables", "variables[\"$name\"]")
    nodes = Pair{String,Node}[name => parsed(name, text) for (name, text) in own]
    own_thresholds = [name => threshold(x, argument, "$argument[\"$name\"]") for (name, x) in declared]
    scope = Scope(
        merge(standard.variables, Named(nodes)), merge(standard.thresholds, Named(own_thresholds)),
        [standard.declared; first.(own_thresholds)],
    )
    for (name, node) in nodes
        check_names(node, scope, "variables", "variables[\"$name\"]")
    end
    for (name, t) in own_thresholds
        (haskey(scope.variables, t.signal) || haskey(scope.thresholds, t.signal)) &&
            refuse("choice", argument, argument, "[\"", name, "\"]: ", t.signal, " is not a signal")
        t.among === nothing || check_names(t.among, scope, argument, "$argument[\"$name\"]")
    end
    check_cycles(scope, first.(own), first.(own_thresholds), argument)
    return scope
end

"Check a mapping from new names; returns its entries."
function new_entries(x, argument, reserved)
    items = x === nothing ? [] : entries(x, argument)
    for (name, _) in items
        isname(name) ||
            refuse("format", argument, argument, "[", shown(name), "]: no condition can use such a name")
        name in reserved &&
            refuse("duplicate", argument, argument, "[\"", name, "\"] would change what ", name, " means elsewhere")
    end
    return items
end

"Check a threshold (p, signal, among)."
function threshold(x, argument, location)
    islist(x) || refuse("type", argument, location, " must be (p, signal, among), not ", shown(x))
    length(x) == 3 || refuse("length", argument, location, " must be (p, signal, among), not ", shown(x))
    p, signal, among = x
    p isa Integer && !(p isa Bool) ||
        refuse("type", argument, location, ": the percentile ", shown(p), " is not an integer")
    0 <= p <= 100 || refuse("range", argument, location, ": the percentile ", shown(p), " is not in 0..100")
    signal isa Union{AbstractString,Symbol} ||
        refuse("type", argument, location, ": the signal ", shown(signal), " is not text")
    isname(String(signal)) || refuse("format", argument, location, ": no signal can be named ", shown(signal))
    return Threshold(p, String(signal), among === nothing ? nothing : parse_condition(among, argument, location))
end

"Check that names outside comparisons are variables and names in comparisons are not."
function check_names(node, scope, argument, location)
    for leaf in leaves(node), name in names_in(leaf)
        leaf isa Compare && haskey(scope.variables, name) &&
            refuse("choice", argument, location, ": ", name, " is a variable, which cannot be compared")
        leaf isa Compare || haskey(scope.variables, name) ||
            refuse(
                "choice", argument, location, ": ", name, " is not a variable: compare a signal or a threshold",
                nearest(name, keys(scope.variables)),
            )
    end
end

"Check that no name depends on itself, or on too long a chain of other names."
function check_cycles(scope, variables, thresholds, argument)
    # for each name: the number of names in the longest chain that begins with it, and the largest height of a chain
    chains = Dict{String,Tuple{Int,Int}}()
    function visit(name, path)
        blamed = name in variables ? "variables" : argument
        at = findfirst(==(name), path)
        if at !== nothing
            blamed = all(x -> x in variables, path[at:end]) ? "variables" : argument
            refuse("conflict", blamed, blamed, ": ", name, " depends on itself: ", join([path[at:end]; name], " -> "))
        end
        if !haskey(chains, name) && length(path) < LONGEST_CHAIN
            node = haskey(scope.variables, name) ? scope.variables[name] : scope.thresholds[name].among
            chains_below = [(0, 0)]
            node === nothing || append!(chains_below, [visit(x, [path; name]) for x in names_under(node, scope)])
            deepest = maximum(last.(chains_below)) + (node === nothing ? 1 : levels(node))
            chains[name] = (1 + maximum(first.(chains_below)), deepest)
        end
        chain, deepest = get(chains, name, (LONGEST_CHAIN + 1, 0))  # no entry: the path is too long already
        too_long = " depends on a chain of more than $LONGEST_CHAIN names or $DEEPEST_CHAIN levels"
        (chain > LONGEST_CHAIN || deepest > DEEPEST_CHAIN) && refuse("format", blamed, blamed, ": ", name, too_long)
        return chain, deepest
    end
    foreach(name -> visit(name, String[]), [variables; thresholds])
end

"The variables and thresholds that a condition names."
names_under(node, scope) = [
    name for leaf in leaves(node) for name in names_in(leaf) if
    haskey(scope.variables, name) || haskey(scope.thresholds, name)
]

# --- schemata ----------------------------------------------------------------------------------------

"""
    Schema(name, rules, w; variables=nothing, thresholds=nothing)

A schema: rules that assign categories to attempts, and the score w of each category. Checked when it is created.

Conditions compare signals, thresholds and numbers (`<= < >= > ==`), refer to variables by name, and combine these with
`and`, `or`, `not` and parentheses; `otherwise` is always true.

- `name`: the name of the schema in results.
- `rules`: `category => condition`, a vector; the first condition that is true gives the category; each of 0..C must
  occur.
- `w`: the score of each category, C+1 >= 2 numbers, at most 1e300 in size.
- `variables`: names with conditions, in addition to the standard ones.
- `thresholds`: names with `(p, signal, among)`: the p-th percentile of a signal, over all attempts (`among` nothing)
  or those for which the condition `among` is true.

Throws `InvalidInput`: format for a condition that cannot be read; choice for a name outside comparisons that is not a
variable, or a variable in a comparison; conflict for a name that depends on itself; duplicate for a name that is taken;
category and length for categories and scores that do not fit; or another code.

# Examples
```jldoctest
julia> rules, brief = [1 => "correct and brief", 0 => "otherwise"], (brief="tokens <= half",);

julia> short = Rubric.Schema("short", rules, [0, 1]; variables=brief, thresholds=(half=(50, "tokens", "correct"),))
Schema("short", categories 0..1)

julia> Tuple(Rubric.categories((is_correct=[1 1 0 1], tokens=[10 20 5 90]), short))
(1, 1, 0, 0)
```
"""
struct Schema
    name::String
    rules::Vector{Pair{Int,String}}
    w::Vector{Float64}
    variables::Vector{Pair{String,String}}
    thresholds::Vector{Pair{String,Tuple{Int,String,Union{Nothing,String}}}}
    scope::Scope
    nodes::Vector{Node}
end

function Schema(name, rules, w; variables = nothing, thresholds = nothing)
    name isa Union{AbstractString,Symbol} || refuse("type", "name", "name must be text, not ", shown(name))
    isempty(String(name)) && refuse("empty", "name", "name is empty")
    pairs, values = rules_of(rules), scores_of(w)
    check_categories(first.(pairs), length(values))
    scope = extended(variables, thresholds)
    nodes = Node[parse_condition(text, "rules", "rules[$i]") for (i, (_, text)) in enumerate(pairs)]
    for (i, node) in enumerate(nodes)
        check_names(node, scope, "rules", "rules[$i]")
    end
    own = variables === nothing ? [] : entries(variables, "variables")
    declared = thresholds === nothing ? [] : entries(thresholds, "thresholds")
    return Schema(
        String(name), [c => String(text) for (c, text) in pairs], values, [k => String(v) for (k, v) in own],
        [k => (Int(p), String(x), among === nothing ? nothing : String(among)) for (k, (p, x, among)) in declared],
        scope, nodes,
    )
end

Base.:(==)(a::Schema, b::Schema) = all(f -> getfield(a, f) == getfield(b, f), fieldnames(Schema)[1:5])
Base.hash(s::Schema, h::UInt) = hash((s.name, s.rules, s.w), h)
Base.show(io::IO, s::Schema) = print(io, "Schema(", repr(s.name), ", categories 0..", highest(s), ")")

"The highest category."
highest(s::Schema) = length(s.w) - 1

"The name of a schema in tables and figures."
label(s::Schema) = get(SCHEMATA, s.name, nothing) == s ? Dict(STANDARD_SCHEMATA)[s.name][1] : s.name

"The names that a schema declares."
function declared_names(s::Schema)
    names = String[]
    for i in eachindex(s.variables)
        push!(names, s.variables[i].first)
    end
    for i in eachindex(s.thresholds)
        push!(names, s.thresholds[i].first)
    end
    return names
end

"The signals that the rules need; computed: also those that the declared thresholds are computed from."
function sources(s::Schema, computed::Bool)
    signals = needs(s.scope, s.nodes, computed).signals
    for i in eachindex(s.thresholds), x in (computed ? sources(s.scope, s.thresholds[i].first) : String[])
        x in signals || push!(signals, x)
    end
    return signals
end

"Check rules; returns pairs category => condition."
function rules_of(x)
    islist(x) || refuse("type", "rules", "rules must be a vector of category => condition, not ", shown(x))
    isempty(x) && refuse("empty", "rules", "rules is empty")
    rules = Pair{Int,Any}[]
    for (i, rule) in enumerate(x)
        rule isa Pair || islist(rule) ||
            refuse("type", "rules", "rules[", i, "] must be category => condition, not ", shown(rule))
        length(rule) == 2 ||
            refuse("length", "rules", "rules[", i, "] must be category => condition, not ", shown(rule))
        category, text = rule
        category isa Integer && !(category isa Bool) ||
            refuse("type", "rules", "rules[", i, "]: the category ", shown(category), " is not an integer")
        push!(rules, clamp(category, -1, LARGEST_C + 2) => text)
    end
    return rules
end

"Check the scores w_0..w_C; returns them as doubles."
function scores_of(x)
    Arguments.isnumber(x) && refuse("type", "w", "w must be a vector of numbers, not ", shown(x))
    values = Arguments.vector(x, "w")
    length(values) > LARGEST_C + 1 &&
        refuse("length", "w", "w has length ", length(values), ", above ", LARGEST_C + 1)
    for (j, item) in enumerate(values)
        abs(item) > Arguments.LARGEST_SCORE &&
            refuse("range", "w", "w[", j, "] = ", item, " is beyond ", Arguments.LARGEST_SCORE)
    end
    return values
end

"Check that the rules give each of 0..C, C >= 1, and that there is a score for each."
function check_categories(assigned, size)
    low, high = minimum(assigned), maximum(assigned)
    low < 0 && refuse("category", "rules", "rules give a category below 0")
    high < 1 && refuse("category", "rules", "rules give only category 0: at least 0 and 1 are needed")
    for category in 0:high
        category in assigned || refuse("category", "rules", "rules give category ", high, ", but never ", category)
    end
    size == high + 1 || refuse("length", "w", "w has ", size, " entries for ", high + 1, " categories")
end

# --- the standard schemata by key -------------------------------------------------------------------

"An ordered dictionary of the standard schemata, which cannot be changed."
struct Catalogue <: AbstractDict{String,Schema}
    schemata::Vector{Union{Nothing,Schema}}  # nothing until it is first needed
end

Base.length(c::Catalogue) = length(c.schemata)
Base.iterate(c::Catalogue, i = 1) = i > length(c) ? nothing : (STANDARD_SCHEMATA[i][1] => schema_at(c, i), i + 1)

function Base.get(c::Catalogue, key, default)
    for i in 1:length(c)
        STANDARD_SCHEMATA[i][1] == key && return schema_at(c, i)
    end
    return default
end

"The i-th standard schema."
function schema_at(c, i)::Schema
    c.schemata[i] === nothing && (c.schemata[i] = read_schema(STANDARD_SCHEMATA[i].first, STANDARD_SCHEMATA[i].second))
    return c.schemata[i]::Schema
end

"All standard schemata."
function standard_schemata()
    all = Schema[]
    for i in 1:length(SCHEMATA)
        push!(all, schema_at(SCHEMATA, i))
    end
    return all
end

"Build a standard schema without the checks of Schema(), which a test makes for all standard schemata."
function read_schema(key, (_, rules, w))
    nodes = Node[]
    for (_, text) in rules
        push!(nodes, parse_condition(text, "rules", key))
    end
    return Schema(
        key, copy(rules), copy(w), Pair{String,String}[],
        Pair{String,Tuple{Int,String,Union{Nothing,String}}}[], standard_scope(), nodes,
    )
end

"""
    SCHEMATA

The twelve schemata of table 5 of arXiv:2510.04265 by key, in its order. Their scores w were chosen for
this package, since the paper gives them for one only.

# Examples
```jldoctest
julia> s = Rubric.SCHEMATA["conf_wrong_penalty"];

julia> s.rules[2], s.rules[3]
(1 => "wrong_high_conf", 2 => "wrong")
```
"""
const SCHEMATA = Catalogue(fill!(Vector{Union{Nothing,Schema}}(undef, length(STANDARD_SCHEMATA)), nothing))

"x itself if it is a schema, else the standard schema with this key, or with this name in the paper."
function schema_of(x, argument)
    x isa Schema && return x
    x isa Union{AbstractString,Symbol} ||
        refuse("type", argument, argument, ": ", shown(x), " is neither a Schema nor a key of SCHEMATA")
    for (i, (key, _)) in enumerate(STANDARD_SCHEMATA)
        plain(String(x)) == plain(key) && return schema_at(SCHEMATA, i)
    end
    refuse("choice", argument, argument, ": no schema ", shown(x), "; there are ", among(x, keys(SCHEMATA)))
end

"The name of a schema without capitals, spaces, hyphens, underscores and plus signs."
plain(name) = filter(c -> !(c in " -_+"), lowercase(name))
