import { describe, expect, it } from 'vitest'
import { createMemoryBaseTree } from '#overlay'
import { testHashing } from '#overlay/testkit'
import type { Drift } from '#shared/model/drift.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BlobHash, BranchId, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openProjectLog } from '../../journal/project-log.ts'
import { createMemoryJournal } from '../../ports/journal.testkit.ts'
import { createDriftList, createDriftWatch } from './drift-watch.ts'

const at = (path: string) => path as VirtualPath

/** A list over a map as the disk. A path has drifted while the map has an entry for it. */
function listOver(disk: Map<string, string>) {
  const compared: string[] = []
  const told: (readonly string[])[] = []
  const problems: unknown[] = []
  const list = createDriftList({
    compare: async (path) => {
      compared.push(path)
      const version = disk.get(path)
      if (version === 'broken') throw new Error('broken')
      return version === undefined ? null : ({ path, kind: 'changed', since: 'read', disk: version } satisfies Drift)
    },
    onChange: (files) => told.push(files.map(({ path, disk: version }) => `${path} ${version}`)),
    onProblem: (error) => problems.push(error),
  })
  return { list, compared, told, problems }
}

describe('the drifted files of a branch', () => {
  it('are announced when they change, and not otherwise', async () => {
    const disk = new Map([['/a', '1']])
    const { list, told } = listOver(disk)
    list.look([at('/a'), at('/b')])
    expect(await list.settled()).toMatchObject([{ path: '/a' }])
    list.look([at('/a')])
    await list.settled()
    disk.set('/a', '2')
    list.look([at('/a')])
    await list.settled()
    disk.clear()
    list.look([at('/a')])
    expect(await list.settled()).toEqual([])
    expect(told).toEqual([['/a 1'], ['/a 2'], []])
  })

  it('compare a path at most twice and announce at most twice for a burst of 5,000 hints', async () => {
    const paths = Array.from({ length: 50 }, (_, index) => at(`/file-${index}`))
    const disk = new Map<string, string>()
    const { list, compared, told } = listOver(disk)
    for (let change = 0; change < 5000; change += 1) {
      const path = paths[change % paths.length] ?? at('/')
      disk.set(path, String(change))
      list.look([path])
    }
    const files = await list.settled()
    expect(files.map(({ disk: version }) => Number(version)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, index) => 4950 + index),
    )
    expect(compared.length).toBeLessThanOrEqual(2 * paths.length)
    expect(told.length).toBeLessThanOrEqual(2)
  })

  it('continue after a failed comparison, and report it', async () => {
    const disk = new Map([['/a', 'broken']])
    const { list, problems } = listOver(disk)
    list.look([at('/a')])
    expect(await list.settled()).toEqual([])
    disk.set('/a', '1')
    list.look([at('/a')])
    expect(await list.settled()).toHaveLength(1)
    expect(problems).toHaveLength(1)
  })
})

const [threadId, branchId] = ['thread' as ThreadId, 'branch' as BranchId]
const began = [
  { threadId, ...threadCreated(branchId) },
  { type: 'branch.forked', threadId, branchId, parentId: null, ownerThreadId: threadId, handle: null, name: 'W' },
] as const satisfies readonly EntryDraft[]

function wrote(path: string): EntryDraft {
  const node = { kind: 'file', blob: '1'.repeat(64) as BlobHash, size: 1, executable: false } as const
  return { type: 'tree.changed', threadId, branchId, patch: [[at(path), [null, { node, pin: null }]]], callId: null }
}

/** A followed branch, and what the watcher was told to watch. */
async function follow(disk: Record<string, string>) {
  const watched: (readonly string[])[] = []
  const log = openProjectLog(
    createMemoryJournal(() => 1_000),
    (entry) => drift.take(entry),
  )
  const drift = createDriftWatch({
    ...{ log, base: createMemoryBaseTree(disk), hashing: testHashing, routes: [] },
    watcher: {
      watch: (paths) => void watched.push(paths),
      onChange: () => ({ [Symbol.dispose]: () => {} }),
      [Symbol.dispose]: () => {},
    },
    ...{ announce: () => {}, onProblem: () => {} },
  })
  log.commit(began)
  await drift.follow(branchId)
  watched.length = 0
  return { log, drift, watched }
}

describe('the files of a followed branch', () => {
  it('are watched together when they were stored together', async () => {
    const { log, watched } = await follow({})
    log.commit([wrote('/a'), wrote('/b'), wrote('/c')])
    await Promise.resolve()
    expect(watched).toEqual([['/a', '/b', '/c']])
    log.commit([wrote('/d')])
    await Promise.resolve()
    expect(watched.slice(1)).toEqual([['/d']])
  })

  it('are compared before the list is given, in the same turn too', async () => {
    const { log, drift, watched } = await follow({ '/a': 'of somebody else' })
    log.commit([wrote('/a')])
    expect(await drift.of(branchId)).toMatchObject([{ path: '/a' }])
    expect(watched).toEqual([['/a']])
  })

  it('are not watched any more when the project closes in the same turn', async () => {
    const { log, drift, watched } = await follow({})
    log.commit([wrote('/a')])
    drift[Symbol.dispose]()
    await Promise.resolve()
    expect(watched).toEqual([])
  })
})
