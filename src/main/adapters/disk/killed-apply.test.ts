import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { everyOf, testSize, timeLimit } from '#core/ports/test-size.testkit.ts'
import {
  hashing,
  largeChange,
  putFolder,
  type Shown,
  snapshotOf,
  type TestedChange,
  wideChange,
} from './apply-world.testkit.ts'
import type { KilledTask } from './killed-apply.testkit.ts'
import { recoverApply } from './restore-apply.ts'

/** `killed-apply.testkit.ts` as one file. Every point starts a new process. */
const fixture = join(String(process.env.COPPICE_TEST_CHILDREN), 'killed-apply.mjs')

let change: TestedChange = wideChange
let above: string
let old: Shown
let fresh: Shown
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-killed-'))
  take(wideChange)
})
afterEach(() => rmSync(above, { recursive: true, force: true }), timeLimit(10_000))

function take(next: TestedChange): void {
  change = next
  const shown = mkdtempSync(join(above, 'shown-'))
  putFolder(join(shown, 'old'), change.before)
  putFolder(join(shown, 'new'), change.after)
  old = snapshotOf(join(shown, 'old'))
  fresh = snapshotOf(join(shown, 'new'))
}

/** A separate project, so that several can be killed at once. */
function place(name: string) {
  const [rootFolder, recordFolder] = [join(above, name, 'root'), join(above, name, 'records')]
  mkdirSync(recordFolder, { recursive: true })
  putFolder(rootFolder, change.before)
  return { rootFolder, recordFolder }
}
type Place = ReturnType<typeof place>

const taskOf = (where: Place, what: KilledTask['what'], killBefore: number): string =>
  JSON.stringify({
    ...where,
    what,
    steps: change.steps,
    contents: change.contents,
    killBefore,
  } satisfies KilledTask)

/** True when it was killed, false when it ended before that. */
function killed(where: Place, what: KilledTask['what'], killBefore: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fixture, taskOf(where, what, killBefore)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', (data) => {
      errors += String(data)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL' || code === 0) resolve(signal === 'SIGKILL')
      else reject(new Error(`${what} ended with ${code}: ${errors}`))
    })
  })
}

async function expectSettled({ rootFolder, recordFolder }: Place): Promise<'old' | 'new'> {
  const [recovered, ...more] = await recoverApply({ rootFolder, recordFolder, hashing })
  const found = snapshotOf(rootFolder)
  const isNew = recovered?.outcome === 'completed' || (!recovered && JSON.stringify(found) === JSON.stringify(fresh))
  expect(found).toEqual(isNew ? fresh : old)
  expect([more, recovered?.left ?? []]).toEqual([[], []])
  expect(readdirSync(recordFolder)).toEqual([])
  expect(await recoverApply({ rootFolder, recordFolder, hashing })).toEqual([])
  return isNew ? 'new' : 'old'
}

/** Kills before the 1st, 3rd, … call until one run ends, two at a time. Returns the number of calls. */
async function atEveryPoint(work: (point: number) => Promise<boolean>): Promise<number> {
  const every = everyOf(2)
  let taken = 0
  const takeNext = (): number => 1 + every * taken++
  let end = Number.POSITIVE_INFINITY
  const worker = async (): Promise<void> => {
    for (let point = takeNext(); point < end; point = takeNext()) if (!(await work(point))) end = Math.min(end, point)
  }
  await Promise.all([worker(), worker()])
  return end - 1
}

describe('an apply killed -9', () => {
  it.each([
    ['every kind of change', wideChange],
    ['large files', largeChange],
  ])(
    'before each of its calls is all old or all new after a restart: %s',
    async (_, next) => {
      take(next)
      for (let round = 0; round < testSize(1, 20); round += 1) {
        const ends = { old: 0, new: 0 }
        const points = await atEveryPoint(async (point) => {
          const where = place(`${round}-${point}`)
          const wasKilled = await killed(where, 'apply', point)
          ends[await expectSettled(where)] += 1
          return wasKilled
        })
        console.log(`${points} points, ended ${JSON.stringify(ends)}`)
        expect(points).toBeGreaterThan(next === wideChange ? 50 : 40)
        expect(ends.new).toBeGreaterThan(0)
      }
    },
    1_200_000,
  )

  it('leaves later edits of a person alone, names them, and puts everything else back', async () => {
    for (const point of [1, 24, 39, 54]) {
      const { rootFolder, recordFolder } = place(`${point}`)
      expect(await killed({ rootFolder, recordFolder }, 'apply', point)).toBe(true)
      writeFileSync(join(rootFolder, 'edited'), 'by a person')
      const recovered = await recoverApply({ rootFolder, recordFolder, hashing })
      expect(snapshotOf(rootFolder)).toEqual({ ...old, '/edited': '640 by a person' })
      if (point >= 39) expect(recovered).toMatchObject([{ outcome: 'rolled_back', left: ['/edited'] }])
    }
  })

  it.each([
    ['every kind of change', wideChange, 39],
    ['large files', largeChange, 38],
  ])(
    'and again before each call of the recovery ends the same: %s',
    async (_, next, point) => {
      take(next)
      const half = place('half')
      spawnSync(process.execPath, [fixture, taskOf(half, 'apply', point)])
      const points = await atEveryPoint(async (point) => {
        const where = { rootFolder: join(above, `${point}/root`), recordFolder: join(above, `${point}/records`) }
        cpSync(join(above, 'half'), join(above, `${point}`), { recursive: true, verbatimSymlinks: true })
        const wasKilled = await killed(where, 'recover', point)
        expect(await expectSettled(where)).toBe('old')
        return wasKilled
      })
      console.log(`${points} points`)
      expect(points).toBeGreaterThan(10)
    },
    300_000,
  )
})
