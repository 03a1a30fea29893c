# Prints a page of Markdown with the docstrings of Scorio.jl: julia --project=julia docs/julia_api.jl NAME...
# The names are the functions of spec/: a room such as Rank exports none, for they would hide their namesakes.
using Scorio

const FILES = (:save_counts, :load_counts, :verify)  # public without an export: their names are common words

"Docstrings of a name, in the order of its methods, as they were written."
function docstrings(room::Module, name::Symbol)
    binding = Base.Docs.aliasof(Base.Docs.Binding(room, name))
    found = get(Base.Docs.meta(binding.mod), binding, nothing)
    found === nothing && return String[]
    return [join(found.docs[signature].text) for signature in found.order]
end

"A docstring under a heading: its own headings are bold words, links of Documenter plain code."
function shown(text)
    lines = map(split(rstrip(text), '\n')) do line
        line = replace(line, r"^#+ +(.*)$" => s"**\1**")
        line = replace(line, r"^(```)(?:jldoctest|julia-repl)\b.*$" => s"\1julia-repl")
        replace(line, r"\[(`[^`]*`)\]\(@ref[^)]*\)" => s"\1")
    end
    return join(lines, '\n')
end

"What a room exports, and which of the names given are functions of its own, some by two names."
function public(room::Module)
    own(name) = isdefined(room, name) && parentmodule(getfield(room, name)) === room
    return sort(union(names(room), filter(own, Symbol.(ARGS)), filter(name -> isdefined(room, name), collect(FILES))))
end

function page(room::Module, title)
    println("\n## ", title, "\n")
    for name in public(room)
        getfield(room, name) isa Module && continue
        println("### `", name in FILES ? "Scorio." : "", name, "`\n")
        foreach(text -> println(shown(text), "\n"), docstrings(room, name))
    end
end

println("# Julia\n\nWhat `?name` says in Julia, function by function. `using Scorio` brings in the first list;")
println("the rooms below it are modules, as in `Rank.bayes`.")
page(Scorio, "Scorio")
for name in sort(names(Scorio))
    value = getfield(Scorio, name)
    value isa Module && value !== Scorio && page(value, string("Scorio.", name))
end
