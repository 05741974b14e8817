import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { entriesWithin } from '#overlay'
import type { BlobHash, Sequence, ThreadId } from '#shared/model/ids.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import type { Call } from '../e2e/model-server/scenario.ts'
import { patchesOf } from '../src/main/core/branches/branch-trees.ts'
import { blobsInUse } from '../src/main/core/journal/blobs-in-use.ts'
import { appendTo } from '../src/main/core/journal/project-log.testkit.ts'
import { pastBranches } from '../src/main/core/journal/rewind.ts'
import { runs } from '../src/main/core/ports/test-size.testkit.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { forkThread, redoRewind, rewindTo } from '../src/main/host/testing/person.testkit.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { obeying, type Plan, plans, settleFamily, watchCheckpoints } from './rewind-world.testkit.ts'
import { openWorld } from './world.testkit.ts'

const both = { files: true, conversation: true }
const known = new Map<string, Plan>()
/** Code that fails leaves content in the store that nothing refers to. */
const noise = 'Array.from({ length: 9000 }, Math.random).join()'
const failing: Plan = [
  [{ name: 'run_js_code', input: { code: `await fs.write('/lost.txt', ${noise}); throw new Error('no')` } }],
]

async function runPlan(project: Project, plan: Plan): Promise<ThreadId> {
  const task = `plan ${known.size}`
  known.set(
    task,
    plan.map((calls, turn) => calls.map((call, at) => withOwnContent(call, `${task} ${turn} ${at}`))),
  )
  const root = project.runtime.begin({ title: task, model: 'scripted', approvalMode: 'auto' }, () => [
    { type: 'text', text: task },
  ])
  await settleFamily(project, root)
  return root
}

/** Makes the content unique, so that none is kept only because another step wrote the same. */
function withOwnContent(call: Call, name: string): Call {
  const { content, ...input } = call.input as Readonly<Record<string, unknown>>
  return call.name === 'write_file' && isRandom(content) ? { ...call, input: { ...input, content: name } } : call
}

const isRandom = (content: unknown): boolean => /^\d\n$/.test(String(content))

it('a clean-up removes nothing that a checkpoint, redo or patch of any run needs', async () => {
  const world = await openWorld(
    obeying((task) => known.get(task) ?? []),
    { files: { 'kept.txt': 'kept\n', 'f0.txt': 'base\n' } },
  )
  const seen = watchCheckpoints(world.project)
  await fc.assert(
    fc.asyncProperty(plans, fc.nat(1000), async (plan, pick) => {
      const root = await runPlan(world.project, plan)
      const own = [...seen].filter(([, { root: of }]) => of === root).map(([sequence]) => sequence)
      const sequence = await rewindTo(world.project, {
        threadId: root,
        to: own[pick % own.length] as Sequence,
        ...both,
      })
      if (pick % 2 === 0) await redoRewind(world.project, root, sequence)
    }),
    runs(8, 300),
  )
  await runPlan(world.project, failing)
  await runPlan(world.project, [[{ name: 'write_todos', input: { todos: [] } }]])
  expect(removable(await world.project.storage.view()), 'content stored by this process stays').toBe(0)
  await world.host[Symbol.asyncDispose]()

  await using host = await openTestHost(world.data, undefined, {
    ANTHROPIC_API_KEY: 'sk-test',
    ANTHROPIC_BASE_URL: world.server.url,
  })
  const project = await host.projects.open(world.folder)
  expect(removable(await project.storage.view())).toBeGreaterThan(0)
  expect(await project.storage.cleanUp(new Set(['contents']))).toBeGreaterThan(0)
  expect(removable(await project.storage.view())).toBe(0)
  const { blobs, log } = project.services
  for (const [to, { root }] of seen) {
    for (const { past } of pastBranches(log, root, to)) {
      for (const [, { node, pin }] of entriesWithin(past, rootPath))
        for (const one of [node, pin]) if (one?.kind === 'file') blobs.get(one.blob)
    }
  }
  for (const { patch } of log.entries().flatMap(patchesOf)) {
    for (const [, sides] of patch)
      for (const side of sides) for (const one of [side?.node, side?.pin]) if (one?.kind === 'file') blobs.get(one.blob)
  }
  expect(log.state).not.toEqual(emptyProject)
})

it('a thread that was deleted for good keeps only the content that its copy needs', async () => {
  const write = (path: string, content: string) => ({ name: 'write_file', input: { file_path: path, content } })
  const { project } = await openWorld(obeying((task) => known.get(task) ?? []))
  const { log, hashing } = project.services
  const used = async (days: number) => blobsInUse(log, Date.now() + days * 24 * 60 * 60 * 1000, () => setImmediate())
  const hash = (text: string): BlobHash => hashing.hash(new TextEncoder().encode(text))
  const root = await runPlan(project, [
    [write('/shared.txt', 'early')],
    [write('/shared.txt', 'shared'), write('/own.txt', 'own')],
  ])
  const to = checkpointAfter(project, root, 1)
  const copy = forkThread(project, { threadId: root, to }, 'copy')
  project.runtime.send(copy, [{ type: 'text', text: 'more' }], 'queue')
  await settleFamily(project, copy)
  appendTo(log, [{ type: 'thread.deleted', threadId: root }])
  const soon = await used(6)
  expect(['early', 'shared', 'own'].map((text) => soon.has(hash(text)))).toEqual([true, true, true])
  const late = await used(8)
  expect(late.has(hash('early')), 'the copy needs it').toBe(true)
  const { prompt } = readThread(log, copy) ?? {}
  expect(
    [prompt?.frozen, prompt?.announced].map((one) => one && late.has(one)),
    'the copy continues with this prompt',
  ).toEqual([true, true])
  appendTo(log, [{ type: 'thread.restored', threadId: root }])
  expect((await used(8)).has(hash('own'))).toBe(true)
})

function checkpointAfter({ services: { log } }: Project, root: ThreadId, writes: number): Sequence {
  const entries = log.entries().filter(({ threadId }) => threadId === root)
  const changed = entries.filter(({ type }) => type === 'tree.changed')[writes - 1]?.sequence ?? 0
  return entries.find(({ type, sequence }) => type === 'checkpoint' && sequence > changed)?.sequence ?? 0
}

function removable({ parts }: Awaited<ReturnType<Project['storage']['view']>>): number {
  return parts.find(({ kind }) => kind === 'contents')?.removable ?? Number.NaN
}
