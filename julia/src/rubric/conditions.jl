# The language of conditions: text to a tree, and its three-valued truth over all attempts at once.
#
#   expr := term ("or" term)*     term := factor ("and" factor)*
#   factor := "not" factor | "(" expr ")" | operand op operand | variable | "otherwise"
#   op := "<=" | "<" | ">=" | ">" | "=="     operand := number | name

const KEYWORDS = ("and", "or", "not", "otherwise")
const TOKEN = r"\G(?:(?<number>-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)|(?<name>[A-Za-z_][A-Za-z0-9_]*)|<=|>=|==|[<>()])"
const NAME = r"\A[A-Za-z_][A-Za-z0-9_]*\z"
const BELOW, SAME, ABOVE = 0x01, 0x02, 0x04  # how two numbers may compare
const OPERATORS = Dict{String,Any}(
    "<=" => BELOW | SAME, "<" => BELOW, ">=" => SAME | ABOVE, ">" => ABOVE, "==" => SAME,
)
const DEEPEST = 100  # most nested levels of parentheses and "not"

abstract type Node end

"A comparison of two operands: numbers, thresholds or signals."
struct Compare <: Node
    op::UInt8
    left::Union{Float64,String}
    right::Union{Float64,String}
end

"A reference to a variable: a named condition."
struct Variable <: Node
    name::String
end

"A negation."
struct Not <: Node
    negated::Node
end

"A conjunction (is_and) or disjunction of conditions."
struct Joined <: Node
    is_and::Bool
    parts::Vector{Node}
end

"The condition that is always true."
struct Otherwise <: Node end

"Whether a condition can contain this text as a name."
isname(x) = isvalid(x) && occursin(NAME, x) && !(x in KEYWORDS)

# --- text to tree ------------------------------------------------------------------------------------

"A part of the text of a condition."
struct Token
    kind::String  # "number", "name", "word", "end", or the text of an operator or a parenthesis
    text::String
    at::Int  # index in the text of the condition
end

"The state of the parser of a condition; argument and location are used in messages."
mutable struct Reader
    text::String
    argument::String
    location::String
    tokens::Vector{Token}
    at::Int  # index of the next token
end

"The tree of a condition; argument and location are used in messages."
function parse_condition(text, argument, location)
    text isa AbstractString ||
        refuse("type", argument, location, " = ", shown(text), " is not a condition: it must be text")
    r = Reader(String(text), argument, location, Token[], 1)
    isvalid(r.text) || refuse_text(r, "text that is not valid Unicode", 1)
    tokens!(r)
    node = expression(r, 0)
    t = r.tokens[r.at]
    t.kind == "end" || refuse_text(r, shown(t.text) * " where \"and\", \"or\" or the end is expected", t.at)
    return node
end

"Refuse the text of a condition, because of the character at an index."
refuse_text(r, what, at) = refuse(
    "format", r.argument, r.location, ": ", shown(r.text), ", character ", length(r.text, 1, at), ": ", what,
)

"Split the text into tokens."
function tokens!(r)
    i, stop = 1, ncodeunits(r.text)
    while i <= stop
        if r.text[i] in " \t\r\n"
            i = nextind(r.text, i)
            continue
        end
        token = match(TOKEN, r.text, i)
        token === nothing && refuse_text(r, shown(r.text[i]) * " is not allowed in a condition", i)
        text = String(token.match)
        kind = text in KEYWORDS ? "word" : text
        kind = token["number"] !== nothing ? "number" : kind == text && token["name"] !== nothing ? "name" : kind
        push!(r.tokens, Token(kind, text, i))
        i += ncodeunits(text)
    end
    push!(r.tokens, Token("end", "the end", stop))
end

"Whether the next token is this one; if so, move past it."
function accept(r, wanted)
    t = r.tokens[r.at]
    matches = t.kind != "end" && t.text == wanted
    r.at += matches
    return matches
end

# a function for each symbol of the grammar; depth: how many levels of parentheses and "not" are open
expression(r, depth) = joined(r, depth, "or", term)
term(r, depth) = joined(r, depth, "and", factor)

"Read one or more parts with this word between them."
function joined(r, depth, word, part)
    parts = Node[part(r, depth)]
    while accept(r, word)
        push!(parts, part(r, depth))
    end
    return length(parts) == 1 ? parts[1] : Joined(word == "and", parts)
end

function factor(r, depth)
    depth > DEEPEST && refuse_text(r, "more than $DEEPEST levels deep", r.tokens[r.at].at)
    accept(r, "not") && return Not(factor(r, depth + 1))
    accept(r, "otherwise") && return Otherwise()
    if accept(r, "(")
        node = expression(r, depth + 1)
        accept(r, ")") || refuse_text(r, "\")\" is missing", r.tokens[r.at].at)
        return node
    end
    left, t = operand(r), r.tokens[r.at]
    if haskey(OPERATORS, t.text)
        r.at += 1
        return Compare(OPERATORS[t.text]::UInt8, left, operand(r))
    end
    left isa String || refuse_text(r, "a comparison must follow the number $left", t.at)
    return Variable(left)
end

function operand(r)
    t = r.tokens[r.at]
    t.kind in ("number", "name") || refuse_text(r, "$(shown(t.text)) where a condition or a value is expected", t.at)
    r.at += 1
    t.kind == "name" && return t.text
    double = tryparse(Float64, t.text)  # nothing where it rounds to 0 or to infinity
    value = double === nothing ? Float64(Base.parse(BigFloat, t.text)) : double
    isfinite(value) || refuse_text(r, t.text * " is beyond the largest double", t.at)
    return value
end

"The comparisons and variables of a tree, from left to right."
leaves(node) = leaves!(Node[], node)

leaves!(out, node::Union{Compare,Variable}) = push!(out, node)
leaves!(out, node::Not) = leaves!(out, node.negated)
leaves!(out, ::Otherwise) = out

function leaves!(out, node::Joined)
    for part in node.parts
        leaves!(out, part)
    end
    return out
end

"The names in a comparison, or the name of a variable."
names_in(node::Variable) = String[node.name]

function names_in(node::Compare)
    names, left, right = String[], node.left, node.right
    left isa String && push!(names, left)
    right isa String && push!(names, right)
    return names
end

"The height of a tree: 1 for a comparison, a variable or \"otherwise\"."
levels(node) = 1
levels(node::Not) = 1 + levels(node.negated)
levels(node::Joined) = 1 + maximum(map(levels, node.parts))

# --- tree to truth -----------------------------------------------------------------------------------

"The truth of a condition at every attempt: true, false, or neither; a single entry is for all attempts."
struct Truth
    yes::Vector{Bool}
    no::Vector{Bool}
end

"Apply op to two vectors, of which one may have a single entry."
function elementwise(op, x::AbstractVector{Bool}, y::AbstractVector{Bool})
    out, dx, dy = Vector{Bool}(undef, max(length(x), length(y))), length(x) > 1, length(y) > 1
    @inbounds for i in eachindex(out)
        out[i] = op(x[1+dx*(i-1)], y[1+dy*(i-1)])
    end
    return out
end

neither(a, b) = !(a | b)

"Whether the truth is unknown at each attempt."
unknown(x::Truth) = elementwise(neither, x.yes, x.no)

"The values of names in conditions: signals (NaN if missing), thresholds (nothing if undefined), variables."
struct Facts
    signals::Named
    thresholds::Named
    variables::Named
    truths::Named  # the truth of each variable that was evaluated
end

Facts(signals, thresholds, variables) = Facts(signals, thresholds, variables, Named())

"The truth of a condition in Kleene's logic: at each attempt true, false, or neither."
truth(f, node::Otherwise) = Truth([true], [false])

function truth(f, node::Variable)
    haskey(f.truths, node.name) || (f.truths[node.name] = truth(f, f.variables[node.name]))
    return f.truths[node.name]::Truth
end

function truth(f, node::Not)
    x = truth(f, node.negated)::Truth
    return Truth(x.no, x.yes)
end

function truth(f, node::Joined)
    x = truth(f, node.parts[1])::Truth
    for i in 2:length(node.parts)
        y = truth(f, node.parts[i])::Truth
        x = node.is_and ? Truth(elementwise(&, x.yes, y.yes), elementwise(|, x.no, y.no)) :
            Truth(elementwise(|, x.yes, y.yes), elementwise(&, x.no, y.no))
    end
    return x
end

"The truth of a comparison: neither true nor false where a signal is missing or a threshold undefined."
function truth(f, node::Compare)
    x, y = value(f, node.left), value(f, node.right)
    (x === nothing || y === nothing) && return Truth([false], [false])
    return compared(node.op, x, y)
end

"The truth of a comparison of two vectors of numbers, of which one may have a single entry."
function compared(op, x::Vector{Float64}, y::Vector{Float64})
    n = max(length(x), length(y))
    yes, no = Vector{Bool}(undef, n), Vector{Bool}(undef, n)
    dx, dy = length(x) > 1, length(y) > 1
    for i in 1:n
        a, b = x[1+dx*(i-1)], y[1+dy*(i-1)]
        order = ((a < b) * BELOW) | ((a == b) * SAME) | ((a > b) * ABOVE)  # none of them with NaN
        yes[i], no[i] = order & op != 0x00, order & ~op != 0x00
    end
    return Truth(yes, no)
end

"The value of an operand: a number, a threshold or a signal."
function value(f, x)::Union{Nothing,Vector{Float64}}
    x isa Float64 && return Float64[x]
    haskey(f.thresholds, x) || return f.signals[x]
    return f.thresholds[x] === nothing ? nothing : Float64[f.thresholds[x]]
end

"Whether the first unknown part of an unknown condition is unknown because a threshold is undefined."
blames_threshold(f, node::Otherwise) = [false]
blames_threshold(f, node::Variable) = blames_threshold(f, f.variables[node.name])
blames_threshold(f, node::Not) = blames_threshold(f, node.negated)

function blames_threshold(f, node::Joined)
    blamed = [false]
    for part in reverse(node.parts)
        blamed = ifelse.(unknown(truth(f, part)), blames_threshold(f, part), blamed)
    end
    return blamed
end

function blames_threshold(f, node::Compare)
    present = [x for x in (value(f, node.left), value(f, node.right)) if x !== nothing]
    length(present) == 2 && return [false]  # no operand is a threshold without a value
    return isempty(present) ? [true] : .!isnan.(present[1])
end

"The first signal or threshold in a condition that makes it unknown at the single attempt of these facts."
first_unknown_name(f, node::Variable) = first_unknown_name(f, f.variables[node.name])
first_unknown_name(f, node::Not) = first_unknown_name(f, node.negated)
first_unknown_name(f, node::Joined) =
    first_unknown_name(f, node.parts[findfirst(x -> unknown(truth(f, x))[1], node.parts)])

function first_unknown_name(f, node::Compare)
    absent(x) = !haskey(f.thresholds, x) && isnan(f.signals[x][1])
    lacking = filter(absent, names_in(node))
    return isempty(lacking) ? first(x for x in names_in(node) if get(f.thresholds, x, 0.0) === nothing) : lacking[1]
end
