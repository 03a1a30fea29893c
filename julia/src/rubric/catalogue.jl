# The standard schemata by key.

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
