import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createBranchMounts } from '#adapters/mounts/branch-mounts.ts'
import { dropTerminal, keepTerminal } from '#core/commands/terminals.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { findTerminal } from '#shared/model/project-state.ts'
import { openTestHost } from './test-host.testkit.ts'

const probed = mkdtempSync(join(tmpdir(), 'kt-probe-'))
const mounts = createBranchMounts({ rootFolder: null, mountsFolder: join(probed, 'views') })
const { kind } = await mounts.findStrategy()
afterAll(async () => {
  await mounts[Symbol.asyncDispose]()
  rmSync(probed, { recursive: true, force: true })
})

let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'kt-'))
  mkdirSync(join(above, 'root'))
  writeFileSync(join(above, 'root/a'), 'one\n')
  onTestFinished(() => {
    execFileSync('chmod', ['-R', 'u+rwX', above])
    rmSync(above, { recursive: true, force: true })
  })
})

/** Types a command into the terminal of a branch, and kills the app when it has run. */
async function typeAndKill(typed: string): Promise<BranchId> {
  const program = join(String(process.env.COPPICE_TEST_CHILDREN), 'killed-terminal.mjs')
  const parameters = ['--no-warnings', program, join(above, 'data'), join(above, 'root'), typed]
  const app = spawn(process.execPath, parameters, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SHELL: '/bin/bash' },
  })
  onTestFinished(() => void app.kill('SIGKILL'))
  const ended = once(app, 'exit').then(() => Promise.reject(new Error('The app ended before it was ready.')))
  const [said] = await Promise.race([once(app.stdout, 'data'), ended])
  ended.catch(() => undefined)
  app.kill('SIGKILL')
  await once(app, 'exit')
  return JSON.parse(String(said)).branchId
}

async function reopen() {
  const host = await openTestHost(join(above, 'data'), (problem, error) => {
    // Nobody waits for the clean-up of layers, so it may find that the test has ended.
    if (!problem.startsWith('What a crash left of environments')) throw new Error(`${problem}: ${String(error)}`)
  })
  return { host, project: await host.projects.open(join(above, 'root')) }
}

// Only overlay mounts leave what programs wrote.
describe.runIf(kind === 'overlay')("a person's terminal of an app that was killed", () => {
  it('is offered when the project is opened again, however often, and kept once', async () => {
    const branchId = await typeAndKill('echo two > a; echo new > made')
    {
      const { host, project } = await reopen()
      await using _host = host
      expect(findTerminal(project.services.log.state, 'typed')?.patch?.map(([path]) => path)).toEqual(['/a', '/made'])
    }
    const { host, project } = await reopen()
    await using _host = host
    const { services } = project
    const keep = () => project.change(keepTerminal(services, 'typed'))
    keep()
    const stored = services.log.entries(['tree.changed', 'terminal.decided'])
    const patch = ['/a', '/made'].map((path) => [path, expect.anything()])
    expect(stored).toMatchObject([{ type: 'tree.changed', branchId, patch }, { kept: true }])
    expect(keep).toThrow('This terminal has ended.')
    expect(findTerminal(services.log.state, 'typed')).toBeUndefined()
    expect(readdirSync(join(above, 'root'))).toEqual(['a'])
  })

  it('is dropped once, and then nothing of it is left', async () => {
    await typeAndKill('rm a')
    const { host, project } = await reopen()
    await using _host = host
    const { services } = project
    const drop = () => project.run(dropTerminal(services, 'typed'))
    drop()
    expect(drop).toThrow('This terminal has ended.')
    expect(services.log.entries(['tree.changed'])).toEqual([])
    expect(services.log.entries(['terminal.decided'])).toMatchObject([{ kept: false }])
  })

  it('leaves nothing to decide when nothing was changed', async () => {
    await typeAndKill('cat a')
    const { host, project } = await reopen()
    await using _host = host
    expect(findTerminal(project.services.log.state, 'typed')).toBeUndefined()
    expect(project.services.log.entries(['terminal.ended'])).toMatchObject([{ patch: [] }])
  })

  it('waits when its branch has moved on, and nothing of it is lost', async () => {
    const branchId = await typeAndKill('echo two > a')
    const { host, project } = await reopen()
    await using _host = host
    const { services } = project
    const { patch } = findTerminal(services.log.state, 'typed') ?? {}
    const other = (patch ?? []).map(
      ([path, [before, after]]) => [path, [before, after && { ...after, node: null }]] as const,
    )
    const [threadId] = services.log.state.threads.keys()
    if (!threadId) throw new Error('There is no thread.')
    project.run({
      ok: true,
      value: {
        entries: [{ type: 'tree.changed', threadId, branchId, patch: other, callId: null }],
        answer: undefined,
        movedOn: '',
      },
    })
    expect(() => project.change(keepTerminal(services, 'typed'))).toThrow('changed while this was prepared')
    expect(findTerminal(services.log.state, 'typed')?.patch).toEqual(patch)
  })
})
