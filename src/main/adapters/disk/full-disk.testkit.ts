import { readdirSync } from 'node:fs'
import { DiskApplyError } from '#core/ports/disk-apply.ts'
import { file, hashing, putFolder, snapshotOf, step } from './apply-world.testkit.ts'
import { createDiskApply } from './disk-apply.ts'

/** Applies more than a small disk holds. Prints the error, and the folder before and after. */
const [rootFolder = '', recordFolder = ''] = process.argv.slice(2)
const text = 'x'.repeat(8_000)
putFolder(rootFolder, { '/kept': `644 ${text}`, '/gone': '644 gone', '/deep/old': `600 ${text}` })
const before = snapshotOf(rootFolder)
const fresh = Array.from({ length: 30 }, (_, index) => step(`/new/${index}`, null, file(text)))
const changed = [
  step('/kept', file(text), file('')),
  step('/gone', file('gone'), null),
  step('/deep/old', file(text), file('')),
]
const refused = await createDiskApply({ rootFolder, recordFolder, hashing })
  .apply([...changed, ...fresh], ({ path }) => Buffer.from(path.startsWith('/new/') ? text : ''))
  .then(
    () => null,
    (error: unknown) =>
      error instanceof DiskApplyError ? { code: error.code, message: error.message } : String(error),
  )
console.log(JSON.stringify({ refused, before, after: snapshotOf(rootFolder), records: readdirSync(recordFolder) }))
