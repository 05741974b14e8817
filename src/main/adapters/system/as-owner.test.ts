import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asOwner } from './as-owner.ts'
import { changeMode } from './change-mode.ts'
import { claimFolder } from './made-folders.ts'

let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'as-owner-'))
  claimFolder(at('views'))
})
afterEach(() => {
  for (const path of ['views/a', 'views/a/b', 'views/old/b']) if (isFolder(path)) chmodSync(at(path), 0o700)
  rmSync(above, { recursive: true, force: true })
})
const at = (path: string) => join(above, path)
const isFolder = (path: string) => lstatSync(at(path), { throwIfNoEntry: false })?.isDirectory() === true
const modeOf = (path: string) => lstatSync(at(path)).mode & 0o777

function closedFolder(path: string): void {
  mkdirSync(at(path), { recursive: true })
  chmodSync(at(path), 0o500)
}

/** Fails the first time as a closed folder does for its owner, so that root sees it too. */
function failingOnce(prepare: () => void, act: () => void): () => void {
  let isFirst = true
  return () => {
    if (!isFirst) return act()
    isFirst = false
    prepare()
    throw Object.assign(new Error('closed'), { code: 'EACCES' })
  }
}

describe('acting as the owner of a made folder', () => {
  it('opens what is closed, and puts the modes back', () => {
    closedFolder('views/a/b')
    const seen: number[] = []
    asOwner(
      at('views/a/b'),
      failingOnce(
        () => undefined,
        () => seen.push(modeOf('views/a/b')),
      ),
    )
    expect([...seen, modeOf('views/a/b')]).toEqual([0o700, 0o500])
  })

  /** Mutation: without the look at where the held entry really is, the folder outside is opened. */
  it('changes nothing outside when a folder above is swapped for a link', () => {
    closedFolder('views/a/b')
    closedFolder('outside/b')
    const swap = () => {
      renameSync(at('views/a'), at('views/old'))
      symlinkSync(at('outside'), at('views/a'))
    }
    const seen: number[] = []
    const look = () => seen.push(modeOf('outside/b'))
    try {
      asOwner(at('views/a/b'), failingOnce(swap, look))
    } catch {}
    look()
    expect(new Set(seen)).toEqual(new Set([0o500]))
    rmSync(at('views/a'))
  })

  /** Mutation: a change by path would follow the link, and one without the node would reach the other folder. */
  it('changes neither what a link leads to nor another entry of the same name', () => {
    closedFolder('views/a')
    const seen = lstatSync(at('views/a'))
    renameSync(at('views/a'), at('views/old'))
    writeFileSync(at('outside'), '', { mode: 0o600 })
    symlinkSync(at('outside'), at('views/a'))
    const link = lstatSync(at('views/a'))
    expect([seen, link].map((stats) => changeMode(at('views/a'), at('views'), stats, 0o777))).toEqual([false, false])
    rmSync(at('views/a'))
    mkdirSync(at('views/a'), { mode: 0o755 })
    expect(changeMode(at('views/a'), at('views'), seen, 0o777)).toBe(false)
    expect([modeOf('views/a'), modeOf('outside')]).toEqual([0o755, 0o600])
    expect(changeMode(at('views/old'), at('views'), seen, 0o700)).toBe(true)
    expect(changeMode(at('views/gone'), at('views'), seen, 0o700)).toBe(false)
  })
})
