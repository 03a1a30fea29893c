# Loops that count outcomes, and loops over counts, in integers only. Entries are checked, shapes are not.
#
# A kernel fills its rows of `out` (counts of 1..C, a column each), or of `category_counts` and `trials`, and
# returns whether every entry was valid; if not, its output is not to be used. Short kernels are not inlined, since
# their callers are compiled at a lower level.

module Counting

using ..Scorio: Outcome, isabsent, row

Base.Experimental.@optlevel 2

const MAX_COMPARED = 15  # largest category that is counted by comparing entries with it: it has four bits
const TILE = 32768  # bytes of a column that are read together
const WORDS = 8:2040  # bytes of a row that can be added as words of eight: 1 to 255 words, so that no sum overflows
const Small = Union{Bool,Int8,Int16,Int32,Int64,UInt8,UInt16,UInt32,UInt64}
const ABSENT, BAD = -1, -2  # results of category() for entries that are missing, or neither missing nor a category

"Compile a loop to use one SIMD register at a time: rows are too short for the usual four."
macro short(loop)
    index, range = loop.args[1].args
    before, size, done = gensym(), gensym(), gensym()
    step = Expr(:loopinfo, (Symbol("llvm.loop.interleave.count"), 1))
    return esc(quote
        let $before = first($range) - 1, $size = length($range), $done = 0
            while $done < $size
                $done += 1
                $index = $before + $done
                $(loop.args[2])
                $step
            end
        end
    end)
end

include("counting/words.jl")
include("counting/entries.jl")
include("counting/counts.jl")
include("counting/bits.jl")

end
