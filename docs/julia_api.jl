# Prints a page of Markdown with the docstrings of Scorio.jl: julia --project=julia docs/julia_api.jl NAME...
# The NAMEs are the functions of spec/functions.json: modules such as Rank do not export their functions, some of which
# have the names of functions of Scorio.
using Scorio

const UNEXPORTED = (:save_counts, :load_counts, :verify)  # public, but not exported: the names are common words

"Docstrings of a name, in the order of its methods in the source."
function docstrings(source::Module, name::Symbol)
    binding = Base.Docs.aliasof(Base.Docs.Binding(source, name))
    entry = get(Base.Docs.meta(binding.mod), binding, nothing)
    entry === nothing && return String[]
    return [join(entry.docs[signature].text) for signature in entry.order]
end

"Docstring as Markdown under a heading: its headings become bold, and Documenter's links become code."
function markdown(text)
    lines = map(split(rstrip(text), '\n')) do line
        line = replace(line, r"^#+ +(.*)$" => s"**\1**")
        line = replace(line, r"^(```)(?:jldoctest|julia-repl)\b.*$" => s"\1julia-repl")
        replace(line, r"\[(`[^`]*`)\]\(@ref[^)]*\)" => s"\1")
    end
    return join(lines, '\n')
end

"Public names of a module: those that it exports, and the functions of ARGS that it defines."
function public_names(source::Module)
    defines(name) = isdefined(source, name) && parentmodule(getfield(source, name)) === source
    unexported = filter(name -> isdefined(source, name), collect(UNEXPORTED))
    return sort(union(names(source), filter(defines, Symbol.(ARGS)), unexported))
end

function page(source::Module, title)
    println("\n## ", title, "\n")
    for name in public_names(source)
        getfield(source, name) isa Module && continue
        println("### `", name in UNEXPORTED ? "Scorio." : "", name, "`\n")
        foreach(text -> println(markdown(text), "\n"), docstrings(source, name))
    end
end

println("# Julia\n\nDocstrings of Scorio.jl, as `?name` prints them. `using Scorio` brings in the first list;")
println("the other lists are those of its modules, as in `Rank.bayes`.")
page(Scorio, "Scorio")
for name in sort(names(Scorio))
    value = getfield(Scorio, name)
    value isa Module && value !== Scorio && page(value, string("Scorio.", name))
end
