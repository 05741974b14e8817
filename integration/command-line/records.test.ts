import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import type { Answer, Scenario } from '../../e2e/model-server/scenario.ts'
import { type RunEvent, root } from '../../e2e/support/coppice.ts'
import { coppice } from './coppice.testkit.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-records-'))
const secret = 'sk-ant-api03-CANARY-0123456789abcdef'

/** A copy of the fixture project, a data folder, and the command line over a model that follows a scenario. */
async function open(scenario: Scenario) {
  const server = await startModelServer(scenario)
  const [work, data] = [folder(), folder()]
  const project = join(work, 'ledger')
  cpSync(join(root, 'e2e/fixtures/ledger'), project, { recursive: true })
  const file = join(work, 'bug.jsonl')
  return {
    ...{ server, project, data, file },
    run: (...args: readonly string[]) =>
      coppice(['run', project, '--data-dir', data, ...args], {
        ANTHROPIC_API_KEY: secret,
        ANTHROPIC_BASE_URL: server.url,
      }),
    /** Without a key and without an address, in a data folder of its own. */
    replay: (...args: readonly string[]) =>
      coppice(['run', project, '--replay', file, '--data-dir', folder(), '--json', ...args]),
    export: (...args: readonly string[]) => coppice(['export', 'last', '--data-dir', data, ...args]),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const lastOf = ({ events }: { readonly events: readonly RunEvent[] }) =>
  events.at(-1) as unknown as { readonly replay: { readonly same: boolean; readonly difference?: { message: string } } }

/** Edits, two parallel subagents, a merge, a command, and calls that ask. */
const busy: Scenario = ({ messages }): Answer => {
  const first = JSON.stringify(messages[0])
  const turn = messages.filter(({ role }) => role === 'assistant').length
  const own = first.includes('first part')
    ? [{ name: 'write_file', input: { file_path: '/first.txt', content: '1' } }]
    : first.includes('second part')
      ? [{ name: 'write_file', input: { file_path: '/second.txt', content: '2' } }]
      : undefined
  if (own) return turn === 0 ? { calls: own } : { text: 'Part done.' }
  const calls = [
    { name: 'edit_file', input: { file_path: '/package.json', old_string: '"name"', new_string: '"title"' } },
    { name: 'spawn_subagents', input: { tasks: ['the first part', 'the second part'] } },
    { name: 'merge_subagent', input: { handle: ['subagent_0', 'subagent_1'] } },
    { name: 'execute', input: { command: 'echo from a command > made.txt' } },
  ][turn]
  return calls ? { calls: [calls] } : { text: 'All done.' }
}

describe('records', () => {
  it('a recorded run replays offline to the same trees, and so does its export', async () => {
    await using world = await open(busy)
    const recorded = await world.run('--task', 'do it', '--approve', 'all', '--record', world.file)
    expect(recorded.code, recorded.stderr).toBe(0)
    expect(recorded.stderr).toContain(`The record is in ${world.file}`)
    const asked = world.server.requests.length
    const text = readFileSync(world.file, 'utf8')

    const again = await world.replay('--approve', 'all')
    expect(lastOf(again).replay, again.stderr).toEqual({ same: true, steps: 9, agents: 3 })
    expect(again.code).toBe(0)

    const exported = await world.export('--record', '-')
    const linesOf = (record: string) => record.split('\n').slice(1)
    expect(linesOf(exported.stdout)).toEqual(linesOf(text))
    writeFileSync(world.file, exported.stdout)
    expect(lastOf(await world.replay('--approve', 'all')).replay.same).toBe(true)
    expect(world.server.requests.length, 'no model was asked').toBe(asked)
  })

  it('a replay asks no hooks, so that a record starts no programs of this machine', async () => {
    await using world = await open(busy)
    const told = join(folder(), 'told')
    const hook = (event: string) => ({
      [event]: [{ hooks: [{ type: 'command', command: `echo ${event} >> ${told}` }] }],
    })
    const hooks = { ...hook('SessionStart'), ...hook('PreToolUse'), ...hook('SessionEnd') }
    writeFileSync(join(world.data, 'settings.json'), JSON.stringify({ hooks }))
    await world.run('--task', 'do it', '--approve', 'all', '--record', world.file)
    expect(readFileSync(told, 'utf8')).toContain('PreToolUse')
    writeFileSync(told, '')
    const replay = ['run', world.project, '--replay', world.file, '--approve', 'all', '--json']
    const again = await coppice([...replay, '--data-dir', world.data])
    expect(lastOf(again).replay.same, again.stderr).toBe(true)
    expect(readFileSync(told, 'utf8')).toBe('')
  })

  it('a person reads in one line that all is as recorded', async () => {
    await using world = await open(busy)
    await world.run('--task', 'do it', '--approve', 'all', '--record', world.file)
    const { code, stderr, stdout } = await coppice([
      'run',
      world.project,
      '--replay',
      world.file,
      ...['--approve', 'all'],
      '--data-dir',
      folder(),
    ])
    expect(stderr).toContain('Replayed 9 steps of 3 agents: every tree is the recorded one.')
    expect([code, stdout]).toEqual([0, 'All done.\n'])
  })

  it('the first difference is named, and fails the run', async () => {
    await using world = await open(busy)
    await world.run('--task', 'do it', '--approve', 'all', '--record', world.file)
    const text = readFileSync(world.file, 'utf8')
    const original = readFileSync(join(world.project, 'package.json'), 'utf8')

    writeFileSync(join(world.project, 'package.json'), `${original}\n`)
    const base = await world.replay()
    expect([base.code, base.events.at(-1)?.reason]).toEqual([1, 'replay'])
    expect(lastOf(base).replay.difference).toMatchObject({
      ...{ kind: 'tree', agent: 'main', step: 1, files: ['/package.json'] },
      message: expect.stringContaining('In the folder, /package.json is not as when it was recorded.'),
    })

    writeFileSync(join(world.project, 'package.json'), original)
    writeFileSync(world.file, text.replace('"content":"2"', '"content":"other"'))
    const reply = await world.replay()
    expect(lastOf(reply).replay.difference).toMatchObject({
      ...{ kind: 'tree', agent: 'main/subagent_1', step: 1, files: ['/second.txt'] },
    })

    const lines = text.split('\n')
    const missing = lines.filter((line) => !line.startsWith('{"kind":"reply","agent":"main","number":5'))
    expect(missing).toHaveLength(lines.length - 1)
    writeFileSync(world.file, missing.join('\n'))
    const plain = await coppice([
      'run',
      world.project,
      '--replay',
      world.file,
      '--approve',
      'all',
      '--data-dir',
      folder(),
    ])
    expect(plain.code).toBe(1)
    expect(plain.stderr).toContain(
      'Failed: After step 4, main asked for reply 5, but the record has only 4 replies of this run.',
    )
  })

  it('the decisions of a person are replayed, and a run that waited waits again', async () => {
    await using world = await open(({ messages }) =>
      messages.length === 1
        ? {
            calls: [
              { name: 'write_file', input: { file_path: '/yes.txt', content: 'x' } },
              { name: 'write_file', input: { file_path: '/no.txt', content: 'x' } },
            ],
          }
        : { text: 'Done.' },
    )
    const waiting = await world.run('--task', 'x', '--mode', 'ask', '--json')
    expect(waiting.code).toBe(3)
    const interrupts = waiting.events.at(-1)?.interrupts as readonly {
      readonly action_requests: readonly { readonly callId: string }[]
    }[]
    const [yes, no] = interrupts[0]?.action_requests ?? []
    await world.export('--record', world.file)
    const waits = await world.replay()
    expect([waits.code, lastOf(waits).replay.same, waits.events.at(-1)?.status]).toEqual([0, true, 'interrupted'])

    const decisions = join(folder(), 'decisions.json')
    writeFileSync(
      decisions,
      JSON.stringify([
        { callId: yes?.callId, type: 'approve' },
        { callId: no?.callId, type: 'reject' },
      ]),
    )
    const resumed = await coppice(['resume', 'last', '--data-dir', world.data, '--decisions', decisions], {
      ANTHROPIC_API_KEY: secret,
      ANTHROPIC_BASE_URL: world.server.url,
    })
    expect(resumed.code, resumed.stderr).toBe(0)
    await world.export('--record', world.file)
    const again = await world.replay()
    expect(lastOf(again).replay, again.stderr).toMatchObject({ same: true })
    expect(again.events.at(-1)?.changes).toMatchObject({ written: ['/yes.txt'] })
  })

  it('the key is in no record, no event and no environment of a command', async () => {
    await using world = await open(({ messages }) =>
      messages.length === 1
        ? {
            calls: [
              { name: 'execute', input: { command: 'env; cat /proc/*/environ 2> /dev/null | tr "\\0" "\\n"; true' } },
            ],
          }
        : { text: `The key is ${secret}.` },
    )
    const { stdout, stderr } = await world.run(
      '--task',
      `Never say ${secret}`,
      '--approve',
      'all',
      '--json',
      '--record',
      world.file,
    )
    const results = stdout.split('\n').filter((line) => line.includes('"tool.finished"'))
    expect(results.length).toBe(1)
    expect(results.join()).not.toContain('CANARY')
    expect(stderr).not.toContain('CANARY')
    expect(stderr).toMatch(/What looks like a secret was replaced in \d+ lines of the record/)
    expect(readFileSync(world.file, 'utf8')).not.toContain('CANARY')
    const exported = await world.export('--record', '-')
    expect(exported.stdout).not.toContain('CANARY')
    expect(exported.stderr).toContain('--with-secrets keeps it.')
    expect((await world.export('--record', '-', '--with-secrets')).stdout).toContain('CANARY')
  })

  const bad = folder()
  const text = (name: string, content: string) => {
    writeFileSync(join(bad, name), content)
    return join(bad, name)
  }
  for (const [name, args, message] of [
    [
      'a task',
      ['--replay', text('a', '{}'), '--task', 'x'],
      '--replay takes the task from its record. Leave --task out.',
    ],
    ['a model', ['--replay', text('a', '{}'), '--model', 'demo'], 'Leave --model out.'],
    ['an apply', ['--replay', text('a', '{}'), '--apply'], '--apply cannot be used with --replay.'],
    ['a missing file', ['--replay', join(bad, 'none')], '--replay: cannot read'],
    [
      'a foreign file',
      ['--replay', text('b', '{"type":"message"}\n')],
      'This is no record. Make one with: coppice run --record FILE',
    ],
    [
      'a newer record',
      ['--replay', text('c', '{"kind":"record","version":2}')],
      'This record is of a newer kind (2). This version reads 1. Update Coppice',
    ],
    [
      'a record without a place',
      ['--task', 'x', '--record', '/no/such/place/r.jsonl'],
      '--record: there is no folder /no/such/place',
    ],
    ['a record on standard output', ['--task', 'x', '--record', '-'], '--record needs a file'],
    [
      'a record over another file',
      ['--task', 'x', '--model', 'demo', '--record', text('d', 'mine')],
      'A record is never written over something else',
    ],
    ['secrets of no record', ['--task', 'x', '--with-secrets'], '--with-secrets is about the file of --record.'],
  ] as const) {
    it(`usage error: ${name}`, async () => {
      const result = await coppice(['run', join(root, 'e2e/fixtures/ledger'), ...args, '--data-dir', folder()])
      expect(result.stderr).toContain(message)
      expect(result.code).toBe(2)
      expect(existsSync(join(bad, 'd')) ? readFileSync(join(bad, 'd'), 'utf8') : 'mine').toBe('mine')
    })
  }
})
