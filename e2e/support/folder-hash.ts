import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'

/** One hash of everything below a folder: names, kinds, content, modes and modification times. */
export function folderHash(folder: string, options: { readonly times: boolean } = { times: true }): string {
  const hash = createHash('sha256')
  for (const path of pathsBelow(folder)) {
    const stats = lstatSync(path)
    const content = stats.isFile() ? readFileSync(path) : stats.isSymbolicLink() ? readlinkSync(path) : ''
    const time = options.times ? stats.mtimeMs : 0
    hash
      .update(`${relative(folder, path)}\0${stats.mode}\0${time}\0${stats.size * Number(stats.isFile())}\0`)
      .update(content)
  }
  return hash.digest('hex')
}

function pathsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !`${path}/`.includes('/.git/'))
    .sort()
}
