import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { isQuick } from '#core/ports/test-size.testkit.ts'
import { emptyTree } from '#overlay'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import { folderHash } from '../e2e/support/folder-hash.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { exportPatch } from '../src/main/host/changes/export-patch.ts'
import { scriptedAgent, told } from './external-agent.testkit.ts'
import { openWorld } from './world.testkit.ts'

/**
 * What real agents do rarely and hostile ones on purpose. Whatever it is: the branch has what the view has, the folder is
 * untouched, nothing runs or stays mounted when the app has ended, and what cannot be kept is named.
 */

async function open(env: Readonly<Record<string, string>> = {}) {
  const mark = `hostile-${crypto.randomUUID()}`
  const definition = { name: 'scripted', description: 'd', acp: 'node agent.mjs', env: { ...env, MARK: mark } }
  const world = await openWorld(() => ({ text: '' }), {
    files: { 'agent.mjs': scriptedAgent, 'a.txt': 'one\n', 'b.txt': 'two\n', 'sub/c.txt': 'three\n' },
    settings: { subagents: [definition] },
    openSandbox: () => openSandbox([]),
  })
  const before = folderHash(world.folder)
  const { runtime, services } = world.project
  const begin = (steps: readonly object[], approvalMode: ApprovalMode = 'auto'): ThreadId => {
    const options = { title: 'job', model: 'agent/scripted', approvalMode } as const
    return runtime.begin(options, () => [{ type: 'text', text: told(steps) }])
  }
  const ask = async (steps: readonly object[], approvalMode?: ApprovalMode): Promise<ThreadId> => {
    const id = begin(steps, approvalMode)
    await runtime.whenIdle(id)
    return id
  }
  const said = (id: ThreadId) =>
    world
      .thread(id)
      .messages.flatMap((message) => (message.role === 'assistant' ? [textOf(message.content)] : []))
      .join('')
  const textsOf = (id: ThreadId) =>
    [...world.thread(id).calls.values()].map((call) => textOf(resultOf(call)?.content ?? []))
  return {
    ...world,
    begin,
    ask,
    said,
    textsOf,
    async say(id: ThreadId, text: string) {
      runtime.send(id, [{ type: 'text', text }], 'queue')
      await runtime.whenIdle(id)
    },
    /** The branch as `git apply` makes it, and the view as the agent sees it: one hash of names and contents each. */
    async expectSame(id: ThreadId) {
      runtime.send(id, [{ type: 'text', text: told([{ do: 'shell', command: listing }]) }], 'queue')
      await runtime.whenIdle(id)
      const copy = mkdtempSync(join(tmpdir(), 'coppice-copy-'))
      cpSync(world.folder, copy, { recursive: true })
      const tree = services.log.trees.heads.get(world.thread(id).branchId) ?? emptyTree
      writeFileSync(join(copy, '.patch'), (await exportPatch(world.project, tree, null)).bytes)
      execFileSync('git', ['apply', '--allow-empty', '.patch'], { cwd: copy })
      execFileSync('rm', ['.patch'], { cwd: copy })
      expect(textsOf(id).at(-1)).toBe(execFileSync('sh', ['-c', listing], { cwd: copy }).toString())
    },
    async expectNothingLeft() {
      expect(folderHash(world.folder)).toBe(before)
      await world.host[Symbol.asyncDispose]()
      expect(processesWith(mark)).toEqual([])
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(world.data)
    },
  }
}

const listing = 'find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum'

function processesWith(mark: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(mark)
    } catch {
      return false
    }
  })
}

const canMap = (() => {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import mmap'])
    return true
  } catch {
    console.warn('SKIPPED: writing by mmap. There is no /usr/bin/python3.')
    return false
  }
})()

it('keeps what was written through a map of memory, a hard link or a name taken over', async () => {
  const world = await open()
  const map = `/usr/bin/python3 -c "
import mmap
with open('a.txt', 'r+b') as f:
  with mmap.mmap(f.fileno(), 0) as m: m[0:3] = b'map'"`
  const id = await world.ask([
    { do: 'shell', command: canMap ? map : 'printf map > a.txt; echo >> a.txt' },
    { do: 'shell', command: 'ln b.txt linked.txt; echo through >> linked.txt' },
    {
      do: 'shell',
      command: 'echo over > sub/new.txt; mv sub/new.txt sub/c.txt; ln -sf ../a.txt sub/link; rm sub/link',
    },
  ])
  expect(
    await Promise.all(['a.txt', 'b.txt', 'linked.txt', 'sub/c.txt'].map((one) => world.fileOf(id, `/${one}`))),
  ).toEqual(['map\n', 'two\nthrough\n', 'two\nthrough\n', 'over\n'])
  await world.expectSame(id)
  await world.expectNothingLeft()
})

it('keeps all of thousands of files of one call, and names a file that is too large', async () => {
  const world = await open()
  const id = await world.ask([
    { do: 'shell', command: `mkdir many; cd many; seq ${isQuick() ? 1_000 : 10_000} | split -l 1 -a 4 - f` },
    { do: 'shell', command: 'truncate -s 300M big.bin; echo small > small.txt' },
    { say: 'Done.' },
  ])
  // The agent goes on while a call is looked at, so the one before may meet the file.
  const named = world.textsOf(id).filter((text) => /Not kept: \/big\.bin \(314572800 bytes.*\)/.test(text))
  expect(named).toHaveLength(1)
  expect(await world.fileOf(id, '/small.txt')).toBe('small\n')
  await world.say(id, told([{ do: 'shell', command: 'rm big.bin' }]))
  await world.expectSame(id)
  await world.expectNothingLeft()
})

it('takes paths with dots for what they are, and keeps nothing from outside', async () => {
  const world = await open()
  const places = ['sub/../../../etc/passwd', '/etc/../etc/shadow', 'sub/./../a.txt', '..', '']
  const id = await world.ask([{ do: 'write', path: 'a.txt', text: 'dots\n', locations: places }])
  const [call] = world.thread(id).calls.values()
  expect(call).toMatchObject({ changedPaths: ['/a.txt'], input: { paths: ['/a.txt'] } })
  expect(JSON.stringify(call?.input.outside)).toContain('passwd')
  await world.expectSame(id)
  await world.expectNothingLeft()
})

/** Mutation: leave out `joinUpdates`, or what `storePlan` compares and counts. */
it.each([true, false])(
  'stores a flood of twenty thousand updates as a few entries (the same again: %s)',
  async (same) => {
    const world = await open()
    const id = await world.ask([{ flood: 5_000, same }, { say: ' Done.' }])
    const { log } = world.project.services
    expect(log.entries(['todos.written']).length).toBeLessThanOrEqual(same ? 1 : 201)
    expect(log.state.sequence).toBeLessThan(400)
    expect(world.thread(id).todos).toEqual([{ content: `Step ${same ? 0 : 4_999}`, status: 'pending' }])
    expect(world.said(id)).toBe(`${'.'.repeat(5_000)} Done.`)
    expect(world.thread(id).calls.size).toBe(1)
    await world.expectNothingLeft()
  },
)

it('ends a call that never ends with a stop, and keeps what was said and done until then', async () => {
  const world = await open()
  const { runtime } = world.project
  const id = world.begin([
    { do: 'write', path: 'a.txt', text: 'x' },
    { beside: [{ do: 'write', path: 'beside.txt', text: 'y' }], say: 'I wait.' },
    { do: 'shell', command: 'true', never: true },
  ])
  const command = () => [...world.thread(id).calls.values()].find(({ name }) => name === 'agent_command')
  await eventually(() => expect(command()?.startedAt).toBeTruthy())
  runtime.stop(id)
  await runtime.whenIdle(id)
  expect(world.thread(id).end).toMatchObject({ status: 'stopped', reason: 'user' })
  expect(world.said(id)).toBe('I wait.')
  await world.expectSame(id)
  expect([await world.fileOf(id, '/a.txt'), await world.fileOf(id, '/beside.txt')]).toEqual(['x', 'y'])
  await world.expectNothingLeft()
})

/** Mutation: leave out `storeLast` in `external-agent.ts`. */
it.each(['stop', 'end of the app'])('keeps what it said before a %s, and goes on with it', async (how) => {
  const world = await open()
  const { runtime } = world.project
  const heard = Promise.withResolvers<void>()
  const listening = world.project.events.listen((event) => {
    if (event.type === 'message.delta' && event.text.includes('words')) heard.resolve()
  })
  const id = world.begin([{ say: 'Some ' }, { say: 'words.' }, { hang: true }])
  await heard.promise
  listening[Symbol.dispose]()
  if (how === 'stop') {
    runtime.stop(id)
    await runtime.whenIdle(id)
    expect(world.said(id)).toBe('Some words.')
    runtime.resume(id)
    await runtime.whenIdle(id)
    expect(world.said(id)).toContain('heard: Your turn was cut off')
    await world.expectNothingLeft()
  } else {
    await world.expectNothingLeft()
    expect(world.said(id)).toBe('Some words.')
  }
})

it('says so when it dies while a person is asked, and asks no more', async () => {
  const world = await open()
  const id = await world.ask([{ say: 'May I?' }, { do: 'shell', command: 'true', ask: true, dies: true }], 'ask')
  await eventually(() => expect(world.thread(id).end).toMatchObject({ status: 'failed' }))
  expect(world.thread(id).interrupts).toEqual([])
  expect(world.thread(id).end?.message).toContain('exit code is 4')
  await world.say(id, 'Are you back?')
  expect(world.said(id)).toMatch(/May I\?.*Are you back\?$/s)
  await world.expectNothingLeft()
})

it('is understood behind whatever it prints first', async () => {
  const world = await open({
    GREETING: 'Welcome!\n{"not": "a message"}\n[1]\n\n{"jsonrpc":"2.0","id":77,"result":{}}\n',
  })
  const id = await world.ask([{ say: 'Hello.' }])
  expect(world.said(id)).toBe('Hello.')
  await world.expectNothingLeft()
})

it('has one decision where two windows decide the same card', async () => {
  const world = await open()
  const id = await world.ask([{ do: 'write', path: 'a.txt', text: 'x', ask: true }, { say: 'Done.' }], 'ask')
  const [interrupt] = world.thread(id).interrupts
  const callId = interrupt?.action_requests[0]?.callId
  if (!interrupt || !callId) throw new Error('nothing is asked')
  const { runtime } = world.project
  const decide = (type: 'approve' | 'reject') => runtime.decide(id, interrupt.id, [{ type, callId }])
  decide('reject')
  expect(() => decide('approve')).toThrow(/already decided/)
  await runtime.whenIdle(id)
  expect(await world.fileOf(id, '/a.txt')).toBe('one\n')
  expect([...world.thread(id).calls.values()].map((call) => resultOf(call)?.outcome)).toEqual(['rejected'])
  await world.expectNothingLeft()
})
