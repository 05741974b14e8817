// `npm run smoke [-- MODEL]`: runs one small task against the real API, with the key from the environment. Costs
// about a cent.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './steps.mjs'

if (!process.env.ANTHROPIC_API_KEY) {
  process.stderr.write('smoke: set ANTHROPIC_API_KEY; this asks the real provider and costs money.\n')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'coppice-smoke-'))
writeFileSync(join(folder, 'sum.js'), 'export const sum = (a, b) => a - b\n')
const [model] = process.argv.slice(2)
const task = 'sum.js has a bug. Fix it with edit_file and say in one sentence what was wrong.'
const run = spawnSync(
  process.execPath,
  [
    'bin/coppice.mjs',
    'run',
    folder,
    '--task',
    task,
    '--max-iterations',
    '10',
    '--json',
    ...(model ? ['--model', model] : []),
  ],
  { cwd: root, encoding: 'utf8', env: { ...process.env, COPPICE_DATA_DIR: join(folder, '.data') } },
)
const report = JSON.parse(run.stdout.trim().split('\n').at(-1) || 'null')
rmSync(folder, { recursive: true, force: true })
if (!report) {
  process.stderr.write(`smoke: no report.\n${run.stderr}`)
  process.exit(1)
}
const { status, answer, message, changes, usage } = report
const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
const cost = usage.cost === null ? 'price unknown' : `$${usage.cost.toFixed(4)}`
process.stdout.write(`${status}: ${answer || message}\nchanged ${changes.written.join(', ') || 'nothing'}\n`)
process.stdout.write(`${usage.modelCalls} model calls, ${tokens} tokens, ${cost}\n`)
process.exit(status === 'done' && changes.written.includes('/sum.js') ? 0 : 1)
