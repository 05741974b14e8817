import { closeSync, openSync } from 'node:fs'
import { rootPath } from '#shared/model/virtual-path.ts'
import { createContentScan } from './content-scan.ts'
import { findFiles } from './find-files.ts'
import { openSearchRoot } from './search-folder.ts'

// A process with few descriptors. It uses all of them while the first file is judged, and scans again with free ones.
const [folder = ''] = process.argv.slice(2)
const root = openSearchRoot(folder)
const scope = { path: rootPath, hidden: [], overlay: [], includeIgnored: true }
const taken: number[] = []
const scan = createContentScan({
  root,
  listFiles: () => findFiles(root, [], scope, new AbortController().signal),
  limits: { quickLook: Number.POSITIVE_INFINITY, settling: -60_000 },
})
const look = (exhausts: boolean) =>
  scan({
    pattern: 'needle',
    startBytes: 1_000,
    skippedFolders: [],
    holds(_, start) {
      if (exhausts) takeAll()
      return Buffer.from(start).includes('needle')
    },
  })

function takeAll(): void {
  try {
    for (;;) taken.push(openSync(folder, 'r'))
  } catch {
    // No descriptor is left.
  }
}

const first = await look(true)
for (const descriptor of taken) closeSync(descriptor)
const second = await look(false)
process.stdout.write(JSON.stringify([first, second]))
