import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolCallsOf } from '#shared/model/message.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { byTask, callingInTurn, type ScriptedAnswer, type ScriptedCall } from '../ports/model-client.testkit.ts'
import { runs, timeLimit } from '../ports/test-size.testkit.ts'
import type { RecordLine, ThreadRecord } from './record-format.ts'
import { decideAll, parsed, recordOf, replayIn } from './record-world.testkit.ts'

const files = { '/a': 'one\n', '/b': 'two\n', '/c/d': 'three\n' }
const paths = ['/a', '/b', '/c/d', '/new', '/c/new']

const call = (name: string, input: object): ScriptedCall => ({ name, input: input as ScriptedCall['input'] })
const path = fc.constantFrom(...paths)
const content = fc.constantFrom('x\n', 'y\n', 'one\ntwo\n', '')
const write = fc.record({ file_path: path, content }).map((input) => call('write_file', input))
const remove = path.map((one) => call('delete', { path: one }))
const move = fc.record({ from: path, to: path }).map((input) => call('move', input))
const read = path.map((file_path) => call('read_file', { file_path }))
const edit = path.map((file_path) =>
  call('edit_file', { file_path, old_string: 'o', new_string: 'O', replace_all: true }),
)
const code = path.map((one) =>
  call('run_js_code', { code: `await fs.write('${one}', 'code'); await fs.write('/by-code', 'x')` }),
)
const command = path.map((one) => call('execute', { command: `echo shell > .${one}; rm -f b` }))
const own = fc.oneof(write, write, edit, read, remove, move, code, command)
const turns = fc.array(fc.array(own, { minLength: 1, maxLength: 3 }), { maxLength: 3 })

/** What each agent of a thread does: the main agent starts up to three in parallel, and merges some of them. */
const plans = fc.record({
  before: turns,
  agents: fc.array(turns, { maxLength: 3 }),
  together: fc.constantFrom('spawn_subagents', 'task', 'batch_task'),
  merged: fc.array(fc.nat(2), { maxLength: 3 }),
  after: turns,
  mode: fc.constantFrom('ask' as const, 'auto-edit' as const, 'auto' as const),
  answers: fc.array(fc.constantFrom('approve', 'reject'), { minLength: 1, maxLength: 5 }),
  more: fc.boolean(),
})
type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never

const replies = (all: readonly (readonly ScriptedCall[])[]): ScriptedAnswer[] => all.map((calls) => ({ calls }))

function scriptOf({ before, agents, together, merged, after }: Plan) {
  const names = agents.map((_, number) => `agent ${number}`)
  const started: ScriptedCall[] =
    together === 'task'
      ? names.map((description) => call('task', { description }))
      : [call(together, { tasks: names.map((name) => (together === 'batch_task' ? { description: name } : name)) })]
  const merges = merged.map((number) => [call('merge_subagent', { handle: [`subagent_${number}`] })])
  const main = [...before, ...(agents.length > 0 ? [started] : []), ...merges, ...after]
  return byTask({
    main: [...replies(main), { text: 'Main is done.' }, { text: 'Still done.' }],
    ...Object.fromEntries(agents.map((own, number) => [`agent ${number}`, [...replies(own), { text: 'Done.' }]])),
  })
}

async function recorded(plan: Plan): Promise<string> {
  const world = await openWorld({ files, script: scriptOf(plan), settings: { policy: held } })
  const id = world.begin('main', plan.mode)
  const choose = (_: unknown, number: number) => ({ type: plan.answers[number % plan.answers.length] })
  await decideAll(world, id, choose)
  if (plan.more) {
    await world.say(id, 'Go on.')
    await decideAll(world, id, choose)
  }
  return recordOf(world, id)
}

/** Commands run in the sandbox, and what they did waits. */
const held = { interruptOn: new Map(), rules: { deny: [], ask: [], allow: [] } }

/** The record with some lines changed; null leaves one out. */
function changed(record: ThreadRecord, change: (line: RecordLine, index: number) => RecordLine | null): ThreadRecord {
  return { ...record, lines: record.lines.flatMap((line, index) => change(line, index) ?? []) }
}

/** What the drawn threads did, so that none of it is missing from the proof. */
function seenIn({ lines }: ThreadRecord): readonly string[] {
  const calls = lines.flatMap((line) =>
    line.kind === 'reply' ? toolCallsOf(line.message).map(({ name }) => name) : [],
  )
  const decided = lines.flatMap((line) => (line.kind === 'decision' ? [line.decision.type] : []))
  return [...calls, ...decided, ...lines.map(({ agent }) => agent)]
}

const expectedToSee = [
  ...['write_file', 'edit_file', 'delete', 'move', 'run_js_code', 'execute', 'merge_subagent'],
  ...['task', 'spawn_subagents', 'batch_task', 'approve', 'reject', 'main/subagent_0', 'main/subagent_2'],
]

describe('a replay', () => {
  it(
    'of any thread makes the recorded trees, and its own record is the same',
    async () => {
      const seen = new Set<string>()
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const record = parsed(await recorded(plan))
          for (const one of seenIn(record)) seen.add(one)
          const replayed = await replayIn(record, { files, settings: { policy: held } })
          expect(replayed.difference).toBeUndefined()
          expect(replayed.steps).toBe(record.lines.filter(({ kind }) => kind === 'reply').length)
          const again = parsed(recordOf(replayed.world, replayed.threadId))
          expect(treesIn(again)).toEqual(treesIn(record))
        }),
        runs(100),
      )
      expect([...seen]).toEqual(expect.arrayContaining(expectedToSee))
    },
    timeLimit(120_000),
  )

  it(
    'names the agent and the step of another tree, wherever it is',
    async () => {
      const kinds = new Set<string>()
      await fc.assert(
        fc.asyncProperty(plans, fc.nat(), async (plan, drawn) => {
          const record = parsed(await recorded(plan))
          const trees = record.lines.flatMap((line, index) => (line.kind === 'tree' ? [index] : []))
          const at = trees[drawn % trees.length] ?? 0
          const other = changed(record, (line, index) =>
            index === at && line.kind === 'tree' ? { ...line, tree: 'f'.repeat(64) } : line,
          )
          const { difference } = await replayIn(other, { files, settings: { policy: held } })
          const line = record.lines[at]
          expect(difference).toMatchObject({ kind: 'tree', agent: line?.agent, expected: 'f'.repeat(64) })
          kinds.add(difference?.agent ?? '')
        }),
        runs(20),
      )
      expect(kinds.size).toBeGreaterThan(1)
    },
    timeLimit(120_000),
  )

  const editing = callingInTurn([
    ['write_file', { file_path: '/new', content: 'recorded\n' }],
    ['edit_file', { file_path: '/a', old_string: 'one', new_string: 'ONE' }],
    ['write_file', { file_path: '/last', content: 'x' }],
  ])
  const edited = async (): Promise<ThreadRecord> => {
    const world = await openWorld({ files, script: editing })
    return parsed(recordOf(world, await world.run('main')))
  }

  it('names a file of the folder that is not as it was', async () => {
    const { difference } = await replayIn(await edited(), { files: { ...files, '/a': 'one, but other\n' } })
    expect(difference).toMatchObject({ kind: 'tree', agent: 'main', step: 2, files: ['/a'] })
    expect(difference?.message).toMatch(
      /^Step 2 of main made another tree than recorded \(\w{12} instead of \w{12}\)\. What differs: \/a\. In the folder, \/a is not as when it was recorded\.$/,
    )
  })

  it('names the file that another reply makes, and runs no step after it', async () => {
    const record = changed(await edited(), (line) =>
      line.kind === 'reply' && line.number === 1
        ? (JSON.parse(JSON.stringify(line).replace('recorded\\n', 'other')) as RecordLine)
        : line,
    )
    const { difference, world, threadId, steps } = await replayIn(record, { files })
    expect(difference).toMatchObject({ kind: 'tree', agent: 'main', step: 1, files: ['/new'] })
    expect(difference?.message).not.toContain('In the folder')
    expect(steps).toBe(1)
    expect(await world.files(threadId)).toEqual({ ...files, '/new': 'other' })
  })

  it.each([
    [2, 'After step 1, main asked for reply 2, which is missing from the record.'],
    [4, 'After step 3, main asked for reply 4, but the record has only 3 replies of this run.'],
  ])('names reply %i when it is missing', async (number, message) => {
    const record = changed(await edited(), (line) => (line.kind === 'reply' && line.number === number ? null : line))
    const { difference, world, threadId } = await replayIn(record, { files })
    expect(difference).toMatchObject({ kind: 'asks', agent: 'main', step: number - 1, message })
    expect(world.thread(threadId).status).not.toBe('working')
  })

  it('says what was recorded and did not come', async () => {
    const record = changed(await edited(), (line) =>
      line.kind === 'reply' && line.number === 2
        ? { ...line, message: { ...line.message, content: [{ type: 'text', text: 'Done.' }], stopReason: 'end_turn' } }
        : line,
    )
    const { difference } = await replayIn(record, { files })
    expect(difference?.message).toBe('main ended after step 2. In the record it goes on: reply 3 was not asked for.')
  })

  it('of a run that was cut ends where its record does, at any line', async () => {
    const whole = await edited()
    for (let length = 0; length < whole.lines.length; length += 1) {
      const lines = whole.lines.slice(0, length)
      if (!lines.some(({ kind }) => kind === 'start')) continue
      const { difference, steps } = await replayIn({ ...whole, lines }, { files })
      expect(difference, `${length} lines`).toBeUndefined()
      expect(steps).toBe(lines.filter(({ kind }) => kind === 'reply').length)
    }
  })

  it('says which call waits when nobody decided about it in the record', async () => {
    const record = changed(await edited(), (line) => line)
    const { difference } = await replayIn({ ...record, header: { ...record.header, approvalMode: 'ask' } }, { files })
    expect(difference?.message).toBe(
      'main cannot go on: the call of write_file waits for a decision that the record does not hold, or that leaves the sandbox.',
    )
  })
})

function treesIn({ lines }: ThreadRecord): Readonly<Record<string, readonly string[]>> {
  const trees: Record<string, string[]> = {}
  for (const line of lines) {
    if (line.kind !== 'tree') continue
    const own = trees[line.agent] ?? []
    trees[line.agent] = [...own, `${line.step} ${line.tree}`]
  }
  return trees
}
