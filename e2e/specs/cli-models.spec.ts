import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startModelServer } from '../model-server/model-server.ts'
import { callingInTurn, turnOf } from '../model-server/scenario.ts'
import { coppice } from '../support/coppice.ts'

const scratch = mkdtempSync(join(tmpdir(), 'coppice-models-'))
test.afterAll(() => rmSync(scratch, { recursive: true, force: true }))

let count = 0

/** A project and a data folder of their own, with these settings. */
function place(settings: object) {
  count += 1
  const [project, data] = [join(scratch, `project-${count}`), join(scratch, `data-${count}`)]
  mkdirSync(project)
  mkdirSync(data)
  writeFileSync(join(project, 'sum.js'), 'export const sum = (a, b) => a - b\n')
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  return { project, data, common: ['--json', '--data-dir', data] }
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())

const canary = 'canary-5ecret-of-a-profile'
/** Looks for the key wherever a command may look, and says how often it found it. */
const search = `{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; } 2>/dev/null | tr '\\0' '\\n' | grep -c "5ecret[-]of"; true`

test('a key from a variable reaches the server, and no command, output, file or list of processes', async () => {
  const environment = { GATE_TOKEN: canary }
  const seen: string[] = []
  await using server = await startModelServer((request, from) => {
    // A refusal that repeats the key must not bring it into an error.
    if (from.tries === 0 && turnOf(request) === 0 && from.count === 0)
      return { fault: { kind: 'status', status: 429, body: `{"error":{"message":"Slow down, ${canary}."}}` } }
    return callingInTurn([{ name: 'execute', input: { command: search } }])(request, from)
  })
  server.onHeaders((headers) => seen.push(JSON.stringify(headers)))
  const { project, data, common } = place({
    providers: { gate: { base_url: server.url, auth: { scheme: 'bearer', env: 'GATE_TOKEN' } } },
    retry: { base_delay_ms: 1 },
  })
  const record = join(data, 'run.jsonl')
  const run = await coppice(
    ['run', project, '--task', 'look', '--model', 'gate/m1', '--approve', 'all', '--record', record, ...common],
    environment,
  )
  expect(run.code, run.stderr).toBe(0)
  expect(seen.every((headers) => headers.includes(canary))).toBe(true)
  const result = run.events.find(({ type, name }) => type === 'tool.finished' && name === 'execute')
  expect(JSON.stringify(result)).toMatch(/"0\\n/)
  const last = String(run.events.at(-1)?.threadId)
  const outputs = await Promise.all(
    [
      ['--transcript', '-'],
      ['--journal', '-'],
      ['--record', join(data, 'export.jsonl')],
    ].map((flags) => coppice(['export', last, ...flags, '--data-dir', data], environment)),
  )
  const said = [run, ...outputs].flatMap(({ stdout, stderr }) => [stdout, stderr]).join('\n')
  expect(said).toContain('Slow down')
  expect(said).not.toContain('5ecret-of')
  const holding = filesBelow(data).filter((path) => readFileSync(path).includes('5ecret-of'))
  expect(holding).toEqual([])
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain('5ecret-of')
})
