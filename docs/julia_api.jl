# Prints a page of Markdown with the docstrings of Scorio.jl: julia --project=julia docs/julia_api.jl NAME...
# The names are the functions of spec/: a module such as Rank exports none, for they would hide their namesakes.
using Scorio

const FILES = (:save_counts, :load_counts, :verify)  # public without an export: their names are common words

"Docstrings of a name, in the order of its methods, as they were written."
function docstrings(source::Module, name::Symbol)
    binding = Base.Docs.aliasof(Base.Docs.Binding(source, name))
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

"What a module exports, and which of the names given are functions of its own, some by two names."
function public(source::Module)
    own(name) = isdefined(source, name) && parentmodule(getfield(source, name)) === source
    files = filter(name -> isdefined(source, name), collect(FILES))
    return sort(union(names(source), filter(own, Symbol.(ARGS)), files))
end

function page(source::Module, title)
    println("\n## ", title, "\n")
    for name in public(source)
        getfield(source, name) isa Module && continue
        println("### `", name in FILES ? "Scorio." : "", name, "`\n")
        foreach(text -> println(shown(text), "\n"), docstrings(source, name))
    end
end

println("# Julia\n\nWhat `?name` says in Julia, function by function. `using Scorio` brings in the first list;")
println("the other lists are of its modules, as in `Rank.bayes`.")
page(Scorio, "Scorio")
for name in sort(names(Scorio))
    value = getfield(Scorio, name)
    value isa Module && value !== Scorio && page(value, string("Scorio.", name))
end
