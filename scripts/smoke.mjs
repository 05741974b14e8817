// `npm run smoke [-- MODEL] [--settings FILE]`: runs one small task against a real model, such as `gate/m1` of a profile in
// your settings. Costs about a cent. Without a profile, the key comes from ANTHROPIC_API_KEY.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './steps.mjs'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { settings: { type: 'string' } } })
const [model] = positionals
const isProfile = model?.includes('/') || values.settings !== undefined
if (!isProfile && !process.env.ANTHROPIC_API_KEY && !process.env.ANTHROPIC_BASE_URL) {
  process.stderr.write(
    'smoke: set ANTHROPIC_API_KEY, or name a model of a profile: npm run smoke -- gate/m1 --settings FILE. This asks the real server and may cost money.\n',
  )
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'coppice-smoke-'))
writeFileSync(join(folder, 'sum.js'), 'export const sum = (a, b) => a - b\n')
const task = 'sum.js has a bug. Fix it with edit_file and say in one sentence what was wrong.'
const parameters = [
  ...['bin/coppice.mjs', 'run', folder, '--task', task, '--max-iterations', '10', '--json'],
  ...(model ? ['--model', model] : []),
  ...(values.settings === undefined ? [] : ['--settings', values.settings]),
]
const run = spawnSync(process.execPath, parameters, {
  cwd: root,
  encoding: 'utf8',
  env: { ...process.env, COPPICE_DATA_DIR: join(folder, '.data') },
})
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
