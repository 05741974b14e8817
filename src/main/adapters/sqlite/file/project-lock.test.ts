import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { acquireProjectLock, doorOfHolder, isProjectOpen } from './project-lock.ts'

// Mutation: leave out the look at what is there.
it.each<[string, (file: string) => void]>([
  ['a folder', (file) => mkdirSync(file)],
  ['a text', (file) => writeFileSync(file, 'This is no lock. '.repeat(400))],
])('says what to do about %s in its place', (_what, put) => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-lock-'))
  const file = join(folder, 'lock.db')
  put(file)
  expect(isProjectOpen(file)).toBe(false)
  expect(() => acquireProjectLock(file, 'coppice run')).toThrow(`${file} is no lock of Coppice`)
  rmSync(file, { recursive: true })
  acquireProjectLock(file, 'coppice run')[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})

// Mutation: leave `database.close()` out in `acquireProjectLock`.
it('is given back when its holder cannot be named, as on a full disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-lock-'))
  const file = join(folder, 'lock.db')
  mkdirSync(`${file}.holder.json`)
  expect(() => acquireProjectLock(file, 'coppice run')).toThrow(
    expect.objectContaining({ code: 'read_only', message: expect.stringContaining('the project was not opened') }),
  )
  rmSync(`${file}.holder.json`, { recursive: true })
  acquireProjectLock(file, 'coppice run')[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})

// Mutation: answer null for a note that cannot be read, and who comes in that moment is refused.
it('says that the holder has not named its door yet, which is not that it has none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-lock-'))
  const file = join(folder, 'lock.db')
  expect(doorOfHolder(file)).toBe(undefined)
  writeFileSync(`${file}.holder.json`, '{"holder":"copp')
  expect(doorOfHolder(file)).toBe(undefined)
  acquireProjectLock(file, 'coppice run')[Symbol.dispose]()
  expect(doorOfHolder(file)).toBe(null)
  rmSync(folder, { recursive: true })
})
