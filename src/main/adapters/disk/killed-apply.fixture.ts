import { createHash } from 'node:crypto'
import type { BlobHash } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDiskApply } from './disk-apply.ts'

/** Applies the steps of its test and kills itself at the given point: `stage` before the nth content, `commit` after the nth change. */
const [rootFolder = '', recordFolder = '', stepsJson = '[]', phase, at] = process.argv.slice(2)
const steps = JSON.parse(stepsJson) as { path: VirtualPath; before: string | null; after: string | null }[]
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const hashing = { hash, gitObjectId: () => '' }
const node = (text: string | null) =>
  text === null
    ? null
    : { kind: 'file' as const, blob: hash(Buffer.from(text)), size: Buffer.byteLength(text), executable: false }
const killAt = (when: string | undefined, count: number) => {
  if (phase === when && count === Number(at)) process.kill(process.pid, 'SIGKILL')
}

let staged = 0
const apply = createDiskApply({ rootFolder, recordFolder, hashing, onProgress: (done) => killAt('commit', done) })
await apply.apply(
  steps.map(({ path, before, after }) => ({ path, before: node(before), after: node(after) })),
  ({ path }) => {
    staged += 1
    killAt('stage', staged)
    return Buffer.from(steps.find((step) => step.path === path)?.after ?? '')
  },
)
