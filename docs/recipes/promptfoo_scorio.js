// Extension of promptfoo, `extensions: [file://promptfoo_scorio.js:afterAll]`: prints scorio's leaderboard, or the gate
// if both are set: SCORIO_BASELINE, a log to compare with, and SCORIO_MARGIN, the loss that is acceptable.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

async function afterAll(first, second) {
  const context = typeof first === 'string' ? second : first; // older versions pass the name of the hook first
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'scorio-'));
  const log = path.join(folder, 'results.json');
  const { SCORIO = 'scorio', SCORIO_BASELINE: baseline, SCORIO_MARGIN: margin } = process.env;
  const results = { version: 3, results: context.results };
  fs.writeFileSync(log, JSON.stringify({ evalId: context.evalId ?? null, results, config: context.config ?? {} }));
  const gate = baseline && margin;
  const args = gate ? ['gate', log, baseline, '--margin', margin, '--changes'] : ['leaderboard', log];
  const child = spawnSync(SCORIO, args, { stdio: 'inherit' });
  fs.rmSync(folder, { recursive: true });
  if (child.error) console.error(`scorio was not run: ${child.error.message}`);
  if (gate && child.status !== 0) process.exitCode = child.status ?? 2; // 1 fail, 2 error, 3 inconclusive
}

module.exports = { afterAll };
