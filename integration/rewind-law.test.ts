import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { treeHash } from '#overlay'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import { eventSchema } from '#shared/contract/events.ts'
import type { Entry } from '#shared/model/entry.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { childrenOf, emptyProject } from '#shared/model/project-state.ts'
import { folderHash } from '../e2e/support/folder-hash.ts'
import { replaceTodos } from '../src/main/core/commands/todos.ts'
import { appendTo } from '../src/main/core/journal/project-log.testkit.ts'
import { repeats, runs, timeLimit } from '../src/main/core/ports/test-size.testkit.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { redoRewind, rewindTo } from '../src/main/host/testing/person.testkit.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import {
  conversationsOf,
  filesOf,
  obeying,
  type Plan,
  plans,
  settleFamily,
  watchCheckpoints,
} from './rewind-world.testkit.ts'
import { openWorld } from './world.testkit.ts'

const both = { files: true, conversation: true }
const known = new Map<string, Plan>()

async function runPlan(project: Project, plan: Plan): Promise<ThreadId> {
  const task = `plan ${known.size}`
  known.set(task, plan)
  const root = project.runtime.begin({ title: task, model: 'scripted', approvalMode: 'auto' }, () => [
    { type: 'text', text: task },
  ])
  await settleFamily(project, root)
  await actByHand(project, root)
  for (let said = 0; said < 3; said += 1) {
    project.runtime.send(root, [{ type: 'text', text: 'more' }], 'queue')
    await settleFamily(project, root)
  }
  return root
}

async function actByHand({ merges, run, services }: Project, root: ThreadId): Promise<void> {
  const { entries } = await merges.mergeClean(childrenOf(services.log.state, root).map(({ branchId }) => branchId))
  const drafts = entries.map((entry) => ({ threadId: root, ...entry }))
  if (isNonEmpty(drafts)) appendTo(services.log, drafts)
  const [child] = childrenOf(services.log.state, root)
  if (child) run(replaceTodos(services, child.id, [{ content: 'by hand', status: 'pending' }]))
}

const everything = (project: Project, root: ThreadId) => ({
  talk: conversationsOf(project, root),
  files: filesOf(project, root, project.services.log.state.sequence),
})

describe('rewind', () => {
  it('brings back the state at any checkpoint, and redo brings back the latest state, for any run', {
    timeout: timeLimit(120_000),
  }, async () => {
    const world = await openWorld(
      obeying((task) => known.get(task) ?? []),
      { files: { 'kept.txt': 'kept\n', 'f0.txt': 'base\n' } },
    )
    const { project, folder } = world
    const seen = watchCheckpoints(project)
    const disk = folderHash(folder)
    let compared = 0
    await fc.assert(
      fc.asyncProperty(plans, fc.array(fc.nat(1000), { minLength: 3, maxLength: 3 }), async (plan, picks) => {
        const root = await runPlan(project, plan)
        const own = [...seen].filter(([, { root: of }]) => of === root).map(([sequence]) => sequence)
        const targets = picks.map((pick) => own[pick % own.length] as Sequence)
        for (const to of targets) {
          const latest = everything(project, root)
          const sequence = await rewindTo(project, { threadId: root, to, ...both })
          expect({ talk: conversationsOf(project, root), files: filesOf(project, root, to) }).toEqual({
            talk: seen.get(to)?.talk,
            files: seen.get(to)?.files,
          })
          await redoRewind(project, root, sequence)
          expect(everything(project, root)).toEqual(latest)
          compared += 1
        }
        const [first = 0, second = 0, third = 0] = targets
        await partsGoAlone(project, root, first, seen)
        // One after the other without redo, because the states that a rewind cut off are still there.
        for (const to of [second, third, first]) {
          await rewindTo(project, { threadId: root, to, ...both })
          expect(conversationsOf(project, root)).toEqual(seen.get(to)?.talk)
          expect(filesOf(project, root, to)).toEqual(seen.get(to)?.files)
        }
        await rewindsAreCheckpoints(project, root, targets)
      }),
      runs(15, 600),
    )
    expect([...seen.values()].map(({ told }) => told)).toEqual([...seen.values()].map(({ hash }) => hash))
    expect(compared).toBeGreaterThan(repeats(30, 40))
    expect(folderHash(folder)).toBe(disk)
    await replaysAlike(world)
  })
})

/** The state after a rewind is a state like any other. */
async function rewindsAreCheckpoints(project: Project, root: ThreadId, targets: readonly Sequence[]): Promise<void> {
  const left: { readonly to: Sequence; readonly state: ReturnType<typeof everything> }[] = []
  for (const to of targets) {
    const sequence = await rewindTo(project, { threadId: root, to, ...both })
    left.push({ to: sequence, state: everything(project, root) })
  }
  for (const { to, state } of left) {
    await rewindTo(project, { threadId: root, to, ...both })
    expect({ talk: conversationsOf(project, root), files: filesOf(project, root, to) }).toEqual(state)
  }
}

async function partsGoAlone(
  project: Project,
  root: ThreadId,
  to: Sequence,
  seen: ReturnType<typeof watchCheckpoints>,
): Promise<void> {
  const now = everything(project, root)
  const files = await rewindTo(project, { threadId: root, to, files: true, conversation: false })
  expect(filesOf(project, root, to)).toEqual(seen.get(to)?.files)
  expect(conversationsOf(project, root).map(({ messages }) => messages)).toEqual(
    now.talk.map(({ messages }) => messages),
  )
  await redoRewind(project, root, files)
  expect(everything(project, root).files).toEqual(now.files)
  const talk = await rewindTo(project, { threadId: root, to, files: false, conversation: true })
  expect(conversationsOf(project, root)).toEqual(expect.arrayContaining(seen.get(to)?.talk ?? [null]))
  expect(everything(project, root).files).toEqual(now.files)
  await redoRewind(project, root, talk)
  expect(everything(project, root).files).toEqual(now.files)
}

/**
 * Checks that a restart, and a window that gets every entry over the wire, reach the same state as the live project.
 */
async function replaysAlike({
  host,
  project,
  data,
  folder,
  server,
}: Awaited<ReturnType<typeof openWorld>>): Promise<void> {
  const { log, hashing } = project.services
  const live = log.state
  const wired = log.entries().map((entry) => eventSchema.parse(JSON.parse(JSON.stringify(entry))) as Entry)
  expect(wired.reduce(fold, emptyProject)).toEqual(live)
  const heads = (of: Project) => [...of.services.log.trees.heads].map(([id, tree]) => [id, treeHash(tree, hashing)])
  const before = heads(project)
  await host[Symbol.asyncDispose]()
  await using again = await openTestHost(data, undefined, {
    ANTHROPIC_API_KEY: 'sk-test',
    ANTHROPIC_BASE_URL: server.url,
  })
  const reopened = await again.projects.open(folder)
  expect(reopened.services.log.state).toEqual(live)
  expect(heads(reopened)).toEqual(before)
}
