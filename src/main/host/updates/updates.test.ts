import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { UpdateView } from '#shared/contract/views/updates.ts'
import { fakeUpdater, offline, someVersion, torn } from './fake-updater.testkit.ts'
import { UpdaterError } from './updater.ts'
import { createUpdates } from './updates.ts'

const hour = 60 * 60 * 1000

function openUpdates(given: Parameters<typeof fakeUpdater>[0] = {}, options: { readonly stateFile?: string } = {}) {
  const { updater, asked } = fakeUpdater(given)
  const timers = new Set<{ readonly milliseconds: number; readonly act: () => void }>()
  const world = { now: 1_000 * hour, working: 0, isOn: true }
  const stateFile = options.stateFile ?? join(mkdtempSync(join(tmpdir(), 'coppice-updates-')), 'updates.json')
  const updates = createUpdates({
    updater,
    owner: 'npm',
    stateFile,
    isOn: () => world.isOn,
    setOn(on) {
      world.isOn = on
    },
    working: () => world.working,
    now: () => world.now,
    every(milliseconds, act) {
      const timer = { milliseconds, act }
      timers.add(timer)
      return { [Symbol.dispose]: () => void timers.delete(timer) }
    },
    log: () => undefined,
  })
  const seen: UpdateView['state']['kind'][] = []
  updates.listen(() => seen.push(updates.view().state.kind))
  const tick = async (shorterThan = Number.POSITIVE_INFINITY): Promise<void> => {
    for (const { milliseconds, act } of [...timers]) if (milliseconds < shorterThan) act()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { updates, asked, world, seen, tick, stateFile, timers }
}

describe('looking for a new version', () => {
  it('happens once a day by itself, also over several starts', async () => {
    const first = openUpdates({ latest: null })
    await first.tick()
    first.world.now += 23 * hour
    await first.tick()
    expect(first.asked).toEqual(['check'])
    const next = openUpdates({ latest: null }, first)
    await next.tick()
    expect(next.asked).toEqual([])
    next.world.now += 25 * hour
    await next.tick()
    expect(next.asked).toEqual(['check'])
  })

  it('comes soon after a start, and not again before a day has passed', async () => {
    const { asked, tick, timers } = openUpdates({ latest: null })
    expect([...timers].map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)).toEqual([30_000, hour])
    await tick(hour)
    await tick(hour)
    expect(asked).toEqual(['check'])
  })

  it('after a failure is tried again a day later, also over several starts', async () => {
    const { asked, tick, world, stateFile } = openUpdates({ downloads: [torn, torn, torn, torn] })
    await tick()
    const once = [...asked]
    world.now += 23 * hour
    await tick()
    expect(asked).toEqual(once)
    const next = openUpdates({ latest: null }, { stateFile })
    next.world.now += 23 * hour
    await next.tick()
    expect(next.asked).toEqual([])
    world.now += 2 * hour
    await tick()
    expect(asked).toEqual([...once, ...once])
  })

  it('never happens by itself when it is switched off, and still on request', async () => {
    const { updates, asked, tick, world } = openUpdates({ latest: null })
    updates.switch(false)
    await tick()
    expect([asked, world.isOn, updates.view().isAutomatic]).toEqual([[], false, false])
    await updates.check()
    expect([asked, updates.view().state]).toEqual([['check'], { kind: 'current', checkedAt: world.now }])
  })

  it('ends with words when there is no network, and is tried again', async () => {
    const { updates } = openUpdates({ checks: [offline], latest: null })
    await updates.check()
    expect(updates.view().state).toEqual({ kind: 'failed', problem: 'network', detail: offline.message, found: null })
    await updates.check()
    expect(updates.view().state.kind).toBe('current')
  })

  it('goes on although the file with the last check is damaged', async () => {
    const { stateFile } = openUpdates()
    writeFileSync(stateFile, '{ torn')
    const { asked, tick } = openUpdates({ latest: null }, { stateFile })
    await tick()
    expect([asked, JSON.parse(readFileSync(stateFile, 'utf8'))]).toEqual([
      ['check'],
      { checkedAt: 1_000 * hour, triedAt: 1_000 * hour },
    ])
  })
})

describe('a new version', () => {
  it('is downloaded in the background, and then waits for the person', async () => {
    const { updates, asked, seen } = openUpdates()
    await updates.check()
    expect(asked).toEqual(['check', 'download'])
    expect(seen).toEqual(['checking', 'downloading', 'downloading', 'ready'])
  })

  it('that came damaged is fetched again, once', async () => {
    const mended = openUpdates({ downloads: [torn] })
    await mended.updates.check()
    expect([mended.asked, mended.updates.view().state.kind]).toEqual([['check', 'download', 'download'], 'ready'])
    const broken = openUpdates({ downloads: [torn, torn] })
    await broken.updates.check()
    expect(broken.updates.view().state).toMatchObject({ kind: 'failed', problem: 'damaged', found: someVersion })
  })

  it('that finds no room is not fetched again by itself', async () => {
    const full = new UpdaterError('disk', 'No room.')
    const { updates, asked } = openUpdates({ downloads: [full] })
    await updates.check()
    expect([asked, updates.view().state]).toMatchObject([
      ['check', 'download'],
      { problem: 'disk', detail: 'No room.' },
    ])
  })

  it('is installed when the person says so, and not before', async () => {
    const { updates, asked, tick } = openUpdates()
    await updates.check()
    await tick()
    expect(asked).not.toContain('install')
    await updates.install()
    expect([asked.at(-1), updates.view().state.kind]).toEqual(['install', 'installing'])
  })

  it('is installed when no agent works any more, unless the person takes it back', async () => {
    const { updates, asked, tick, world, timers } = openUpdates()
    await updates.check()
    world.working = 2
    await updates.install()
    await updates.install()
    world.working = 1
    await tick(hour / 60)
    expect([updates.view().state, asked.includes('install')]).toEqual([
      { kind: 'waiting', found: someVersion, working: 1 },
      false,
    ])
    updates.wait()
    world.working = 0
    await tick(hour / 60)
    expect([updates.view().state.kind, asked.includes('install')]).toEqual(['ready', false])
    world.working = 1
    await updates.install()
    world.working = 0
    await tick(hour / 60)
    expect([asked.at(-1), timers.size]).toEqual(['install', 2])
  })

  it('that cannot be installed says why', async () => {
    const { updates } = openUpdates({ installs: new UpdaterError('refused', 'Read-only.') })
    await updates.check()
    await updates.install()
    expect(updates.view().state).toMatchObject({ kind: 'failed', problem: 'refused', detail: 'Read-only.' })
  })

  it('that was not downloaded cannot be installed', async () => {
    await expect(openUpdates().updates.install()).rejects.toMatchObject({ code: 'REFUSED' })
  })
})

it('where another program brings versions, nobody is asked, and the command is named', async () => {
  const asked: string[] = []
  using updates = createUpdates({
    updater: null,
    owner: 'npm',
    stateFile: '/nowhere/updates.json',
    isOn: () => true,
    setOn: () => undefined,
    working: () => 0,
    now: () => 0,
    every(_milliseconds, act) {
      act()
      return { [Symbol.dispose]: () => undefined }
    },
    log: (problem) => asked.push(problem),
  })
  await updates.check()
  expect(updates.view()).toEqual({
    state: { kind: 'managed', by: 'npm', command: 'npm i -g coppice@latest' },
    isAutomatic: false,
  })
  expect(asked).toEqual([])
})
