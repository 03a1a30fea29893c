// Values by key.

/** The value at a key, made where there is none yet; no value is undefined. */
export function remembered(map, key, make) {
  let x = map.get(key);
  if (x === undefined) map.set(key, (x = make()));
  return x;
}

/** How often each of these occurs, in order of appearance. */
export function tallied(keys) {
  const times = new Map();
  for (const x of keys) times.set(x, (times.get(x) ?? 0) + 1);
  return times;
}

/** The number of each label, from 0 on in order of appearance; 1 and "1" are different labels. */
export function numbersOf(labels) {
  const found = new Map();
  return labels.map((x) => remembered(found, typeof x === "string" ? x : BigInt(x), () => found.size));
}
