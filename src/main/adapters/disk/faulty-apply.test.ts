import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DiskApplyError } from '#core/ports/disk-apply.ts'
import { everyOf, timeLimit } from '#core/ports/test-size.testkit.ts'
import {
  hashing,
  largeChange,
  putFolder,
  type Shown,
  snapshotOf,
  type TestedChange,
  wideChange,
} from './apply-world.testkit.ts'
import { type Fault, withFault } from './faulty-calls.testkit.ts'

// The code under test gets the functions that can fail, so it is loaded after them.
const { createDiskApply } = await import('./disk-apply.ts')
const { recoverApply } = await import('./restore-apply.ts')

/**
 * An apply whose disk fails at its 1st, 2nd, … call. Whatever the call is, the folder is all old or all new, at once or
 * after the next start, nothing is left behind, and the message is for a person.
 */
let above: string
let old: Shown
let fresh: Shown
let change: TestedChange
beforeAll(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-faulty-'))
})
afterAll(() => rmSync(above, { recursive: true, force: true }))

function take(next: TestedChange): void {
  change = next
  const place = mkdtempSync(join(above, 'as-'))
  putFolder(join(place, 'old'), change.before)
  putFolder(join(place, 'new'), change.after)
  old = snapshotOf(join(place, 'old'))
  fresh = snapshotOf(join(place, 'new'))
}

interface Ended {
  readonly reached: boolean
  /** Null when the apply succeeded. */
  readonly error: unknown
  readonly rootFolder: string
  readonly recordFolder: string
}

async function applyWith(fault: Fault): Promise<Ended> {
  const place = mkdtempSync(join(above, 'at-'))
  const [rootFolder, recordFolder] = [join(place, 'root'), join(place, 'records')]
  mkdirSync(recordFolder)
  putFolder(rootFolder, change.before)
  const disk = createDiskApply({ rootFolder, recordFolder, hashing })
  const { value, reached } = await withFault(fault, () =>
    disk
      .apply(change.steps, ({ path }) => Buffer.from(change.contents[path] ?? ''))
      .then(
        () => null,
        (thrown: unknown) => thrown,
      ),
  )
  return { reached, error: value, rootFolder, recordFolder }
}

/** The message names no path that the app uses inside, and says what happened to the files. */
function expectWords(error: unknown, about: string): void {
  expect(error, about).toBeInstanceOf(DiskApplyError)
  const { message } = error as DiskApplyError
  expect(message, about).not.toMatch(/\/proc\/|\.coppice-|coppice-faulty|originals|record\.|scripted/)
  expect(message, about).toMatch(/put back|Nothing was written/)
}

async function expectWhole({ error, rootFolder, recordFolder }: Ended, about: string): Promise<void> {
  if (error !== null) expectWords(error, about)
  const isSettled = !existsSync(recordFolder) || readdirSync(recordFolder).length === 0
  const left = error instanceof DiskApplyError ? error.left : []
  if (isSettled && left.length === 0) expect(snapshotOf(rootFolder), about).toEqual(error === null ? fresh : old)
  await recoverApply({ rootFolder, recordFolder, hashing })
  const wanted = error === null ? [fresh] : [old, fresh]
  expect(wanted, about).toContainEqual(snapshotOf(rootFolder))
  expect(readdirSync(recordFolder), about).toEqual([])
}

/** Fails at the 1st, 2nd, … call, until an apply makes fewer calls. Returns the number of points. */
async function atEveryCall(fault: Omit<Fault, 'call'>, every: number): Promise<number> {
  let points = 0
  for (let call = 1; ; call += every) {
    const ended = await applyWith({ ...fault, call })
    if (!ended.reached) return points
    points += 1
    await expectWhole(ended, `${JSON.stringify({ ...fault, call })}: ${String(ended.error)}`)
    rmSync(join(ended.rootFolder, '..'), { recursive: true, force: true })
  }
}

const changes: readonly (readonly [string, () => TestedChange])[] = [
  ['every kind of change', () => wideChange],
  ['large files', () => largeChange],
]

describe.each(changes)('an apply of %s on a disk that fails', (_, next) => {
  beforeAll(() => take(next()))
  const faults: readonly Omit<Fault, 'call'>[] = [
    { code: 'EIO', lasts: 'once', counts: 'all' },
    { code: 'EIO', lasts: 'on', counts: 'writes' },
    { code: 'ENOSPC', lasts: 'once', counts: 'writes' },
    { code: 'ENOSPC', lasts: 'on', counts: 'writes' },
    { code: 'EMFILE', lasts: 'once', counts: 'all' },
    { code: 'EROFS', lasts: 'on', counts: 'writes' },
    { code: 'short', lasts: 'once', counts: 'writes' },
  ]

  it.each(faults)(
    'with $code, $lasts, at each of its calls ($counts) is all old or all new',
    async (fault) => {
      const every = everyOf(fault.counts === 'all' ? 3 : 1)
      const points = await atEveryCall(fault, every)
      console.log(`${JSON.stringify(fault)}: ${points} points`)
      // Not every run makes the same calls: on a busy machine a large file is written in fewer pieces.
      expect(points * every).toBeGreaterThan(30)
    },
    timeLimit(120_000),
  )
})

it('names the paths and the reason when the disk still refuses to put an earlier apply back', async () => {
  take(largeChange)
  const fault = { code: 'EROFS', lasts: 'on', counts: 'writes' } as const
  for (let call = 1; ; call += 1) {
    const { error, rootFolder, recordFolder } = await applyWith({ ...fault, call })
    if (!(error instanceof DiskApplyError && /Could not put back now/.test(error.message))) continue
    const disk = createDiskApply({ rootFolder, recordFolder, hashing })
    const { value } = await withFault({ ...fault, call: 1 }, () =>
      disk.apply([], () => Buffer.from('')).catch((thrown: unknown) => thrown),
    )
    expect(value).toMatchObject({ left: expect.arrayContaining(['/moved']) })
    expect((value as Error).message).toMatch(
      /^The change could not be written: an earlier change that failed is not put back yet: .*\/moved.*: its disk is mounted read-only \(EROFS\)\. Nothing was written\.$/,
    )
    await disk.apply([], () => Buffer.from(''))
    return expect([snapshotOf(rootFolder), readdirSync(recordFolder)]).toEqual([old, []])
  }
})
