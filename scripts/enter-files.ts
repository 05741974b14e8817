import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The compiler for each architecture, by Node's name of it. */
export const targets: Readonly<Record<string, string>> = {
  x64: 'x86_64-linux-gnu-gcc',
  arm64: 'aarch64-linux-gnu-gcc',
}

export function enterFile(root: string, arch: string): string {
  return join(root, 'resources/enter', `coppice-enter-${arch}`)
}

/** Of all files of the source. Each program carries it, so that a test sees one that is older than its source. */
export function hashOfSource(root: string): string {
  const folder = join(root, 'src/native')
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(`${name}\0`).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}
