// The functions of web/src/numbers on the vectors and the refused calls of spec/:  node web/conformance.mjs [FUNCTION
// ...]
//
// Prints for each function how many cases passed, failed and were left out, and why; --json prints the same as JSON.
// --serve answers calls, one a line: {"function", "args"} by {"result"}, {"error": {"code", "argument"}} or
// {"left_out"}.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import * as numbers from "./src/numbers/index.js";

const SPEC = new URL("../spec/", import.meta.url);
const FUNCTIONS = ["tally", "pass_at_k", "pass_hat_k", "mean_ci", "interval", "compare", "compare_all", "ranges",
  "gate", "trials_needed", "questions_needed", "run_variation"];

const FILE = JSON.parse(readFileSync(new URL("functions.json", SPEC), "utf8"));
const SPECIFIED = new Map(FILE.functions.map((x) => [x.name, x]));
const OWN_METRICS = ["mean", "pass_at_k", "pass_hat_k"];
const OTHER_METRICS = new Set(FILE.metrics  // those of intervals, which the page does not have; it refuses the rest
  .filter((x) => !OWN_METRICS.includes(x.name) && ["interval", "vote", "score"].includes(x.where[0]))
  .flatMap((x) => [x.name, ...x.aliases]));

/** Every reason why a case is left out: what the page does not offer, or JavaScript cannot express. Nothing else is. */
const LEFT_OUT = {
  "the argument looks": ({ args }) => args.has("looks"),
  "answers and scored trials, and metrics but the mean, Pass@k and Pass^k": ({ args, text }) =>
    /"(answers|scored)":/.test(text) || isOtherMetric(args.get("metric")),
  "2.0 where an integer is needed: JavaScript has one type of number": ({ args, kinds, error }) => error
    && [...args].some(([name, x]) => INTEGERS.includes(kinds[name]) && hasWholeReal(x)),
};
const isOtherMetric = (x) => typeof x === "string" && OTHER_METRICS.has(x.trim().toLowerCase());
const INTEGERS = ["integer", "policy", "bounded", "labels"];

/** Refused calls that JavaScript cannot express as they are: any refusal passes, as spec/README.md says. */
const NO_0D = /"special": "0d"/; // an array without a dimension is a number here, which is refused as `type`

// ---------------------------------------------------------------- JSON that keeps 2.0 and the order of keys

class WholeReal {
  constructor(value) {
    this.value = value;
  }
}

const hasWholeReal = (x) => x instanceof WholeReal || (Array.isArray(x) && x.some(hasWholeReal));

/** Objects become Maps; a whole number that is written as a real becomes a WholeReal. */
function parse(text) {
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|[[\]{}]/g);
  const value = (token) => {
    if (token === "[") return items("]");
    if (token === "{") {
      const flat = items("}");
      return new Map(flat.filter((_, i) => i % 2 === 0).map((key, i) => [key, flat[2 * i + 1]]));
    }
    const x = JSON.parse(token);
    return typeof x === "number" && Number.isInteger(x) && /[.eE]/.test(token) ? new WholeReal(x) : x;
  };
  const items = (end) => {
    const all = [];
    for (let token = tokens.next().value[0]; token !== end; token = tokens.next().value[0]) all.push(value(token));
    return all;
  };
  return value(tokens.next().value[0]);
}

// ---------------------------------------------------------------- arguments of a case

const SPECIAL_NUMBERS = { nan: NaN, inf: Infinity, "-inf": -Infinity, "-0.0": -0 };

/** Numbers that JSON cannot express, in lists too. */
function numeric(x) {
  if (x instanceof WholeReal) return x.value;
  if (Array.isArray(x)) return x.map(numeric);
  if (typeof x === "string" && x in SPECIAL_NUMBERS) return SPECIAL_NUMBERS[x];
  return typeof x === "string" && /^-?[1-9][0-9]{15,}$/.test(x) ? BigInt(x) : x;
}

const special = () => ({
  complex: [[{ re: 0, im: 1 }]], object: [[{}]], string: [["a", "b"]], "0d": 1, masked: [[1, undefined]],
});

function recipe({ M, N, C, seed }) {
  const modulus = 2147483647n;
  return Array.from({ length: M }, (_, a) => Array.from({ length: N }, (_, b) => {
    const [i, j] = [BigInt(a + 1), BigInt(b + 1)];
    let h = (i * 48271n + j * 16807n + BigInt(seed) * 69621n + i * j * 39373n) % modulus;
    h = (h * 48271n) % modulus;
    const success = (h % 10007n) * BigInt(M + 1) < 10007n * i;
    return C === 1 ? Number(success) : success ? Number((h / 10007n) % BigInt(C + 1)) : 0;
  }));
}

function argument(x) {
  if (!(x instanceof Map)) return numeric(x);
  if (x.has("matrix")) return numeric(x.get("matrix"));
  if (x.has("tensor")) return numeric(x.get("tensor"));
  if (x.has("recipe")) return recipe(Object.fromEntries(x.get("recipe")));
  if (x.has("models")) return new Map([...x.get("models")].map(([name, R]) => [name, argument(R)]));
  if (x.has("special")) return special()[x.get("special")];
  if (x.has("counts")) return numbers.Counts.from({ categories: numeric(x.get("counts")), ids: plain(x.get("ids")),
    clusters: plain(x.get("clusters")) });
  return Object.fromEntries([...x].map(([key, y]) => [key, argument(y)]));
}

/** Labels, whose texts are texts. */
const plain = (x) => (x === undefined ? null : Array.isArray(x) ? x.map((y) => (y instanceof WholeReal ? y.value : y))
  : x);

// ---------------------------------------------------------------- comparison with what is wanted

function difference(got, want, ulps, place) {
  if (Array.isArray(want) && Array.isArray(got) && got.length === want.length) {
    return want.map((x, i) => difference(got[i], x, ulps, `${place}[${i}]`)).find(Boolean) ?? "";
  }
  if (!(want instanceof Map)) {
    return got === (want instanceof WholeReal ? want.value : want) || `${got}` === numericText(want) ? ""
      : `${place}: ${got}, wanted ${want}`;
  }
  const value = numeric(want.get("value")), ulp = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(value))), -1022) - 52);
  const same = got === value || (ulps > 0.5 && Math.abs(got - value) <= (ulps - 1) * ulp);
  return same ? "" : `${place}: ${got}, wanted ${value}`;
}

const numericText = (x) => (typeof x === "string" && /^-?[1-9][0-9]{15,}$/.test(x) ? x : undefined);

function textOf(args) {
  return JSON.stringify([...args], (_, x) => (x instanceof Map ? Object.fromEntries(x) : x)).replaceAll('":"', '": "');
}

/** The reason why a call is left out; undefined if it is not. */
function reasonOf(name, args, error) {
  const kinds = Object.fromEntries(SPECIFIED.get(name).params.map((x) => [x.name, x.kind]));
  return Object.keys(LEFT_OUT).find((x) => LEFT_OUT[x]({ args, kinds, error, text: textOf(args) }));
}

function call(name, args) {
  return numbers[name](Object.fromEntries([...args]
    .map(([key, x]) => [key, key === "clusters" || key === "sessions" ? plain(x) : argument(x)])));
}

function failure(name, item) {
  const error = item.get("error");
  let got;
  try {
    got = call(name, item.get("args"));
  } catch (found) {
    if (!(found instanceof numbers.InvalidInput)) return `${found.stack}`;
    if (!error) return `refused: ${found.code}, ${found.message}`;
    if (NO_0D.test(textOf(item.get("args")))) return "";
    const wanted = `${error.get("code")} ${error.get("argument")}`;
    return `${found.code} ${found.argument}` === wanted ? ""
      : `refused as ${found.code}, ${found.message}; wanted ${wanted}`;
  }
  if (error) return `not refused, wanted ${error.get("code")} ${error.get("argument")}`;
  const want = item.get("want"), fields = [...new Set([...Object.keys(got), ...want.keys()])];
  return fields.map((x) =>
    difference(got[x] ?? null, want.get(x) ?? null, numeric(item.get("ulp")), x)).find(Boolean) ?? "";
}

function run(names) {
  const results = {}, reasons = Object.fromEntries(Object.keys(LEFT_OUT).map((reason) => [reason, 0])), failures = [];
  for (const name of names) {
    const result = { passed: 0, failed: 0, left_out: 0, seconds: 0 }, start = performance.now();
    for (const folder of ["vectors", "invalid"]) {
      const file = parse(readFileSync(new URL(`${folder}/${name}.json`, SPEC), "utf8"));
      if (file.get("count") !== file.get("cases").length) throw new Error(`${folder}/${name}.json is cut short`);
      for (const item of file.get("cases")) {
        const reason = reasonOf(name, item.get("args"), item.has("error"));
        if (reason) {
          result.left_out += 1;
          reasons[reason] += 1;
          continue;
        }
        const message = failure(name, item);
        result[message ? "failed" : "passed"] += 1;
        if (message) failures.push(`${item.get("id")} (${item.get("comment")}): ${message}`);
      }
    }
    result.seconds = (performance.now() - start) / 1000;
    results[name] = result;
  }
  return { results, reasons, failures };
}

function report({ results, reasons, failures }) {
  failures.slice(0, 20).forEach((x) => console.log(x));
  console.log("function          passed failed left out seconds");
  for (const [name, x] of Object.entries(results)) {
    const cells = [[x.passed, 6], [x.failed, 6], [x.left_out, 8], [x.seconds.toFixed(1), 7]];
    console.log([name.padEnd(17), ...cells.map(([cell, width]) => String(cell).padStart(width))].join(" "));
  }
  console.log("left out, and why:");
  for (const [reason, count] of Object.entries(reasons)) console.log(`${String(count).padStart(6)}  ${reason}`);
}

function answer(line) {
  const request = parse(line), [name, args] = [request.get("function"), request.get("args")];
  const reason = reasonOf(name, args, true);
  if (reason) return { left_out: reason };
  try {
    return { result: call(name, args) };
  } catch (found) {
    return found instanceof numbers.InvalidInput ? { error: { code: found.code, argument: found.argument } }
      : { crash: found.stack };
  }
}

const options = process.argv.slice(2);
if (options.includes("--serve")) {
  for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(answer(line),
    (_, x) => (typeof x === "bigint" ? String(x) : x)));
} else {
  const names = options.filter((x) => x !== "--json"), all = run(names.length ? names : FUNCTIONS);
  if (options.includes("--json")) console.log(JSON.stringify(all));
  else report(all);
  process.exitCode = all.failures.length ? 1 : 0;
}
