import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { acquireProjectLock } from './project-lock.ts'

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
