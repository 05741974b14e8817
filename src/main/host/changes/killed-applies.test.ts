import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { expect, it, onTestFinished } from 'vitest'
import { isQuick } from '#core/ports/test-size.testkit.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { worldOf } from './apply-world.testkit.ts'
import type { KilledApplies } from './killed-applies.testkit.ts'

/** `killed-applies.testkit.ts` as one file. Every point starts a new process. */
const fixture = join(String(process.env.COPPICE_TEST_CHILDREN), 'killed-applies.mjs')
const names = ['app/a', 'app/b', 'lib/a', 'lib/c'] as const

function textAt(place: string, name: string): string | null {
  try {
    return readFileSync(join(place, name), 'utf8')
  } catch {
    return null
  }
}

// Mutation: leave `takeBack` out of `finishApplies`. The first folder keeps what the second one never got.
it('an apply to two folders that is killed anywhere is all there or not at all after the next start', async () => {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-killed-')))
  onTestFinished(() => rmSync(above, { recursive: true, force: true }))
  const place = join(above, 'place')
  const [folder, lib, data] = [join(place, 'app'), join(place, 'lib'), join(place, 'data')]
  for (const one of [folder, lib]) {
    mkdirSync(one, { recursive: true })
    writeFileSync(join(one, 'a'), 'old')
  }
  writeFileSync(join(lib, 'c'), 'old')
  const branchId = await makeWork(data, folder, lib)
  const template = join(above, 'template')
  renameSync(place, template)
  const old = names.map((name) => textAt(template, name))
  const fresh = ['new', 'new', 'new', null]
  const ends = new Set<string>()
  for (let point = isQuick() ? 12 : 1; ; point += isQuick() ? 12 : 1) {
    rmSync(place, { recursive: true, force: true })
    cpSync(template, place, { recursive: true })
    const task = JSON.stringify({ folder, data, branchId, killBefore: point } satisfies KilledApplies)
    const { signal, stderr } = spawnSync(process.execPath, ['--no-warnings', fixture, task], { encoding: 'utf8' })
    if (signal === null) expect(stderr).toBe('')
    await using host = await openTestHost(data)
    const { services } = await host.projects.open(folder)
    const found = names.map((name) => textAt(place, name))
    const [last] = services.log
      .entries()
      .flatMap(({ type }) => (type.startsWith('apply.') ? [type] : []))
      .slice(-1)
    const isNew = last === 'apply.finished'
    expect({ point, last, found }).toEqual({
      point,
      last: isNew ? last : last === undefined ? last : 'apply.failed',
      found: isNew ? fresh : old,
    })
    ends.add(String(last))
    if (signal === null) break
  }
  expect([...ends]).toEqual(expect.arrayContaining(['apply.failed', 'apply.finished']))
})

/** A thread that changed files of both folders. Returns its workspace. */
async function makeWork(data: string, folder: string, lib: string): Promise<BranchId> {
  await using host = await openTestHost(data)
  const projectId = (await host.projects.open(folder)).info().id
  await call(host.router.projects.addFolder, { projectId, path: lib, name: null, access: 'write' })
  const project = await host.projects.open(folder)
  project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  const world = worldOf(host, project, folder)
  await world.write({ '/a': 'new', '/b': 'new', '/lib/a': 'new', '/lib/c': null })
  return world.branchId
}
