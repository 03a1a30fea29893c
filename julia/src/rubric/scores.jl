# Bayes@N of many models under many schemata.

"""
    score(models, schemata=nothing; thresholds=nothing, missing=:raise)
        -> (models, schemata, mu, sigma, ranks, left_out, thresholds)

Bayes@N of every model under every schema, and how its rank moves with the schema.

- `models`: names with signals as [`categories`](@ref Scorio.Rubric.categories) takes them, for the same M questions: a
  named tuple or a vector of pairs, whose order is that of the rows.
- `schemata`: a vector of schemata and keys of [`SCHEMATA`](@ref Scorio.Rubric.SCHEMATA). Default: every standard schema
  whose signals all models have.
- `thresholds`: their values. Default: those of all these models together.
- `missing`: as for `categories`; dropped attempts are no trials.

`models`, `schemata`: the names of the L rows and S columns. `mu`, `sigma`: [`bayes`](@ref) of the categories with the
weights of the schema. `ranks`: competition ranks by `mu`, best = 1, equal `mu` share the best of their ranks.
`left_out`: standard schemata that could not be computed, each with the first signal that a model lacks. `thresholds`:
their values.

Throws `InvalidInput` as `categories`; empty: no schema can be computed; no_trials: a question with all its attempts
dropped. Source: section 3.4, figure 7 and appendix D of arXiv:2510.04265. The weights of the standard schemata are this
package's own, as the paper prints none; ranks of `mu` say nothing of `sigma`.

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
function score(models, schemata = nothing; thresholds = nothing, missing = :raise)
    models isa Union{Dict,IdDict} &&
        refuse("type", "models", "models is a Dict, which has no order: give pairs name => signals")
    names, data = read_models(models, "models")
    chosen = schemata === nothing ? collect(values(SCHEMATA)) : chosen_schemata(schemata)
    order, known = thresholds === nothing ? (String[], nothing) : stated(thresholds)
    left_out = [s.name => lacks(s, data, known === nothing) for s in chosen]
    filter!(p -> last(p) !== nothing, left_out)
    if schemata === nothing
        filter!(s -> !(s.name in first.(left_out)), chosen)
        isempty(chosen) && refuse("empty", "models", "models lack signals for every schema: ", shown(left_out))
    end
    for s in chosen
        check_schema(s, data, known)
        Arguments.policy(missing, highest(s))
        lacked = get(Dict(left_out), s.name, nothing)
        lacked === nothing || refuse_lacking(s.name, lacked, names, data)
    end
    known === nothing && ((order, known) = values_of(chosen, data))
    mu, sigma = zeros(length(names), length(chosen)), zeros(length(names), length(chosen))
    for (l, x) in enumerate(data), (i, s) in enumerate(chosen)
        mu[l, i], sigma[l, i] = one_score(x, s, known, missing, names[l])
    end
    ranks = zeros(Int, size(mu))
    for i in eachindex(chosen)
        ranks[:, i] = by_score(mu[:, i], 0.0).competition
    end
    return (
        models = names, schemata = [s.name for s in chosen], mu = mu, sigma = sigma, ranks = ranks,
        left_out = as_named(first.(left_out), Dict(left_out)), thresholds = as_named(order, known),
    )
end

"The schemata of a list: no name twice, no threshold declared in two ways."
function chosen_schemata(schemata)
    islist(schemata) ||
        refuse("type", "schemata", "schemata must be a vector of schemata and keys, not ", shown(schemata))
    isempty(schemata) && refuse("empty", "schemata", "schemata is empty")
    chosen, known = Schema[schema_of(x, "schemata") for x in schemata], Dict{String,Any}()
    for (i, s) in enumerate(chosen)
        any(x -> x.name == s.name, chosen[1:i-1]) &&
            refuse("duplicate", "schemata", "two of schemata have the name ", shown(s.name))
        for (name, declared) in s.thresholds
            said = declared, declared[3] === nothing ? nothing : Dict(s.variables)
            get!(known, name, said) == said ||
                refuse("conflict", "schemata", "two of schemata declare the threshold ", name, ", not alike")
        end
    end
    return chosen
end

"The first signal that some model lacks, in the order in which the schema names them."
function lacks(schema, data, computed)
    needed = sources(schema, computed)
    i = findfirst(x -> any(s -> !haskey(s.values, x), data), needed)
    return i === nothing ? nothing : needed[i]
end

function refuse_lacking(schema, signal, names, data)
    name = names[findfirst(s -> !haskey(s.values, signal), data)]
    refuse(
        "missing", "models", "schema ", schema, " needs the signal ", signal, ", which models[", shown(name),
        "] lacks; if it is the same in every attempt, a number states it",
    )
end

"No signal is taken for another thing, and every threshold is known."
function check_schema(schema, data, known)
    for s in data
        check_clash(keys(s.values), own(schema), "schemata", "$(schema.name) of schemata")
    end
    known === nothing || check_stated(schema, known)
end

"Every standard threshold whose signals all models have, then the own ones: their names in order, and what they are."
function values_of(chosen, data)
    order = standard(data)
    known = computed(data, standard_scope(), order)
    for s in chosen
        names = first.(s.thresholds)
        isempty(names) || merge!(known, computed(data, s.scope, names))
        append!(order, setdiff(names, order))
    end
    return order, known
end

"Bayes@N of one model under one schema."
function one_score(data, schema, known, missing, name)
    C = highest(schema)
    labelled = labels(data, schema, known, Arguments.policy(missing, C), "models", ", model $(shown(name))")
    counts = MISSING in labelled ? tally(labelled, C; missing = :drop, missing_code = MISSING) : tally(labelled, C)
    counts.fewest > 0 || refuse(
        "no_trials", "models", "schema ", schema.name, ", model ", shown(name), " of models: question ",
        findfirst(iszero, counts.trials), " has no trial left",
    )
    return Scorio.bayes(counts, schema.weights)
end
