// Packs the npm package of the built app, and fails when it is too large or holds what it should not.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { megabytes, mostPacked, mostUnpacked, pack, packageProblems } from './pack.mjs'

const folder = mkdtempSync(join(tmpdir(), 'coppice-pack-'))
const packed = pack(folder)
rmSync(folder, { recursive: true, force: true })
const problems = packageProblems(packed)
const sizes = `${megabytes(packed.packed)} packed (limit ${megabytes(mostPacked)}), ${megabytes(packed.unpacked)} unpacked (limit ${megabytes(mostUnpacked)})`
process.stdout.write([`The npm package: ${sizes}`, ...problems, ''].join('\n'))
process.exit(problems.length === 0 ? 0 : 1)
