import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostOptions } from '../app/host-options.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-newer-'))
  mkdirSync(join(above, 'work'))
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

/** A project as a newer version left it: with a change that is still in the log beside the file, as after a kill. */
async function leaveNewer(): Promise<string> {
  const data = join(above, 'data')
  let file = ''
  {
    await using host = await openTestHost(data)
    const project = await host.projects.open(join(above, 'work'))
    project.runtime.createThread({ title: 'Kept', model: 'demo', approvalMode: 'auto' })
    file = project.databaseFile
  }
  const database = new Database(file)
  database.pragma('wal_autocheckpoint = 0')
  database.exec('CREATE TABLE of_tomorrow (x)')
  database.pragma('user_version = 99')
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${file}${end}.kept`)
  database.close()
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}.kept`, `${file}${end}`)
  for (const end of ['', '-wal']) rmSync(`${file}${end}.kept`)
  return file
}

describe.each(['desktop', 'web', 'cli'] satisfies HostOptions['frontend'][])('an older app, as %s,', (frontend) => {
  it('refuses the project of a newer one in words, and changes no byte of it', async () => {
    const file = await leaveNewer()
    const bytes = () => ['', '-wal'].map((end) => readFileSync(`${file}${end}`).toString('base64'))
    const before = bytes()
    await using host = await openTestHost(join(above, 'data'), undefined, {}, undefined, frontend)
    await expect(host.projects.open(join(above, 'work'))).rejects.toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringMatching(/newer Coppice; update/),
    })
    expect(bytes()).toEqual(before)
    expect(readdirSync(join(file, '..')).filter((name) => /damaged|backup/.test(name))).toEqual([])
  })
})
