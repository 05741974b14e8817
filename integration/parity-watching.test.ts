import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import type { Drift } from '#shared/model/drift.ts'
import { byTask } from '../e2e/model-server/scenario.ts'
import { openWorld } from './world.testkit.ts'

const script = byTask({
  main: [
    { calls: [{ name: 'read_file', id: 'r', input: { file_path: '/src/lib/a.txt' } }] },
    { calls: [{ name: 'ask_user', id: 'q', input: { question: 'Go on?' } }] },
  ],
})

/** Lets an agent read a file, and collects what is told about the disk from then on. */
async function openReader(environment: Readonly<Record<string, string>>) {
  const { project, folder, run, thread } = await openWorld(script, { files: { 'src/lib/a.txt': 'one' }, environment })
  const seen: (readonly Drift[])[] = []
  const listening = project.events.listen((event) => {
    if (event.type === 'drift.changed') seen.push(event.files)
  })
  onTestFinished(() => listening[Symbol.dispose]())
  const id = await run('main')
  await project.services.drift.follow(thread(id).branchId)
  const told = (...kinds: readonly string[]) =>
    eventually(() => expect(seen.at(-1)?.map(({ path, kind }) => `${path} ${kind}`)).toEqual(kinds))
  return { folder, told }
}

describe('20: a file that an agent read', () => {
  it.each([
    ['a: by events', {}],
    ['b: by polling', { COPPICE_WATCH_POLLING: '1' }],
  ])('%s, is followed through a move of its folder and a new folder in its place', async (_, environment) => {
    const { folder, told } = await openReader(environment)
    renameSync(join(folder, 'src'), join(folder, 'aside'))
    await told('/src/lib/a.txt deleted')
    mkdirSync(join(folder, 'src/lib'), { recursive: true })
    writeFileSync(join(folder, 'src/lib/a.txt'), 'another')
    await told('/src/lib/a.txt changed')
    writeFileSync(join(folder, 'src/lib/a.txt'), 'one')
    await told()
    expect(existsSync(join(folder, 'aside/lib/a.txt'))).toBe(true)
  })
})
