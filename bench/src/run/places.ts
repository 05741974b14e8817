import { join } from 'node:path'
import { createMemoryBaseTree } from '../../../packages/overlay/src/index.ts'
import { nodeHashing } from '../../../packages/overlay/src/node.ts'
import { createPlaceFolders } from '../../../src/main/adapters/mounts/places/place-folders.ts'
import { openProjectDatabase } from '../../../src/main/adapters/sqlite/project-database.ts'
import { fileAccess } from '../../../src/main/core/approval/file-policy.ts'
import { noRules } from '../../../src/main/core/approval/rules.ts'
import { listPlaces } from '../../../src/main/core/tools/namespace/places.ts'
import { choosePrefixes } from '../../../src/main/core/tools/namespace/prefixes.ts'
import { builtInRoutes } from '../../../src/main/core/tools/namespace/routes.ts'
import type { ThreadId } from '../../../src/shared/model/ids.ts'
import { temporaryFolder } from '../support/folders.ts'
import { figuresOf, summarise, timed } from '../support/measure.ts'
import { type Row, shortCount } from '../support/report.ts'

const never = new AbortController().signal
const counts = [0, 10, 1_000]
const limit = { text: '≤ 5 ms', limit: 5 }

/**
 * What the places beside the project add to one `execute` when they have not changed: listing the stored files,
 * comparing them with the folders, and looking for changes afterwards.
 */
export async function placeRows(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const count of counts) rows.push(await addedBy(count))
  return rows
}

async function addedBy(count: number): Promise<Row> {
  using folder = temporaryFolder()
  using database = openProjectDatabase({
    file: join(folder.path, 'project.db'),
    clock: { now: Date.now, sleep: async () => {} },
    hashing: nodeHashing,
  })
  const threadId = 'thread' as ThreadId
  const content = Buffer.alloc(2_000, 'x')
  for (let index = 0; index < count; index += 1) {
    const place = index % 2 === 0 ? 'large_tool_results' : 'batch_results/1'
    database.scratch.write(threadId, `/${place}/file-${index}.txt`, content)
  }
  database.journal.append([{ type: 'thread.titled', threadId, title: 'places' }])
  const routes = builtInRoutes(await choosePrefixes(createMemoryBaseTree({})))
  const access = fileAccess({ interruptOn: new Map(), rules: noRules, sandboxed: true })
  const folders = createPlaceFolders((owner) => join(folder.path, `places ${owner}`))
  const { scratch } = database
  const once = () =>
    timed(async () => {
      const places = listPlaces({ routes, access, memory: null, scratch, rootThreadId: threadId })
      const open = await folders.open({ owner: 'branch', places, sealed: false }, never)
      await open.capture()
      await open.close()
    })
  return {
    operation: `unchanged places beside "execute": ${shortCount(count)} files`,
    unit: 'ms',
    coppice: summarise(await figuresOf(once, { runs: 20, warmUps: 5 })),
    goal: limit,
  }
}
