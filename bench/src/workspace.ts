import { isQuick } from './support/quick.ts'
import { type Row, report } from './support/report.ts'
import { blockingRows } from './workspace/blocking.ts'
import { forkRows } from './workspace/fork-rows.ts'
import { deepagentsGrepRow, grepRows } from './workspace/greps.ts'
import { growthRows } from './workspace/growth.ts'
import { memoryRows } from './workspace/memory.ts'
import { mergeRows } from './workspace/merges.ts'
import { nameRows } from './workspace/names.ts'
import { patchRows } from './workspace/patches.ts'
import { readRows } from './workspace/reads.ts'

// Goals 1–4, 8, 9 and 18: what the workspace engine takes for forks, searches, reads, patches and merges.
const usual = { files: isQuick ? 2_000 : 20_000, bytesEach: 5_550 }
const large = { files: isQuick ? 10_000 : 100_000, bytesEach: 2_000 }
const families: readonly (() => Promise<readonly Row[]>)[] = [
  forkRows,
  memoryRows,
  () => grepRows(usual),
  () => grepRows(large),
  async () => [await deepagentsGrepRow(usual)],
  () => nameRows(usual),
  () => nameRows(large),
  readRows,
  () => patchRows(usual),
  () => mergeRows(usual),
  growthRows,
  () => blockingRows(usual),
]
const rows: Row[] = []
for (const measure of families) rows.push(...(await measure()))
report('workspace', rows)
