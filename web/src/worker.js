// The worker of the page: reads tables and computes results, so that the page stays responsive.
import { read } from "./reading/reading.js";
import { Evaluation } from "./results/base.js";
import { comparison } from "./results/comparison.js";
import { gate } from "./results/gate.js";
import { leaderboard } from "./results/leaderboard.js";
import { plan } from "./results/plan.js";
import { rates } from "./results/rates.js";
import { runs } from "./results/runs.js";

const RESULTS = { leaderboard, compare: comparison, gate, plan, runs };
let evaluation = null;

async function answer({ type, source, options, log, name, settings, groups }, progress) {
  if (type === "read") {
    const found = await read(source, options, progress);
    evaluation = new Evaluation(found);
    return found;
  }
  if (type === "open") {
    evaluation = new Evaluation(log);
    return null;
  }
  return type === "rates" ? rates(groups, settings) : RESULTS[name](evaluation, settings);
}

self.onmessage = async ({ data }) => {
  const { id } = data;
  let last = 0;
  const progress = (share) => {
    if (performance.now() - last < 100) return;
    last = performance.now();
    self.postMessage({ id, progress: share });
  };
  try {
    self.postMessage({ id, value: await answer(data, progress) });
  } catch (error) {
    const { code = "", message, stack } = error;
    self.postMessage({ id, error: { ...error, code, message, stack: code ? "" : stack } });
  }
};
