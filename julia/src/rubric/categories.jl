# Categories of attempts under a schema.

const MISSING = -1  # in place of a category that is unknown, where such attempts are dropped

"""
    categories(signals, schema; thresholds=nothing, missing=:raise) -> Matrix{Int}

The category of every attempt under a schema: that of the first rule that is true.

- `signals`: a mapping from names to M × N matrices (`missing`, `nothing` and `NaN` are missing) or to one number for
  all attempts; at least one is a matrix.
- `schema`: a [`Schema`](@ref Scorio.Rubric.Schema), or the name of one in [`SCHEMATA`](@ref Scorio.Rubric.SCHEMATA)
  or in the paper, in any spelling: `"Conf-Wrong Penalty"`.
- `thresholds`: values of the thresholds, for example those that [`thresholds`](@ref Scorio.Rubric.thresholds)
  computes from all models. Default: computed from these signals alone.
- `missing`: treatment of an attempt for which the first rule that is not false is unknown, because a signal is missing:
  an error (`:raise`), -1 (`:drop`), or a category.

Returns 0..C, and -1 for attempts that are missing and dropped: `tally(...; missing=:drop, missing_code=-1)` counts
them. Throws `InvalidInput` for anything wrong with the arguments; missing: a signal or a threshold that the schema
needs, or (with `:raise`) a value on which a category depends; empty: the category of an attempt depends on a threshold
that has no value; category: an attempt that fits no rule. Source: tables 4 and 5 of arXiv:2510.04265;
spec/families/rubric.md decides what the tables leave open. Compare models with thresholds of their common data set:
thresholds from one model's signals alone would hide that it is more verbose than others.

# Examples
```jldoctest
julia> signals = (is_correct=[1 0 missing], repeated_pattern=[0 0 1], C=0, has_box=[1 0 1]);

julia> Tuple(Rubric.categories(signals, :format_aware))
(4, 1, 0)
```
"""
function categories(signals, schema; thresholds = nothing, missing = :raise)
    data, schema = read_signals(signals), schema_of(schema, "schema")
    values = thresholds === nothing ? nothing : read_thresholds(thresholds)[2]
    policy = Arguments.policy(missing, highest(schema))
    check_clash(keys(data.values), declared_names(schema), "schema", "schema $(schema.name)")
    check_signals(sources(schema, values === nothing), data, "signals", "schema $(schema.name)", "")
    values === nothing &&
        (values = threshold_values([data], schema.scope, needs(schema.scope, schema.nodes).thresholds))
    check_stated(schema, values)
    return assigned_categories(data, schema, values, policy, "signals", "")
end

"Refuse values of thresholds that lack one that the rules use."
function check_stated(schema, values)
    for name in needs(schema.scope, schema.nodes, false).thresholds
        haskey(values, name) ||
            refuse("missing", "thresholds", "schema ", schema.name, " needs ", name, ", which thresholds lacks")
    end
end

"The categories of all attempts, as categories() returns them; argument and model_label say in messages whose they are."
function assigned_categories(data, schema, values, policy, argument, model_label)
    known_thresholds, undefined = Named(), false
    for (k, v) in values
        haskey(schema.scope.thresholds, k) || continue
        known_thresholds[k], undefined = v, undefined || v === nothing
    end
    facts = Facts(data.values, known_thresholds, schema.scope.variables)
    out, remaining = fill(MISSING, data.size), fill(true, data.size[1] * data.size[2])
    unknown_rules = Any[]  # conditions, each with the attempts for which it was unknown
    for i in eachindex(schema.nodes)
        node = schema.nodes[i]
        x = truth(facts, node)::Truth
        undetermined = elementwise(&, remaining, unknown(x))
        any(undetermined) && push!(unknown_rules, (node, undetermined))
        assign!(vec(out), remaining, x.yes, x.no, schema.rules[i].first)
    end
    if !isempty(unknown_rules) || any(remaining)
        deferred(apply_policy!)(
            out, data, schema, facts, unknown_rules, remaining, undefined, policy, argument, model_label,
        )
    end
    return out
end

"""
Apply the policy to attempts whose first rule that is not false is unknown. Refuses attempts that fit no rule or depend
on an undefined threshold.
"""
function apply_policy!(out, data, schema, facts, unknown_rules, remaining, undefined, policy, argument, model_label)
    function location(mask)
        question, trial = first_attempt(data, mask)
        return string("schema ", schema.name, model_label, ": question ", question, ", trial ", trial)
    end
    if undefined
        for (node, undetermined) in unknown_rules
            bad = elementwise(&, undetermined, blames_threshold(facts, node))
            any(bad) || continue
            name = first_unknown_name(facts_at(facts, data, bad), node)
            refuse(
                "empty", "thresholds", location(bad), " is compared with ", name, " of thresholds, which has no value",
            )
        end
    end
    blamed = argument == "signals" ? "schema" : "schemata"
    any(remaining) && refuse("category", blamed, location(remaining), " fits no rule of ", blamed)
    if !isempty(unknown_rules) && policy == :raise
        node, undetermined = argmin_by(x -> first_attempt(data, x[2]), unknown_rules)
        name = first_unknown_name(facts_at(facts, data, undetermined), node)
        refuse(
            "missing", argument, location(undetermined), " of ", argument, ": ", name,
            " is missing: missing=:drop leaves it out, missing=0 counts it as category 0",
        )
    end
    policy isa Symbol || foreach(x -> vec(out)[x[2]] .= policy, unknown_rules)
end

"Assign a category to remaining attempts where a condition is true; those where it is false remain."
function assign!(out::Vector{Int}, remaining::Vector{Bool}, yes::Vector{Bool}, no::Vector{Bool}, category::Int)
    step = length(yes) > 1
    for i in eachindex(remaining)
        j = 1 + step * (i - 1)
        out[i] = ifelse(remaining[i] & yes[j], category, out[i])
        remaining[i] &= no[j]
    end
end

"The question and the trial of the first attempt of a mask, in the order of questions, then of trials."
first_attempt(data, mask) = minimum(Tuple(i) for i in findall(reshape(mask, data.size)))

"The item for which f is smallest, the first of equal ones."
argmin_by(f, items) = items[last(findmin(map(f, items)))]

"The facts of the first attempt of a mask: its signals, with the same thresholds and variables."
function facts_at(facts, data, mask)
    i = LinearIndices(data.size)[first_attempt(data, mask)...]
    signals = Named(name => length(x) > 1 ? [x[i]] : x for (name, x) in data.values)
    return Facts(signals, facts.thresholds, facts.variables)
end
