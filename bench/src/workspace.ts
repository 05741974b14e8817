import { isQuick } from './support/quick.ts'
import { type Row, report } from './support/report.ts'
import { forkRows } from './workspace/fork-rows.ts'
import { deepagentsGrepRow, grepRows } from './workspace/greps.ts'
import { memoryRows } from './workspace/memory.ts'
import { nameRows } from './workspace/names.ts'
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
]
const rows: Row[] = []
for (const measure of families) rows.push(...(await measure()))
report('workspace', rows)
