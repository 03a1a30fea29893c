// Arguments that are checked: each function returns the value, or refuses it with a code of spec/errors.json.

/** Input that has no correct answer: `code` is one of spec/errors.json, `argument` the name of the argument. */
export class InvalidInput extends Error {
  constructor(code, argument, message) {
    super(message);
    this.name = "InvalidInput";
    this.code = code;
    this.argument = argument;
  }
}

export function refuse(code, argument, message) {
  throw new InvalidInput(code, argument, `${argument}: ${message}`);
}

export function show(x) {
  if (typeof x === "string") return JSON.stringify(x.length > 60 ? `${x.slice(0, 60)}...` : x);
  if (Array.isArray(x)) return x.length > 6 ? `a list of ${x.length}` : `[${x.map(show).join(", ")}]`;
  return x !== null && typeof x === "object" ? "an object" : String(x);
}

/** The arguments of a call with their defaults; a name that is not among these is refused. */
export function named(args, defaults) {
  if (args === null || typeof args !== "object")
    refuse("type", "arguments", `one object of named arguments is needed, not ${show(args)}`);
  for (const name of Object.keys(args)) {
    if (!(name in defaults))
      refuse("choice", name, `not an argument of this function, which takes ${Object.keys(defaults).join(", ")}`);
  }
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  return { ...defaults, ...given };
}

const isWhole = (x) => typeof x === "bigint" || Number.isInteger(x);

/** A whole number in min..max, or null where that is allowed. */
export function integer(x, name, { min, max = Infinity, nullable = true }) {
  if (x === null && nullable) return null;
  if (!isWhole(x)) refuse("type", name, `${show(x)} is not a whole number`);
  if (x < min || x > max) refuse("range", name, `${x} is not in ${min}..${max}`);
  return Number(x);
}

/** A finite number within limits: min and max may be reached, above and below may not. */
export function real(x, name, { min = -Infinity, max = Infinity, above = -Infinity, below = Infinity, nullable } = {}) {
  if (x === null && nullable) return null;
  if (typeof x !== "number" && typeof x !== "bigint") refuse("type", name, `${show(x)} is not a number`);
  const value = Number(x);
  if (!Number.isFinite(value)) refuse("not_finite", name, `${value} is not a finite number`);
  if (value < min || value > max || value <= above || value >= below) {
    const low = above > -Infinity ? `above ${above}` : `at least ${min}`;
    refuse("range", name, `${value} is not ${low} and ${below < Infinity ? `below ${below}` : `at most ${max}`}`);
  }
  return value;
}

export function choice(x, name, choices) {
  if (typeof x !== "string" && !(x === null && choices.includes(null)))
    refuse("type", name, `${show(x)} is not a text`);
  if (!choices.includes(x)) refuse("choice", name, `${show(x)} is not one of ${choices.map(show).join(", ")}`);
  return x;
}

export function flag(x, name) {
  if (typeof x !== "boolean") refuse("type", name, `${show(x)} is neither true nor false`);
  return x;
}

/** What to do with missing outcomes: "raise", "drop", "bounds" where that is allowed, or a category 0..C. */
export function policy(x, { C = Infinity, bounds = false }) {
  if (typeof x === "string") return choice(x, "missing", bounds ? ["raise", "drop", "bounds"] : ["raise", "drop"]);
  if (!isWhole(x)) refuse("type", "missing", `${show(x)} is neither a text nor a whole number`);
  if (x < 0 || x > C) refuse("category", "missing", `${x} is not a category, which are 0..${C}`);
  return Number(x);
}

/** The scores w of the categories, or null. */
export function scores(w) {
  if (w === null) return null;
  if (typeof w === "number" || typeof w === "bigint") refuse("shape", "w", `a list is needed, not ${show(w)}`);
  if (!Array.isArray(w)) refuse("type", "w", `a list of numbers is needed, not ${show(w)}`);
  if (!w.length) refuse("empty", "w", "no scores");
  if (w.some(Array.isArray)) refuse("shape", "w", "two dimensions");
  return w.map((x, i) => {
    if (typeof x !== "number" && typeof x !== "bigint")
      refuse("type", "w", `${show(x)}, of category ${i}, is not a number`);
    return real(x, "w", { min: -1e300, max: 1e300 });
  });
}

/** Labels, one for each of `size` things: integers or texts; null and false are returned as they are. */
export function labels(x, name, size, things) {
  if (x === null || (x === false && name === "clusters")) return x;
  if (!Array.isArray(x)) refuse("type", name, `a list of labels is needed, not ${show(x)}`);
  x.forEach((label, i) => {
    if (typeof label !== "string" && !isWhole(label))
      refuse("type", name, `${show(label)}, at ${i}, is neither a text nor an integer`);
  });
  if (x.length !== size) refuse("length", name, `${x.length} labels of ${size} ${things}`);
  return x;
}
