import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { treeHash } from '#overlay'
import type { BranchId } from '#shared/model/ids.ts'
import type { Project } from '../project/project.ts'
import { branches, makeBranches, openWindowHost, placesIn, runsIn, settingsOf } from './queue-world.testkit.ts'

function newWorld(): string {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-queue-')))
  const { folder, data } = placesIn(above)
  mkdirSync(folder)
  mkdirSync(data)
  writeFileSync(join(data, 'settings.json'), settingsOf(above))
  return above
}

/** What a queue leaves, once everything in it had its turn. */
async function remainsOf({ services, checks }: Project) {
  const waiting = () => checks.queue.view()?.branches.filter(({ state }) => /queued|checking/.test(state.kind))
  await expect.poll(waiting).toEqual([])
  const { log, hashing } = services
  const head = log.trees.heads.get('workspace' as BranchId)
  const stored = log.entries().flatMap((entry) => {
    if (entry.type === 'branch.merged') return [`merged ${entry.branchId}`]
    if (entry.type === 'merge.ended') return [`${entry.branchId} ended ${entry.end.kind}`]
    return entry.type === 'check.finished' ? [`checked ${entry.branchId} ${entry.result.outcome}`] : []
  })
  return {
    stored,
    states: checks.queue.view()?.branches.map(({ branchId, state }) => [branchId, state.kind]),
    tree: head && treeHash(head, hashing),
  }
}

async function neverKilled() {
  const above = newWorld()
  writeFileSync(placesIn(above).release, '')
  await using host = await openWindowHost(above)
  const project = await host.projects.open(placesIn(above).folder)
  makeBranches(project)
  project.checks.queue.add(branches)
  return { ...(await remainsOf(project)), runs: runsIn(above) }
}

it('a queue of which the app was killed in the middle ends as if it never was, with each check and merge once', async () => {
  const above = newWorld()
  const app = spawn(
    process.execPath,
    ['--no-warnings', '--no-node-snapshot', join(String(process.env.COPPICE_TEST_CHILDREN), 'killed-queue.mjs'), above],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void app.kill('SIGKILL'))
  const ended = once(app, 'exit')
  await Promise.race([once(app.stdout, 'data'), ended.then(() => Promise.reject(new Error('It ended too soon.')))])
  await expect.poll(() => runsIn(above)).toEqual(['a', 'a b'])
  app.kill('SIGKILL')
  await ended
  writeFileSync(placesIn(above).release, '')

  await using host = await openWindowHost(above)
  const project = await host.projects.open(placesIn(above).folder)
  const remains = await remainsOf(project)
  const { runs, ...undisturbed } = await neverKilled()
  expect(remains).toEqual(undisturbed)
  expect(remains.states).toEqual(branches.map((id) => [id, 'merged']))
  expect(runs).toEqual(['a', 'a b', 'a b c'])
  // Only the check that left no result ran again.
  expect(runsIn(above)).toEqual(['a', 'a b', 'a b', 'a b c'])
})

it('a verb of the command line leaves the queue to the next window, which first reads what the project defines', async () => {
  const above = newWorld()
  const { folder, data } = placesIn(above)
  mkdirSync(join(folder, '.coppice'))
  renameSync(join(data, 'settings.json'), join(folder, '.coppice/settings.json'))
  {
    await using host = await openWindowHost(above)
    const project = await host.projects.open(folder)
    host.projects.setTrusted(project.info().id, true)
    await project.extensions.find()
    makeBranches(project)
    project.checks.queue.add(branches)
    await expect.poll(() => runsIn(above)).toEqual(['a', 'a b'])
  }
  writeFileSync(placesIn(above).release, '')
  {
    await using host = await openWindowHost(above, 'cli')
    const { checks, extensions } = await host.projects.open(placesIn(above).folder)
    // As long as a window takes before it goes on.
    await extensions.find()
    expect(checks.queue.view()).toMatchObject({
      branches: [{ state: { kind: 'merged' } }, { state: { kind: 'queued' } }, { state: { kind: 'queued' } }],
      isRunning: false,
    })
  }
  await using host = await openWindowHost(above)
  const project = await host.projects.open(placesIn(above).folder)
  expect((await remainsOf(project)).states).toEqual(branches.map((id) => [id, 'merged']))
})
