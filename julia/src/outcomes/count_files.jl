# Files of counts: CSV with a line for each question, the same bytes from Python and Julia; formats 1 and 2 are read.
#
# Format 2 starts with a line that names it. Its columns are id and cluster, if known, in quotes; then the counts of the
# categories, and of missing outcomes. Format 1 has neither the first line nor id and cluster.

const FILE_FORMAT = 2
const FIRST_LINE = "# scorio counts, format "
const TEXT_COLUMNS = ["id", "cluster"]  # columns that hold text

"""
    Scorio.save_counts(path, counts)

Write counts as CSV, a line for each question: columns id and cluster if these are known, n0..nC and missing.

# Examples
```jldoctest
julia> path = tempname();

julia> Scorio.save_counts(path, tally([0 1 1; 1 1 1]));

julia> Tuple(readlines(path))
("# scorio counts, format 2", "n0,n1,missing", "1,2,0", "0,3,0")
```
"""
function save_counts(path, counts::Counts)
    rows, columns = hcat(table(counts), counts.absent), [ids_of(counts), clusters_of(counts)]
    known = findall(!isnothing, columns)
    all(x -> x === nothing || !(nothing in x), columns) || refuse(
        "missing", "clusters", "a question has no cluster: save the counts of each model before they are aligned",
    )
    header = [TEXT_COLUMNS[known]; ["n$j" for j in 0:largest_category(counts)]; "missing"]
    open(path, "w") do io
        print(io, FIRST_LINE, FILE_FORMAT, '\n', join(header, ","), '\n')
        for i in axes(rows, 1)
            cells = [[quoted(columns[j][i]) for j in known]; string.(rows[i, :])]
            print(io, join(cells, ","), '\n')
        end
    end
end

"Quote a text as a cell of CSV; quotes within it are doubled."
quoted(text) = '"' * replace(text, "\"" => "\"\"") * '"'

"""
    Scorio.load_counts(path)

Read a file of counts from `save_counts`, or from Python's `Counts.save`, of this version or an earlier one.

# Examples
```jldoctest
julia> path = tempname();

julia> Scorio.save_counts(path, tally([0 1 1; 1 1 1]));

julia> Scorio.load_counts(path)
Counts(2 questions, 3 trials, categories 0..1)
```
"""
function load_counts(path)
    reject(what...) = refuse("format", "path", path, " was not written by save_counts: ", what...)
    rows = cells_of(read(path, String), reject)
    isempty(rows) && reject("it is empty")
    line = join(rows[1], ",")
    has_first_line = startswith(line, FIRST_LINE)
    has_first_line && line != "$FIRST_LINE$FILE_FORMAT" &&
        reject("its format is ", shown(line[length(FIRST_LINE)+1:end]), ", this version reads 1 and ", FILE_FORMAT)
    has_first_line && popfirst!(rows)
    header = isempty(rows) ? String[] : rows[1]
    names = has_first_line ? TEXT_COLUMNS[in(header[1:min(2, end)]).(TEXT_COLUMNS)] : String[]
    width, n_texts = length(header), length(names)
    width >= n_texts + 2 && header == [names; ["n$j" for j in 0:width-n_texts-2]; "missing"] ||
        reject(shown(join(header, ",")), " are not the columns of counts")
    length(rows) > 1 || reject("it has no question")
    for (i, row) in enumerate(rows)
        length(row) == width || reject("line ", i, " of the table has ", length(row), " cells, not ", width)
        i == 1 || all(iscount, row[n_texts+1:end]) ||
            reject("line ", i, " of the table has a cell that is not a count")
    end
    numbers = [parse(Int, rows[i][j]) for i in 2:length(rows), j in n_texts+1:width]
    column(name) = (j = findfirst(==(name), names); j === nothing ? nothing : [row[j] for row in rows[2:end]])
    return Counts(
        numbers[:, 1:end-1]; absent = numbers[:, end], ids = column("id"), clusters = column("cluster"),
    )
end

"Whether a cell is a count: one to 16 digits, as many as 2^53 has, above which no count is."
iscount(x) = 1 <= length(x) <= 16 && all(in('0':'9'), x)

"Split CSV into cells, line by line."
function cells_of(text, reject)
    bytes, rows, row, cell = codeunits(text), Vector{String}[], String[], UInt8[]
    QUOTE, COMMA, NEWLINE, RETURN = UInt8('"'), UInt8(','), UInt8('\n'), UInt8('\r')
    i, N, in_quotes, row_begun = 1, length(bytes), false, false  # row_begun: the row has a cell
    finish_cell!() = (push!(row, String(copy(cell))); empty!(cell))
    while i <= N
        b = bytes[i]
        if in_quotes
            if b != QUOTE
                push!(cell, b)
            elseif i < N && bytes[i+1] == QUOTE
                push!(cell, b)
                i += 1
            else
                in_quotes = false
                i == N || bytes[i+1] in (COMMA, NEWLINE, RETURN) || reject("text after a closing quote")
            end
        elseif b == QUOTE && isempty(cell) && (i == 1 || bytes[i-1] in (COMMA, NEWLINE, RETURN))
            in_quotes = row_begun = true
        elseif b == COMMA
            finish_cell!()
            row_begun = true
        elseif b == NEWLINE || b == RETURN
            b == RETURN && i < N && bytes[i+1] == NEWLINE && (i += 1)
            finish_cell!()
            push!(rows, row)
            row, row_begun = String[], false
        else
            push!(cell, b)
            row_begun = true
        end
        i += 1
    end
    in_quotes && reject("a quote is not closed")
    if row_begun
        finish_cell!()
        push!(rows, row)
    end
    return rows
end
