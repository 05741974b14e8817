import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestHost } from '../testing/test-host.testkit.ts'

it('counts and removes what writes to all folders left, except what an interrupted one of a route needs', async () => {
  const above = mkdtempSync(join(tmpdir(), 'coppice-kept-'))
  mkdirSync(join(above, 'project'))
  await using host = await openTestHost(join(above, 'data'))
  const { storage } = await host.projects.open(join(above, 'project'))
  const contents = async () => (await storage.view()).parts.find(({ kind }) => kind === 'contents')
  const before = await contents()
  const { folder } = await storage.view()
  const put = (path: string, bytes: number) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), 'x'.repeat(bytes))
  }
  put('kept-files/abc.1', 10)
  put('folders/abc/kept-files/abc.5', 10_000)
  put('routes/done/kept-files/abc.2', 100)
  put('routes/waits/kept-files/abc.3', 1_000)
  put('routes/waits/apply/one/record.json', 1)
  // Vanishes between the listing and the look at its size.
  symlinkSync('nowhere', join(folder, 'kept-files/abc.4'))
  expect(await contents()).toMatchObject({
    bytes: Number(before?.bytes) + 11_110,
    removable: Number(before?.removable) + 10_110,
  })
  await storage.cleanUp(new Set(['contents']))
  const left = ['kept-files/abc.1', 'routes/done/kept-files/abc.2', 'routes/waits/kept-files/abc.3']
  expect(left.map((path) => existsSync(join(folder, path)))).toEqual([false, false, true])
  expect(existsSync(join(folder, 'folders/abc/kept-files/abc.5'))).toBe(false)
})
