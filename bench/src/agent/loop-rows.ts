import { join } from 'node:path'
import { temporaryFolder } from '../support/folders.ts'
import { medianOf, summarise } from '../support/measure.ts'
import { type Row, versus } from '../support/report.ts'
import { openSyncedAppend } from '../support/synced-writes.ts'
import { measureSteps, type Steps } from './steps.ts'

const runs = 5
const windows = [
  { name: 'step 10', of: ({ steps }: Steps) => steps.slice(1, 21) },
  { name: 'step 1,000', of: ({ steps }: Steps) => steps.slice(990, 1_010) },
  { name: 'step 10 in a new project', of: ({ inNewProject }: Steps) => inNewProject.slice(1, 21) },
]
const kinds = [
  { name: 'a call that reads', call: 'read', factor: 1.3 },
  { name: 'a call that writes a file, the tool’s own time included', call: 'write', factor: 2.5 },
] as const
/** What a step would take that syncs its reply, the start of its call and the result one by one. */
const syncedAppends = 3

/** Goal 11: the time between a reply and the next request, which goes into what a crash must not undo. */
export async function loopRows(): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  using synced = openSyncedAppend(folder.path, 16_384)
  const append = () => syncedAppends * medianOf(Array.from({ length: 20 }, () => synced.append()))
  const rows: Row[] = []
  for (const { name, call, factor } of kinds) {
    const [own, peer]: [Steps[], number[]] = [[], []]
    // In turns, so that other work of the disk affects both. The first run warms up.
    for (let run = 0; run <= runs; run += 1) {
      own.push(await measureSteps(join(folder.path, `${call}-${run}`), call, 1_012))
      peer.push(append())
    }
    const limit = summarise(peer.slice(1))
    for (const window of windows) {
      rows.push({
        operation: `loop overhead at ${window.name}: ${name}`,
        unit: 'ms',
        coppice: summarise(own.slice(1).map((figures) => medianOf(window.of(figures)))),
        ...versus(`${syncedAppends} × append + fdatasync of a page`, limit, factor),
      })
    }
  }
  return rows
}
