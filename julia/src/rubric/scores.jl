# Bayes@N of many models under many schemata.

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
