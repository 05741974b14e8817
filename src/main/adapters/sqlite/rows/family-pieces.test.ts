import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { nodeHashing } from '#overlay/node'
import type { EntryDraft } from '#shared/model/entry.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { systemClock } from '../../clock/system-clock.ts'
import { openProjectDatabase } from '../project-database.ts'
import { createFamilyPieces } from './family-pieces.ts'

const names = ['a', 'a1', 'b', 'a2', 'b1', 'c'] as ThreadId[]

/** The first letter is the root thread. */
const rootOf = (name: ThreadId) => name[0] as ThreadId

function begin(threadId: ThreadId): EntryDraft {
  const parent = { threadId: rootOf(threadId), callId: null, todoId: null, resolves: null }
  const isRoot = rootOf(threadId) === threadId
  return { ...threadCreated(`of ${threadId}` as BranchId, { parent: isRoot ? null : (parent as never) }), threadId }
}

it('finds every entry of a family once, whatever part of the journal is searched at a time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-pieces-'))
  try {
    const file = join(folder, 'project.db')
    using project = openProjectDatabase({ file, clock: systemClock, hashing: nodeHashing })
    const { journal } = project
    for (const threadId of names) journal.append([begin(threadId)])
    for (let at = 0; at < 60; at += 1) {
      const threadId = names[(at * at + (at >> 3)) % names.length] ?? names[0]
      if (threadId) journal.append([{ type: 'thread.titled', threadId, title: `${at}` }])
    }
    const database = new Database(file, { readonly: true })
    using _closing = { [Symbol.dispose]: () => database.close() }
    for (const listedAtOnce of [1, 3, 7, 1_000]) {
      for (const fewThreads of [0, 2, 100]) {
        const piece = createFamilyPieces(database, journal.last, { listedAtOnce, fewThreads })
        for (const family of ['a', 'b', 'c'] as ThreadId[]) {
          const found: Sequence[] = []
          for (let after: Sequence | null = 0; after !== null; ) {
            const { rows, next } = piece({ family, after, limit: 4 })
            expect(rows.length).toBeLessThanOrEqual(4)
            found.push(...rows.map(({ sequence }) => sequence))
            after = next
          }
          const all = journal.read({ after: 0 }).filter(({ threadId }) => rootOf(threadId) === family)
          expect([family, listedAtOnce, fewThreads, found]).toEqual([
            family,
            listedAtOnce,
            fewThreads,
            all.map(({ sequence }) => sequence),
          ])
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
