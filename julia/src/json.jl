# A strict reader of JSON (RFC 8259): objects as dictionaries that keep their order, arrays as Vector{Any}, null as
# nothing, numbers without a point or an exponent as Int or BigInt, others as Float64. Text that is not JSON is an error
# that names the position; so are a key that occurs twice, half a surrogate pair, a number above the largest double or
# of too many characters, and values that are nested too deeply.

module JSON

const MOST_CHARACTERS = 1000  # a longer number is an error: to read an integer of any length would take any time

"A dictionary in the order in which its keys were added."
struct Object{V} <: AbstractDict{String,V}
    keys::Vector{String}
    values::Dict{String,V}
end

Object{V}() where {V} = Object(String[], Dict{String,V}())
Object{V}(pairs) where {V} = foldl((o, (k, v)) -> setindex!(o, v, k), pairs, init = Object{V}())
Base.empty(::Object, ::Type{String}, ::Type{V}) where {V} = Object{V}()
Base.length(o::Object) = length(o.keys)
Base.get(o::Object, key, default) = get(o.values, key, default)
Base.haskey(o::Object, key) = haskey(o.values, key)
Base.iterate(o::Object, i = 1) = i > length(o.keys) ? nothing : (o.keys[i] => o.values[o.keys[i]], i + 1)

function Base.setindex!(o::Object, value, key)
    haskey(o.values, key) || push!(o.keys, key)
    o.values[key] = value
    return o
end

"A text, and how far it has been read."
mutable struct Reader
    text::String
    at::Int  # index of the next byte of text
end

"Parse a JSON text."
function parse(text::AbstractString)
    r = Reader(String(text), 1)
    value = read_value(r, 0)
    skip_space(r)
    r.at > ncodeunits(r.text) || fail(r, "text after the value")
    return value
end

parsefile(path) = parse(read(path, String))

fail(r, what) = error("JSON: $what at byte $(r.at)")
"The next byte, 0x00 at the end."
peek(r) = r.at <= ncodeunits(r.text) ? codeunit(r.text, r.at) : 0x00
is(r, c::Char) = peek(r) == UInt8(c)
isdigit_(byte) = UInt8('0') <= byte <= UInt8('9')

function skip_space(r)
    while peek(r) in (0x20, 0x09, 0x0a, 0x0d)
        r.at += 1
    end
end

"Skip this word, which must come next."
function expect(r, word)
    stop = r.at + ncodeunits(word) - 1
    stop <= ncodeunits(r.text) && view(codeunits(r.text), r.at:stop) == codeunits(word) || fail(r, "expected $word")
    r.at = stop + 1
end

function read_value(r, depth)
    depth < 200 || fail(r, "values are nested too deeply")
    skip_space(r)
    is(r, '{') && return read_object(r, depth + 1)
    is(r, '[') && return read_array(r, depth + 1)
    is(r, '"') && return read_string(r)
    is(r, 't') && return (expect(r, "true"); true)
    is(r, 'f') && return (expect(r, "false"); false)
    is(r, 'n') && return (expect(r, "null"); nothing)
    return read_number(r)
end

"Read comma-separated items between brackets; item() reads each."
function read_items(item, r, open, close)
    expect(r, open)
    skip_space(r)
    while !is(r, close[1])
        item()
        skip_space(r)
        is(r, close[1]) && break
        expect(r, ",")
        skip_space(r)
        is(r, close[1]) && fail(r, "a comma before $close")
    end
    expect(r, close)
end

function read_object(r, depth)
    object = Object{Any}()
    read_items(r, "{", "}") do
        key = read_string(r)
        haskey(object, key) && fail(r, "$key occurs twice")
        skip_space(r)
        expect(r, ":")
        object[key] = read_value(r, depth)
    end
    return object
end

function read_array(r, depth)
    array = Any[]
    read_items(() -> push!(array, read_value(r, depth)), r, "[", "]")
    return array
end

const ESCAPES = Dict(zip("\"\\/bfnrt", "\"\\/\b\f\n\r\t"))

function read_string(r)
    expect(r, "\"")
    out, start = IOBuffer(), r.at
    while !is(r, '"')
        r.at <= ncodeunits(r.text) || fail(r, "an unclosed string")
        peek(r) >= 0x20 || fail(r, "a control character in a string")
        if is(r, '\\')
            write(out, SubString(r.text, start, prevind(r.text, r.at)))
            r.at += 1
            print(out, is(r, 'u') ? read_unicode(r) : read_escape(r))
            start = r.at
        else
            r.at += 1
        end
    end
    write(out, SubString(r.text, start, prevind(r.text, r.at)))
    r.at += 1
    return String(take!(out))
end

"The character that the letter after a backslash stands for."
function read_escape(r)
    c = get(ESCAPES, Char(peek(r)), nothing)
    c === nothing && fail(r, "an unknown escape")
    r.at += 1
    return c
end

"The character of an escape such as \\u00e9, or of two that are a surrogate pair."
function read_unicode(r)
    code = read_hex(r)
    if 0xd800 <= code < 0xdc00
        expect(r, "\\")
        is(r, 'u') || fail(r, "half a surrogate pair")
        low = read_hex(r)
        0xdc00 <= low < 0xe000 || fail(r, "half a surrogate pair")
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
    end
    0xd800 <= code < 0xe000 && fail(r, "half a surrogate pair")
    return Char(code)
end

"The number of the four hexadecimal digits after the letter u."
function read_hex(r)
    r.at + 4 <= ncodeunits(r.text) || fail(r, "an unclosed string")
    hex = String(codeunits(r.text)[r.at+1:r.at+4])
    all(isxdigit, hex) || fail(r, "expected four hexadecimal digits")
    r.at += 5
    return Base.parse(UInt32, hex, base = 16)
end

function read_number(r)
    start, whole = r.at, true
    is(r, '-') && (r.at += 1)
    is(r, '0') ? (r.at += 1) : read_digits(r)
    if is(r, '.')
        whole = false
        r.at += 1
        read_digits(r)
    end
    if is(r, 'e') || is(r, 'E')
        whole = false
        r.at += 1
        (is(r, '+') || is(r, '-')) && (r.at += 1)
        read_digits(r)
    end
    text = SubString(r.text, start, r.at - 1)
    ncodeunits(text) <= MOST_CHARACTERS || fail(r, "a number of $(ncodeunits(text)) characters")
    whole && return something(tryparse(Int, text), tryparse(BigInt, text))
    x = tryparse(Float64, text)
    x = x === nothing ? Float64(Base.parse(BigFloat, text)) : x  # Julia 1.5 does not parse what rounds to 0 or infinity
    return isfinite(x) ? x : fail(r, "a number above the largest double")
end

"Skip the digits that come next; there must be one."
function read_digits(r)
    isdigit_(peek(r)) || fail(r, "expected a value or a digit")
    while isdigit_(peek(r))
        r.at += 1
    end
end

end
