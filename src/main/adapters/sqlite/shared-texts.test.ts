import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeSharedTexts } from '#core/ports/stores/shared-texts.contract.ts'
import { systemClock } from '../clock/system-clock.ts'
import { openSharedTexts } from './shared-texts.ts'

const newFile = () => join(mkdtempSync(join(tmpdir(), 'coppice-shared-')), 'data', 'shared.db')

describeSharedTexts('in one database', () => {
  const file = newFile()
  return { open: () => openSharedTexts(file, systemClock) }
})

it('loses no write of two processes that write at once', { timeout: 60_000 }, async () => {
  const file = newFile()
  const times = 150
  const children = [1, 2].map(() =>
    spawn(process.execPath, [join(import.meta.dirname, 'shared-counter.testkit.ts'), file, String(times)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data')))
  for (const { stdin } of children) stdin.write('go\n')
  expect(await Promise.all(children.map((child) => once(child, 'exit')))).toEqual([
    [0, null],
    [0, null],
  ])
  using texts = openSharedTexts(file, systemClock)
  expect(new TextDecoder().decode(texts.read('/counter'))).toBe(String(2 * times))
})

it('can be made by many processes at once', { timeout: 60_000 }, async () => {
  for (let round = 0; round < 3; round += 1) {
    const file = newFile()
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, [join(import.meta.dirname, 'shared-counter.testkit.ts'), file, '1'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    )
    await Promise.all(children.map(({ stdout }) => once(stdout, 'data')))
    for (const { stdin } of children) stdin.write('go\n')
    const ends = await Promise.all(children.map((child) => once(child, 'exit')))
    expect(ends).toEqual(children.map(() => [0, null]))
  }
})

it('can be read by the person alone, with all files of the database', () => {
  const file = newFile()
  using texts = openSharedTexts(file, systemClock)
  texts.commit([{ name: '/a', bytes: new Uint8Array(1), from: null }])
  const folder = join(file, '..')
  expect(readdirSync(folder).length).toBeGreaterThan(1)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

it('says that a damaged database cannot be used, and leaves it as it is', () => {
  const file = newFile()
  openSharedTexts(file, systemClock).list()
  const damaged = join(file, '..', 'damaged.db')
  writeFileSync(damaged, 'not a database, but long enough to look at'.repeat(100))
  const before = statSync(damaged).size
  const list = () => openSharedTexts(damaged, systemClock).list()
  expect(list).toThrow(expect.objectContaining({ code: 'unavailable' }))
  expect(statSync(damaged).size).toBe(before)
})
