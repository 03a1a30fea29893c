# Check of layers: no file uses names that are defined in a later layer, or later in the list of includes.

module Layers

using ..Checks: check

const FOLDER = normpath(joinpath(@__DIR__, "..", "src"))
# the layers, from the first; layers in one text are on the same level
const LEVELS = (
    "errors", "arithmetic", "arguments results by_name", "outcomes", "metrics", "inference", "eval simulate",
    "rank sinf items utils", "converge rubric json", "receipts", "bridge", "precompile",
)

"A file that Scorio.jl includes, its place in the list, and its code with that of the files that it includes."
struct File
    path::String
    position::Int
    level::Int
    code::String
    modules::Vector{String}  # the modules that the file defines
end

layer_name(path) = first(split(first(splitext(path)), '/'))

function level(path)
    i = findfirst(names -> layer_name(path) in split(names), LEVELS)
    i === nothing && error("$path is in no layer")
    return i
end

"The code of a file and of what it includes, without docstrings and comments."
function code(path)
    text = replace(read(joinpath(FOLDER, path), String), r"\"\"\".*?\"\"\"|^ *\"[^\n]*\"$| *#[^\n]*"ms => "")
    return replace(text, r"^include\(\"([^\"]*)\"\)$"m => x -> code(joinpath(dirname(path), split(x, '"')[2])))
end

function files()
    list = [m[1] for m in eachmatch(r"^include\(\"([^\"]*)\"\)$"m, read(joinpath(FOLDER, "Scorio.jl"), String))]
    return map(enumerate(list)) do (i, path)
        text = code(path)
        File(path, i, level(path), text, [String(m[1]) for m in eachmatch(r"^module (\w+)$"m, text)])
    end
end

"Files that define each module of Scorio, and each name that Scorio itself defines."
function definitions(all)
    modules, names = Dict{String,File}(), Dict{String,File}()
    kinds = "(?:@inline |@noinline )?(?:function |(?:mutable )?struct |abstract type |const )?"
    pattern = Regex("^$(kinds)([A-Za-z_]\\w*!?)(?= =|\\(|\$|<| <:)", "m")
    for file in all
        foreach(name -> modules[name] = file, file.modules)
        isempty(file.modules) && foreach(m -> get!(names, m[1], file), eachmatch(pattern, file.code))
    end
    return modules, names
end

"Uses of a file: (file, name) of the modules that it names and of the names of Scorio that it imports or calls."
function uses(file, modules, names)
    edges = Set{Tuple{File,String}}()
    for (name, definer) in modules
        definer === file && continue
        pattern = Regex("using \\.+[^\\n]*\\b$name\\b|(?<![\\w.`])$name\\.[a-z]")
        occursin(pattern, file.code) && push!(edges, (definer, name))
    end
    imported = join((m[1] for m in eachmatch(r"^using \.+Scorio: ([^\n]*)$"m, file.code)), ", ")
    for (name, definer) in names
        definer === file && continue
        called() = occursin(Regex("(?<![\\w.])\\Q$name\\E\\("), file.code)
        (isempty(file.modules) ? called() : name in split(imported, ", ")) && push!(edges, (definer, name))
    end
    return edges
end

"Whether file b is in a later layer than file a, or later in the list of includes."
below(a, b) = b.level > a.level || b.position > a.position

"A message for every use of a name that is defined in a later layer or file."
function violations(all)
    modules, names = definitions(all)
    return [
        "$(a.path) uses $name of $(b.path), which is below it" for a in all for
        (b, name) in uses(a, modules, names) if below(a, b)
    ]
end

function run()
    all = files()
    modules, names = definitions(all)
    check(sum(length(uses(a, modules, names)) for a in all) > 200, "more than 200 uses are found")
    foreach(text -> check(false, text), violations(all))
    position = findfirst(f -> f.path == "metrics/weights.jl", all)
    # each line, added to the file, uses a name of a later file
    wrong_uses = ("using ..Variance: larger" => "Variance", "using ..Scorio: shown, summarize" => "summarize")
    for (added_code, name) in wrong_uses
        f, changed = all[position], copy(all)
        changed[position] = File(f.path, f.position, f.level, f.code * "\n" * added_code, f.modules)
        seen = any(x -> startswith(x, "metrics/weights.jl uses $name of "), violations(changed))
        check(seen, "a wrong use of $name is found")
    end
end

end
