import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { deleteThread, restoreThread } from '#core/commands/threads.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { entryAt, treeHash } from '#overlay'
import { type Call, openOutcome, resultOf } from '#shared/model/calls/call.ts'
import { undoMark, undoneBy } from '#shared/model/derived/undo.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { redoRewind, rewindTo } from '../src/main/host/testing/person.testkit.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { findLastUndoable } from '../src/main/host/threads/last-undoable.ts'

/**
 * A database that version 0.1.0 wrote before entries were declared as schemas and undos named what they undo. A root
 * agent had a plan, edits, code, a command, a question, subagents, a batch and memory; a person merged, undid, forced,
 * resolved, discarded, restored, applied, rewound, copied and compacted. `state.json` holds what that version saw.
 */
const kept = join(import.meta.dirname, 'kept-journal')

/** The words of that version for where a call stands. */
const phases = {
  requested: 'requested',
  asking: 'waiting',
  decided: 'decided',
  running: 'running',
  'kept back': 'running',
  finished: 'finished',
} as const

interface SeenState {
  readonly sequence: number
  readonly threads: readonly { readonly id: ThreadId }[]
}

function describeState({ services }: Project) {
  const { state, trees } = services.log
  return {
    sequence: state.sequence,
    threads: [...state.threads.values()].map(
      ({ id, title, status, messages, calls, todos, interrupts, deletedAt }) => ({
        id,
        title,
        status,
        messages: messages.length,
        calls: [...calls.values()].map(
          (call) => `${call.name} ${phases[call.state.kind]} ${resultOf(call)?.outcome ?? ''}`,
        ),
        todos,
        interrupts: interrupts.map((interrupt) => interrupt.id),
        deleted: deletedAt !== null,
      }),
    ),
    branches: [...state.branches.values()].map(({ id, name, status }) => ({ id, name, status })),
    heads: [...trees.heads].map(([id, tree]) => [id, treeHash(tree, services.hashing)]),
    memories: [...state.memories].map(([name, { versions }]) => [name, versions.length]),
  }
}

let project: Project
let seen: SeenState

/** A project over a folder with these files, with the database that an earlier version left. */
async function openKept(database: string, files: Readonly<Record<string, string>>): Promise<Project> {
  return (await openKeptTwice(database, files)).project
}

/** The same. `again` ends the app and opens the project anew. */
async function openKeptTwice(database: string, files: Readonly<Record<string, string>>) {
  const [data, folder] = ['data', 'folder'].map((name) => mkdtempSync(join(tmpdir(), `coppice-kept-${name}-`)))
  if (!data || !folder) throw new Error('There is no temporary folder')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const before = await openTestHost(data)
  const id = (await before.projects.open(folder)).info().id
  await before[Symbol.asyncDispose]()
  mkdirSync(join(data, 'projects', id), { recursive: true })
  writeFileSync(join(data, 'projects', id, 'project.db'), gunzipSync(readFileSync(database)))
  let host = await openTestHost(data)
  onTestFinished(() => host[Symbol.asyncDispose]())
  const again = async () => {
    await host[Symbol.asyncDispose]()
    host = await openTestHost(data)
    return host.projects.open(folder)
  }
  return { project: await host.projects.open(folder), again }
}

beforeEach(async () => {
  project = await openKept(join(kept, 'project.db.gz'), { 'kept.txt': 'kept\n' })
  seen = JSON.parse(readFileSync(join(kept, 'state.json'), 'utf8')) as SeenState
})

describe('a journal that an earlier version wrote', () => {
  it('opens to the state that version saw', () => {
    expect(project.info().damage).toBeNull()
    expect(project.services.log.state.sequence).toBeGreaterThan(200)
    expect(describeState(project)).toEqual(seen)
  })

  it('can be rewound to every checkpoint of its first thread, and back', async () => {
    const { log } = project.services
    const root = seen.threads[0]?.id as ThreadId
    const targets = log.entries(['checkpoint']).filter(({ threadId }) => threadId === root)
    expect(targets.length).toBeGreaterThan(5)
    const heads = describeState(project).heads
    for (const { sequence: to } of targets) {
      const sequence = await rewindTo(project, { threadId: root, to, files: true, conversation: true })
      await redoRewind(project, root, sequence)
      expect(describeState(project).heads).toEqual(heads)
    }
  })
})

// Mutation: in `undoneBy`, give a restored branch or a change by hand without `undoes` no mark.
it('a journal whose undos do not name what they undo is undone further, worked on, and opened again', async () => {
  const { project, again } = await openKeptTwice(join(kept, 'project.db.gz'), { 'kept.txt': 'kept\n' })
  const { log } = project.services
  log.load([...log.families().keys()])
  const entries = log.entriesAfter(0)
  const undoing = entries.filter((entry) => undoneBy(entry) !== null)
  expect(new Set(undoing.map(({ type }) => type))).toEqual(
    new Set([
      ...['merge.undone', 'branch.restored', 'tree.changed', 'apply.undone', 'memory.written', 'rewound'],
      'thread.restored',
    ]),
  )
  // Each names an earlier entry, or is found by the mark of one. The first change by hand and the first memory undo nothing.
  const first = undoing.filter((entry) => {
    const undone = undoneBy(entry)
    const earlier = entries.filter(({ sequence }) => sequence < entry.sequence)
    return !earlier.some((one) => one.sequence === undone?.of || (undone?.mark && undoMark(one) === undone.mark))
  })
  expect(first.map(({ type }) => type)).toEqual(['tree.changed', 'memory.written'])
  const threads = new Set(entries.map(({ threadId }) => threadId))
  const restored = entries.findIndex(({ type }) => type === 'branch.restored')
  const until = (end: number) => findLastUndoable(entries.slice(0, end), threads)
  expect(until(restored)?.type).toBe('branch.discarded')
  expect(until(restored + 1)?.sequence).toBeLessThan(until(restored)?.sequence ?? 0)
  const root = log.state.threads.values().next().value?.id as ThreadId
  project.run(deleteThread(project.services, root))
  project.run(restoreThread(project.services, root))
  const before = describeState(project)
  const reopened = await again()
  reopened.services.log.load([...reopened.services.log.families().keys()])
  expect(describeState(reopened)).toEqual(before)
})

/**
 * A database of version 0.9.0, in which the state of a call was nine fields: two commands wait to be kept, one on top of
 * the other; an edit and a command wait to run; a command was kept, another dropped; a rewind was undone; a queue of
 * merges ended with one red and one merged.
 */
describe('a journal of the version before', () => {
  const folder = join(kept, '0.9.0')
  const open = () => openKept(join(folder, 'project.db.gz'), { 'base.txt': 'base\n', '.gitignore': 'node_modules\n' })
  const before = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))

  /** The nine fields, as far as they said something that is not in the union by itself. */
  function fieldsOf(call: Call) {
    const { callId, name, state, decision } = call
    const held = openOutcome(call)
    return {
      ...{ callId, name, phase: phases[state.kind], held, decision, result: resultOf(call) },
      wasHeld: state.kind === 'finished' && state.how === 'kept back',
    }
  }

  it('opens to the same state', async () => {
    const { services } = await open()
    const { state, trees } = services.log
    services.log.load([...services.log.families().keys()])
    const now = {
      threads: [...state.threads.values()].map(({ id, title, status, messages, calls, interrupts, rewinds }) => ({
        ...{ id, title, status, messages: messages.length, interrupts, rewinds: rewinds.length },
        calls: [...calls.values()].map(fieldsOf),
      })),
      branches: [...state.branches.values()].map(({ id, name, status }) => ({ id, name, status })),
      heads: [...trees.heads].map(([id, tree]) => [id, treeHash(tree, services.hashing)]),
      checks: [...state.checks.byKey.values()].map(({ check, outcome, exitCode }) => ({ check, outcome, exitCode })),
      memories: [...state.memories].map(([name, { versions }]) => [name, versions.length]),
    }
    const { queue: _, ...expected } = before
    expect(JSON.parse(JSON.stringify(now))).toEqual(expected)
  })

  it('goes on: what waits can be kept, and what it did is stored byte for byte', async () => {
    const { runtime, services } = await open()
    const { log } = services
    for (const [title, file] of [
      ['held', '/one.txt'],
      ['asked', '/ask.txt'],
    ] as const) {
      const thread = [...log.state.threads.values()].find((one) => one.title === title)
      if (!thread) throw new Error(`There is no thread ${title}`)
      const now = () => readThread(log, thread.id)
      const [interrupt] = thread.interrupts
      if (!interrupt) throw new Error('It does not wait')
      const decisions = interrupt.action_requests.map(({ callId }) => ({ callId, type: 'approve' }) as const)
      const outcomes = [...thread.calls.values()].flatMap((call) => openOutcome(call)?.patch ?? [])
      runtime.decide(thread.id, interrupt.id, decisions)
      // There is no model behind this project, so only the calls end well.
      await expect.poll(() => [...(now()?.calls.values() ?? [])].every((call) => resultOf(call) !== null)).toBe(true)
      await runtime.halt(thread.id)
      const head = log.trees.heads.get(thread.branchId)
      for (const [path, [, after]] of new Map(outcomes)) expect(head && entryAt(head, path)).toEqual(after)
      expect([...(now()?.calls.values() ?? [])].map((call) => resultOf(call)?.outcome)).not.toContain('error')
      expect(head && entryAt(head, file as VirtualPath)?.node?.kind).toBe('file')
    }
  })
})
