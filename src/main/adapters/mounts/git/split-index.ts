import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asHelper } from '../../system/ends-with-app.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import { systemProgram } from '../../system/system-programs.ts'

const timeoutMs = 5_000

/**
 * An index that git split into two files (`core.splitIndex`), as one. Git itself joins them, in a repository of its own.
 * `shared` reads the other file. Any other index is returned as it is, and so is one whose other file is missing.
 */
export function joinSplitIndex(index: Buffer, shared: (name: string) => Buffer | undefined): Buffer {
  // The extension begins with the name of the other file. A path may hold the same letters.
  const at = index.lastIndexOf('link')
  if (at < 0) return index
  for (const idBytes of [20, 32]) {
    const name = `sharedindex.${index.toString('hex', at + 8, at + 8 + idBytes)}`
    const other = shared(name)
    if (other) return joined(index, name, other, idBytes === 32) ?? index
  }
  return index
}

function joined(index: Buffer, name: string, other: Buffer, isSha256: boolean): Buffer | undefined {
  const made = makeTemporary('index')
  try {
    const place = mkdtempSync(join(made, 'repository-'))
    const env = {
      PATH: process.env.PATH,
      HOME: place,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(place, 'none'),
    }
    const git = (...args: readonly string[]) => {
      const [program = '', ...words] = asHelper([systemProgram('git'), ...args])
      return spawnSync(program, words, { cwd: place, env, stdio: 'ignore', timeout: timeoutMs }).status === 0
    }
    if (!git('init', '-q', '--template=', ...(isSha256 ? ['--object-format=sha256'] : []))) return undefined
    writeFileSync(join(place, '.git/index'), index)
    writeFileSync(join(place, '.git', name), other)
    if (!git('update-index', '--no-split-index', '--force-write-index')) return undefined
    return readFileSync(join(place, '.git/index'))
  } finally {
    // What cannot be removed goes with the next sweep.
    void removeMade(made).catch(() => undefined)
  }
}
