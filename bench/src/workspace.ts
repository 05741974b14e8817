import { isQuick } from './support/flags.ts'
import { measureParts } from './support/measure-parts.ts'
import { generateProject } from './support/project.ts'
import { blockingRows } from './workspace/blocking.ts'
import { forkRows } from './workspace/fork-rows.ts'
import { deepagentsGrepRow, grepRows } from './workspace/greps.ts'
import { growthRows } from './workspace/growth.ts'
import { hugeRows } from './workspace/huge.ts'
import { memoryRows } from './workspace/memory.ts'
import { mergeRows } from './workspace/merges.ts'
import { nameRows } from './workspace/names.ts'
import { patchRows } from './workspace/patches.ts'
import { readRows } from './workspace/reads.ts'

// Goals 1–4, 8, 9 and 18: the time that the workspace engine takes for forks, searches, reads, patches and merges.
const usual = { files: isQuick ? 2_000 : 20_000, bytesEach: 5_550 }
const large = { files: isQuick ? 10_000 : 100_000, bytesEach: 2_000 }
const huge = { files: isQuick ? 50_000 : 1_000_000, bytesEach: 2_000 }
await measureParts('workspace', {
  forks: forkRows,
  memory: memoryRows,
  searches: async () => {
    await using project = await generateProject(usual)
    return [...(await nameRows(project)), await deepagentsGrepRow(project), ...(await grepRows(project))]
  },
  'large-searches': async () => {
    await using project = await generateProject(large)
    return [...(await nameRows(project)), ...(await grepRows(project))]
  },
  'huge-searches': () => hugeRows(huge),
  reads: readRows,
  patches: () => patchRows(usual),
  merges: () => mergeRows(usual),
  growth: growthRows,
  blocking: () => blockingRows(usual),
})
