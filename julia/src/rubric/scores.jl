# Categories of attempts under a schema, and Bayes@N of many models under many schemata.

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

"""
    score(models, schemata=nothing; thresholds=nothing, missing=:raise)
        -> (models, schemata, mu, sigma, ranks, left_out, thresholds)

Bayes@N and rank of every model under every schema.

- `models`: names with signals as [`categories`](@ref Scorio.Rubric.categories) takes them, for the same M questions: a
  named tuple or a vector of pairs, whose order is that of the rows, or a `Dict`, sorted by name.
- `schemata`: a vector of schemata or their names, as in `categories`. Default: every standard schema whose signals all
  models have.
- `thresholds`: values of the thresholds. Default: computed from all these models together.
- `missing`: as for `categories`; dropped attempts do not count as trials.

`models`, `schemata`: names of the models and schemata, the L rows and S columns of the arrays. `mu`, `sigma`:
[`bayes`](@ref) of the categories with the scores w of the schema. `ranks`: competition ranks by `mu`, 1 the best;
models with equal `mu` share the best of their ranks. `left_out`: standard schemata that could not be computed, each
with the first of its signals that a model lacks. `thresholds`: the values of the thresholds, as given or
computed.

Throws `InvalidInput` where `categories` does; empty: no schema can be computed; no_trials: a question with all its
attempts dropped. Source: section 3.4, figure 7 and appendix D of arXiv:2510.04265. The scores w of the standard
schemata were chosen for this package, since the paper gives them for one only; ranks by `mu` ignore `sigma`.

# Examples
```jldoctest
julia> terse = (is_correct=[1 0; 1 0], has_box=[0 0; 0 1], C=0, repeated_pattern=0);

julia> tidy = (is_correct=[1 0; 0 0], has_box=[1 1; 1 1], C=0, repeated_pattern=0);

julia> r = Rubric.score(["terse" => terse, "tidy" => tidy]);

julia> Tuple(r.schemata)
("exact_match", "format_aware", "strict_compliance", "length_robust")

julia> Tuple(r.ranks[1, :]), Tuple(r.ranks[2, :]), r.left_out.verifier_only
((1, 2, 2, 1), (2, 1, 1, 2), "A")
```
"""
@by_name score(models, schemata = nothing; thresholds = nothing, missing = :raise) =
    compute_scores(models, schemata, thresholds, missing)

function compute_scores(models, schemata, thresholds, missing)
    names, data = read_models(models, "models")
    candidates = schemata === nothing ? standard_schemata() : deferred(chosen_schemata)(schemata)::Vector{Schema}
    order, values = thresholds === nothing ? (String[], nothing) : deferred(read_thresholds)(thresholds)
    chosen, schema_names, names_left_out, lacked = Schema[], String[], String[], Named()
    for s in candidates
        signal = first_lacking(data, sources(s, values === nothing))
        if signal !== nothing
            push!(names_left_out, s.name)
            lacked[s.name] = signal
            schemata === nothing && continue
        end
        push!(chosen, s)
        push!(schema_names, s.name)
    end
    left_out = as_named(names_left_out, lacked)
    isempty(chosen) && refuse("empty", "models", "models lack signals for every schema: ", shown(left_out))
    for s in chosen
        check_schema(s, data, values)
        Arguments.policy(missing, highest(s))
        haskey(lacked, s.name) && refuse_lacking(s.name, lacked[s.name], names, data)
    end
    values === nothing && ((order, values) = all_threshold_values(chosen, data))
    mu, sigma = zeros(length(data), length(chosen)), zeros(length(data), length(chosen))
    ranks = zeros(Int, length(data), length(chosen))
    for l in eachindex(data), i in eachindex(chosen)  # model by model, as in Python: of two faults, both name the same
        mu[l, i], sigma[l, i] = model_score(data[l], chosen[i], values, missing, names[l])
    end
    for i in eachindex(chosen)
        ranks_of_schema = by_score(mu[:, i], 0.0).competition
        for l in eachindex(data)
            ranks[l, i] = ranks_of_schema[l]
        end
    end
    return Result{:Scores}((
        models = names, schemata = schema_names, mu = mu, sigma = sigma, ranks = ranks, left_out = left_out,
        thresholds = as_named(order, values),
    ))
end

"Check the requested schemata: no duplicate names, no threshold that is declared in two ways."
function chosen_schemata(schemata)
    islist(schemata) ||
        refuse("type", "schemata", "schemata must be a vector of schemata and keys, not ", shown(schemata))
    isempty(schemata) && refuse("empty", "schemata", "schemata is empty")
    chosen, declarations = Schema[schema_of(x, "schemata") for x in schemata], Dict{String,Any}()
    for (i, s) in enumerate(chosen)
        any(x -> x.name == s.name, chosen[1:i-1]) &&
            refuse("duplicate", "schemata", "two entries of schemata have the name ", shown(s.name))
        for (name, declared) in s.thresholds
            declaration = declared, declared[3] === nothing ? nothing : Dict(s.variables)
            get!(declarations, name, declaration) == declaration ||
                refuse("conflict", "schemata", "two entries of schemata declare the threshold ", name, " differently")
        end
    end
    return chosen
end

"Refuse models that lack a signal of a schema that was asked for."
function refuse_lacking(schema, signal, names, data)
    name = names[findfirst(s -> !haskey(s.values, signal), data)]
    refuse(
        "missing", "models", "schema ", schema, " needs the signal ", signal, ", which models[", shown(name),
        "] lacks; give one number if it is the same in every attempt",
    )
end

"Check that no signal has the name of a variable or threshold, and that stated thresholds include all that are used."
function check_schema(schema, data, values)
    for s in data
        check_clash(keys(s.values), declared_names(schema), "schemata", "$(schema.name) of schemata")
    end
    values === nothing || check_stated(schema, values)
end

"Names and values of the standard thresholds whose signals all models have, then of those that the schemata declare."
function all_threshold_values(chosen, data)
    order = computable_thresholds(data)
    values = threshold_values(data, standard_scope(), order)
    for s in chosen
        isempty(s.thresholds) && continue
        names = first.(s.thresholds)
        merge!(values, threshold_values(data, s.scope, names))
        append!(order, setdiff(names, order))
    end
    return order, values
end

"Bayes@N of one model under one schema."
function model_score(data, schema, values, missing, name)
    C = highest(schema)
    policy, model_label = Arguments.policy(missing, C), string(", model ", shown(name))
    labels = assigned_categories(data, schema, values, policy, "models", model_label)::Matrix{Int}
    counts = MISSING in labels ? tally(labels, C; missing = :drop, missing_code = MISSING) : tally(labels, C)
    counts.min_trials > 0 || refuse(
        "no_trials", "models", "schema ", schema.name, ", model ", shown(name), " of models: question ",
        findfirst(iszero, counts.trials), " has no trial left",
    )
    return Scorio.bayes(counts, schema.w)
end
