import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repeats, testSeed, testStart, timeLimit } from '#core/ports/test-size.testkit.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import type { FaultySteps } from './faulty-steps.testkit.ts'
import { openProjectDatabase } from './project-database.ts'

/**
 * A process stores steps on a disk that fails at one call of the system, or that is as small as it gets. Whatever call
 * it is: acknowledged steps stay, no step is half there, and what is said names the cause.
 */
const child = join(String(process.env.COPPICE_TEST_CHILDREN), 'faulty-steps.mjs')
const steps = 4
const size = 20_000
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const clock = { now: Date.now, sleep: async () => undefined }
const run = promisify(execFile)

let above: string
beforeAll(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-faulty-disk-'))
})
afterAll(() => rmSync(above, { recursive: true, force: true }))

/** Opens the database on a disk that works again, and checks everything in it. */
function expectWhole(file: string, told: FaultySteps, about: string): void {
  for (const { code, message } of told.refusals) {
    expect(code, `${about}: ${message}`).not.toBe('unknown')
    expect(message, about).toMatch(/disk|data folder|database/i)
  }
  expect(told.movedAside, about).toBeNull()
  using database = openProjectDatabase({ file, clock, hashing: { hash, gitObjectId: () => '' } })
  expect(database.movedAside, about).toBeNull()
  const titles = database.journal.read({ after: 0 }).map((entry) => (entry.type === 'thread.titled' ? entry.title : ''))
  const ends = titles.filter((_, index) => index % 2 === 1)
  expect(titles.length % 2, `${about}: half a step`).toBe(0)
  expect(ends, `${about}: an acknowledged step is lost`).toEqual(
    expect.arrayContaining(told.acknowledged.map((step) => `end of step ${step}`)),
  )
  expect(new Set(ends).size, `${about}: a step is there twice`).toBe(ends.length)
  for (const blob of titles.filter((_, index) => index % 2 === 0))
    expect(database.blobs.get(blob as BlobHash).length, about).toBeGreaterThanOrEqual(size)
  const checked = new Database(file, { readonly: true })
  expect(checked.pragma('integrity_check', { simple: true }), about).toBe('ok')
  checked.close()
}

async function store(file: string, command: readonly string[], shown: string): Promise<FaultySteps> {
  const [program = '', ...args] = [...command, process.execPath, child, file, String(steps), String(size)]
  const { stdout } = await run(program, args).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${shown}: the process died: ${error.message} ${error.stdout} ${error.stderr}`)
  })
  return JSON.parse(stdout) as FaultySteps
}

describe('a call of the system that fails', () => {
  const traced = spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'trace=none', 'true']).status === 0
  if (!traced) console.warn('SKIPPED: failing calls of the system, because strace does not work here')
  /** The calls of the system with the errors they may have, and a little more than how often a run makes them. */
  const calls = [
    { call: 'pwrite64', most: 160, errors: ['EIO', 'ENOSPC', 'EDQUOT'] },
    { call: 'pread64', most: 40, errors: ['EIO'] },
    { call: 'fsync', most: 20, errors: ['EIO', 'EBADF'] },
    { call: 'ftruncate', most: 4, errors: ['EIO', 'ENOSPC'] },
    { call: 'openat', most: 10, errors: ['EIO', 'ENOSPC', 'EACCES'] },
    { call: 'fcntl', most: 100, errors: ['ENOLCK'] },
    // SQLite tries for ten seconds before it gives up a lock for this reason.
    { call: 'fcntl', most: 8, errors: ['EIO'] },
    { call: 'unlink', most: 5, errors: ['EIO'] },
  ]

  /** Every call, number and error once; only this call, or this and all later ones. */
  const points = calls.flatMap(({ call, most, errors }) =>
    errors.flatMap((error) =>
      ['', '+'].flatMap((later) =>
        Array.from({ length: most }, (_, index) => ({ call, error, when: `${index + 1}${later}` })),
      ),
    ),
  )

  it.skipIf(!traced)(
    'loses nothing that was acknowledged and leaves nothing half',
    async () => {
      const count = repeats(16, points.length)
      const shift = testSeed()
      // On every change a few points from all over the list; when soaking, all of them in turn.
      const chosen = Array.from({ length: count }, (_, index) =>
        count < points.length && testStart(points.length) === 0 && process.env.COPPICE_SOAK !== '1'
          ? (shift * 7 + index * 61) % points.length
          : (testStart(points.length) + index) % points.length,
      )
      const results = { refused: 0, untouched: 0 }
      const turns = chosen.values()
      const worker = async () => {
        for (const index of turns) {
          const point = points[index]
          if (!point) continue
          const { call, error, when } = point
          const folder = mkdtempSync(join(above, 'at-'))
          const file = join(folder, 'project.db')
          const own = ['', '-wal', '-shm', '-journal'].flatMap((ending) => ['-P', file + ending])
          const command = ['strace', '-f', '-qq', '-o', '/dev/null', ...own, '-P', folder]
          const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${when}`]
          const about = JSON.stringify(point)
          const told = await store(file, [...command, ...inject], about)
          results[told.refusals.length > 0 ? 'refused' : 'untouched'] += 1
          expectWhole(file, told, `${about} ${JSON.stringify(told)}`)
          rmSync(folder, { recursive: true, force: true })
        }
      }
      await Promise.all([worker(), worker()])
      console.log(`${count} of ${points.length} points: ${JSON.stringify(results)}`)
    },
    timeLimit(120_000),
  )
})

describe('a disk that is too small', () => {
  const mounted = (place: string, options: string, command: readonly string[]) => [
    ...['unshare', '-rm', 'sh', '-c'],
    `mount -t tmpfs -o ${options} tmpfs '${place}' && "$@"; code=$?; cp -a '${place}/.' '${place}-kept' && exit $code`,
    'sh',
    ...command,
  ]
  const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', `mount -t tmpfs tmpfs '${tmpdir()}'`]).status === 0
  if (!canMount) console.warn('SKIPPED: disks that are too small, because this system does not allow mounts')

  const disks = repeats(8, 160)
  const sizes = Array.from({ length: disks }, (_, index) => `size=${Math.ceil(512 / disks) * (index + 1)}k`)
  const inodes = Array.from({ length: 6 }, (_, index) => `nr_inodes=${index + 1}`)

  it.skipIf(!canMount).each([...sizes, ...inodes])(
    'with %s refuses whole steps, and keeps the others',
    async (options) => {
      const place = mkdtempSync(join(above, 'disk-'))
      mkdirSync(`${place}-kept`)
      const told = await store(join(place, 'project.db'), mounted(place, options, []), options)
      const kept = join(`${place}-kept`, 'project.db')
      if (!existsSync(kept)) expect([told.acknowledged, told.refusals.length > 0]).toEqual([[], true])
      else expectWhole(kept, told, `${options} ${JSON.stringify(told)}`)
      if (options === 'size=64k') expect(told.refusals[0]?.code).toMatch(/full|read_only/)
    },
  )
})
