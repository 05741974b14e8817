import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { enterFile, hashOfSource, targets } from './enter-files.ts'

const root = join(import.meta.dirname, '..')

/** After a change in `src/native`: `npm run build:enter`. */
it.each(Object.keys(targets))(
  'the program for %s was built from the source that is here, and can be started',
  (arch) => {
    const file = enterFile(root, arch)
    expect(readFileSync(file, 'latin1')).toContain(`source ${hashOfSource(root)}`)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o111).toBe(0o111)
  },
)
