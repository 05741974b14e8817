import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { eventSchema } from '../../src/shared/contract/events.ts'
import { startModelServer } from '../model-server/model-server.ts'
import { type ApiRequest, type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { coppice, type RunEvent, type RunResult, root } from '../support/coppice.ts'
import { folderHash } from '../support/folder-hash.ts'
import { padJournal } from '../support/padded-journal.ts'

/**
 * The main job from the command line on a real tree: parallel subagents, a conflict resolved by force, one call edited
 * and one rejected, and a patch that gives the same bytes in a pristine copy. The project has a long history.
 */
const scratch = mkdtempSync(join(tmpdir(), 'coppice-run-'))
const project = join(scratch, 'project')
const pristine = join(scratch, 'pristine')
const data = join(scratch, 'data')

test.describe.configure({ mode: 'serial' })

test.beforeAll(() => {
  mkdirSync(project)
  for (const name of [
    'typescript',
    'react-dom',
    'zod',
    'hono',
    'lucide-react',
    '@types/node',
    'playwright-core',
    'electron-vite',
  ]) {
    const from = join(root, 'node_modules', name)
    if (existsSync(from)) cpSync(from, join(project, 'vendor', name), { recursive: true, dereference: false })
  }
  cpSync(join(root, 'e2e/fixtures/ledger'), project, { recursive: true })
  cpSync(project, pristine, { recursive: true, preserveTimestamps: true })
  // In a journal of this length, no process finds a finished thread in memory.
  padJournal(data, project, 5_000)
})
test.afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const spawned = ['fees', 'limits', 'docs']

/** Two subagents rewrite the same line, and all three add their own files. One of them also deletes and moves files. */
const scenario: Scenario = (request) => {
  const task = taskOf(request)
  const turn = turnOf(request)
  if (task.startsWith('fees')) return subagent(turn, 'kind: "fee"', '/src/fees.js')
  if (task.startsWith('limits')) return subagent(turn, 'kind: "limited"', '/src/limits.js')
  if (task.startsWith('docs')) return docs(turn)
  return main(turn, request)
}

function main(turn: number, request: ApiRequest) {
  switch (turn) {
    case 0:
      return {
        text: 'I plan.',
        calls: [
          { name: 'write_todos', input: { todos: [{ content: 'Split the work', status: 'in_progress' }] } },
          { name: 'grep', input: { pattern: 'deposit', path: '/src' } },
        ],
      }
    case 1:
      return {
        calls: [
          {
            name: 'spawn_subagents',
            input: { tasks: spawned.map((name) => ({ task: `${name}: do your part`, name })) },
          },
        ],
      }
    case 2:
      return { calls: [{ name: 'merge_subagent', input: { handle: spawned.map((_, index) => `subagent_${index}`) } }] }
    case 3:
      return {
        calls: [{ name: 'merge_subagent', input: { handle: 'subagent_1', paths: ['/src/account.js'], force: true } }],
      }
    case 4:
      return {
        calls: [
          { name: 'execute', id: 'edited', input: { command: 'echo original > /etc/never' } },
          { name: 'execute', id: 'rejected', input: { command: 'rm -rf src' } },
          {
            name: 'execute',
            id: 'approved',
            input: {
              command: 'printf "made by a command\\n" > made.txt && chmod +x made.txt && node --test tests/*.test.js',
            },
          },
          { name: 'read_file', id: 'ungated', input: { file_path: '/README.md' } },
        ],
      }
    default:
      return { text: `All is done after ${request.messages.length} messages.` }
  }
}

function subagent(turn: number, mark: string, file: string) {
  if (turn === 0) return { calls: [{ name: 'read_file', input: { file_path: '/src/account.js' } }] }
  if (turn === 1) {
    return {
      calls: [
        { name: 'edit_file', input: { file_path: '/src/account.js', old_string: "kind: 'deposit'", new_string: mark } },
        { name: 'write_file', input: { file_path: file, content: `export const mark = ${JSON.stringify(mark)}\n` } },
      ],
    }
  }
  return { text: `${file} is there.` }
}

function docs(turn: number) {
  if (turn === 0) {
    return {
      calls: [
        { name: 'move', input: { from: '/docs/guide.md', to: '/docs/manual.md' } },
        { name: 'delete', input: { path: '/src/format.js' } },
        { name: 'write_file', input: { file_path: '/docs/naïve name.md', content: 'no newline at the end' } },
        { name: 'edit_file', input: { file_path: '/docs/no-newline.txt', old_string: 'three', new_string: 'drei' } },
      ],
    }
  }
  return { text: 'The manual is written.' }
}

let first: RunResult
let threadId = ''
let before = ''
let url = ''

const ended = (result: RunResult): RunEvent => {
  const last = result.events.at(-1)
  if (!last) throw new Error(`no events: ${result.stderr}`)
  return last
}

/** The tree after each step, by agent. */
function treesOf({ events }: RunResult): ReadonlyMap<string, readonly unknown[]> {
  const names = new Map(
    events.flatMap(({ type, threadId: id, title }) => (type === 'thread.created' ? [[id, title]] : [])),
  )
  const trees = new Map<string, unknown[]>()
  for (const { type, threadId: id, treeHash } of events) {
    if (type !== 'checkpoint') continue
    const name = String(names.get(id))
    trees.set(name, [...(trees.get(name) ?? []), treeHash])
  }
  return trees
}

test('runs until only a person can continue it, and has changed nothing on disk', async () => {
  // Each decision of the next run is about a call that asks before it runs.
  mkdirSync(data, { recursive: true })
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ approvals: { commands: 'before' } }))
  before = folderHash(project)
  expect(readdirSync(project, { recursive: true }).length).toBeGreaterThan(5000)
  await using server = await startModelServer(scenario)
  url = server.url
  first = await coppice(['run', project, '--task', 'main: split the ledger', '--json', '--data-dir', data], {
    ANTHROPIC_API_KEY: 'sk-test',
    ANTHROPIC_BASE_URL: url,
  })
  expect(first.code, first.stderr).toBe(3)
  const last = ended(first)
  expect(last).toMatchObject({ type: 'run.finished', status: 'interrupted', reason: 'interrupt' })
  threadId = String(last.threadId)
  expect(first.events.slice(0, -1).filter((event) => !eventSchema.safeParse(event).success)).toEqual([])
  const [interrupt] = last.interrupts as { agent: string; action_requests: { callId: string; name: string }[] }[]
  expect(interrupt?.action_requests.map(({ callId }) => callId)).toEqual(['edited', 'rejected', 'approved'])
  expect(folderHash(project)).toBe(before)
})

test('has reported each subagent, refused the conflict, then taken one side by force', () => {
  const results = first.events.filter(
    ({ type, name }) => type === 'tool.finished' && (name === 'merge_subagent' || name === 'spawn_subagents'),
  )
  const [spawn, merge, force] = results.map(
    (event) =>
      JSON.parse((event.result as { content: { text: string }[] }).content[0]?.text ?? '') as Record<string, never>,
  )
  expect(spawn?.subagents).toMatchObject([
    { handle: 'subagent_0', name: 'fees', result: '/src/fees.js is there.' },
    { handle: 'subagent_1' },
    {
      handle: 'subagent_2',
      diff: { deleted: ['/src/format.js'], renamed: [{ from: '/docs/guide.md', to: '/docs/manual.md' }] },
    },
  ])
  expect(merge).toMatchObject({
    written: expect.arrayContaining(['/src/account.js', '/src/fees.js', '/src/limits.js']),
    skipped: ['/src/account.js'],
    conflicts: [{ path: '/src/account.js', mergeable: false }],
  })
  expect(force).toMatchObject({ written: ['/src/account.js'], conflicts: [{ path: '/src/account.js' }], skipped: [] })
  const read = first.events.find(({ type, callId }) => type === 'tool.finished' && callId === 'ungated')
  expect(read, 'a read that needs no approval does not wait for approvals').toBeDefined()
})

test('continues with a separate decision for each call, and writes a patch that git accepts', async () => {
  const decisions = join(scratch, 'decisions.json')
  const patch = join(scratch, 'out.patch')
  writeFileSync(
    decisions,
    JSON.stringify([
      { callId: 'edited', type: 'edit', args: { command: 'echo edited > edited.txt' } },
      { callId: 'rejected', type: 'reject', message: 'keep the sources' },
      { callId: 'approved', type: 'approve' },
    ]),
  )
  await using server = await startModelServer(scenario)
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const result = await coppice(
    ['resume', threadId, '--decisions', decisions, '--patch', patch, '--json', '--data-dir', data],
    environment,
  )
  expect(result.code, result.stderr).toBe(0)
  const last = ended(result)
  expect(last).toMatchObject({
    status: 'done',
    reason: 'completed',
    interrupts: [],
    answer: expect.stringContaining('All is done'),
  })
  const outcomes = Object.fromEntries(
    result.events
      .filter(({ type }) => type === 'tool.finished')
      .map((event) => [event.callId, (event.result as { outcome: string }).outcome]),
  )
  expect(outcomes).toEqual({ edited: 'ok', rejected: 'rejected', approved: 'ok' })
  expect(folderHash(project)).toBe(before)
  expect(last.changes).toMatchObject({
    deleted: ['/src/format.js'],
    renamed: [{ from: '/docs/guide.md', to: '/docs/manual.md' }],
  })

  execFileSync('git', ['init', '-q'], { cwd: pristine })
  execFileSync('git', ['-c', 'core.autocrlf=false', 'apply', '--check', patch], { cwd: pristine })
  execFileSync('git', ['-c', 'core.autocrlf=false', 'apply', patch], { cwd: pristine })
  rmSync(join(pristine, '.git'), { recursive: true })
})

test('gives the same trees and the same patch over chat completions, by a profile of the settings', async () => {
  const otherData = join(scratch, 'other-data')
  const patch = join(scratch, 'other.patch')
  await using server = await startModelServer(scenario)
  mkdirSync(otherData, { recursive: true })
  writeFileSync(
    join(otherData, 'settings.json'),
    JSON.stringify({
      approvals: { commands: 'before' },
      providers: { gate: { kind: 'openai', base_url: `${server.url}/v1`, auth: { env: 'GATE_TOKEN' } } },
    }),
  )
  const environment = { GATE_TOKEN: 'canary-token' }
  const other = await coppice(
    ['run', project, '--task', 'main: split the ledger', '--model', 'gate/m1', '--json', '--data-dir', otherData],
    environment,
  )
  expect(other.code, other.stderr).toBe(3)
  const decided = await coppice(
    [
      ...['resume', String(ended(other).threadId), '--decisions', join(scratch, 'decisions.json'), '--patch', patch],
      ...['--json', '--data-dir', otherData],
    ],
    environment,
  )
  expect(decided.code, decided.stderr).toBe(0)
  expect([...treesOf(first).keys()]).toHaveLength(1 + spawned.length)
  expect(treesOf(other)).toEqual(treesOf(first))
  expect(readFileSync(patch, 'utf8')).toBe(readFileSync(join(scratch, 'out.patch'), 'utf8'))
  const usage = other.events.filter(({ type }) => type === 'usage')
  expect([...new Set(usage.map(({ model }) => model))]).toEqual(['gate/m1'])
  expect(other.stdout + other.stderr + decided.stdout + decided.stderr).not.toContain('canary-token')
})

test('after an apply to disk, the folder has exactly the same files', async () => {
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url }
  await using server = await startModelServer(() => ({ text: 'Nothing more.' }))
  const result = await coppice(
    ['run', project, '--thread', threadId, '--task', 'finish', '--apply', '--json', '--data-dir', data],
    { ...environment, ANTHROPIC_BASE_URL: server.url },
  )
  expect(result.code, result.stderr).toBe(0)
  expect(folderHash(project, { times: false })).toBe(folderHash(pristine, { times: false }))
  expect(readFileSync(join(project, 'src/account.js'), 'utf8')).toContain('kind: "limited"')
  expect(readFileSync(join(project, 'edited.txt'), 'utf8')).toBe('edited\n')
})

test('the run is in the list and can be exported', async () => {
  const listed = await coppice(['threads', '--json', '--data-dir', data])
  expect(JSON.parse(listed.stdout)).toMatchObject([{ threadId, status: 'done', title: 'main: split the ledger' }])
  const exported = await coppice(['export', threadId, '--transcript', '-', '--data-dir', data])
  expect(exported.code).toBe(0)
  expect(exported.stdout).toContain('# main: split the ledger')
  expect(exported.stdout).toContain('## Subagent fees (subagent_0)')
})
