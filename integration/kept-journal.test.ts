import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { resultOf } from '#shared/model/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { treeHash } from '../src/main/core/overlay/tree.ts'
import type { Project } from '../src/main/host/composition/project.ts'
import { redoRewind, rewindTo } from '../src/main/host/testing/person.testkit.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

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
beforeEach(async () => {
  const [data, folder] = ['data', 'folder'].map((name) => mkdtempSync(join(tmpdir(), `coppice-kept-${name}-`)))
  if (!data || !folder) throw new Error('There is no temporary folder')
  writeFileSync(join(folder, 'kept.txt'), 'kept\n')
  const before = await openTestHost(data)
  const id = (await before.projects.open(folder)).info().id
  await before[Symbol.asyncDispose]()
  mkdirSync(join(data, 'projects', id), { recursive: true })
  writeFileSync(join(data, 'projects', id, 'project.db'), gunzipSync(readFileSync(join(kept, 'project.db.gz'))))
  const host = await openTestHost(data)
  onTestFinished(() => host[Symbol.asyncDispose]())
  project = await host.projects.open(folder)
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
