import { describe, expect, it } from 'vitest'
import { createOverlayTransaction, emptyTree } from '#overlay'
import type { EntryOf } from '#shared/model/entry.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createStore, createTestServices } from '../agent/agent-services.testkit.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { recoverProcesses } from '../agent/processes/recover-processes.ts'
import { promptFileAccess } from '../approval/file-policy.ts'
import { noRules } from '../approval/rules.ts'
import type { MountRequest } from '../ports/branch-mounts.ts'
import { callingInTurn } from '../ports/model-client.testkit.ts'
import { keepChanges } from './keep.ts'
import { openTrial, type TrialRequest } from './open-trial.ts'

/*
 * Every kind of trial goes through `openTrial`. When it hides nothing, these fail:
 *
 * | kind                   | test                                                                              |
 * |------------------------|-----------------------------------------------------------------------------------|
 * | command                | `hidden-files.test.ts`: cannot show a file that may not be read                   |
 * | Python                 | here: cannot be read by Python                                                    |
 * | check                  | `project-checks.test.ts`: does not see a file that agents may not read            |
 * | hooks of a delivery    | `host/delivery/hooks.test.ts`: do not see a file that agents may not read         |
 * | setup                  | `project-setup.test.ts`: does not see the files that agents may not read          |
 * | process                | here: cannot be read by a process                                                 |
 * | recovery after a crash | here: makes that nothing is kept of a lost process that wrote over it             |
 * | a person's terminal    | none: it shows all files, which is tested here                                    |
 * | JavaScript             | none: it has no view; `hidden-files.test.ts`: run_js_code cannot show a file      |
 */
const files = { '/.env': 'TOKEN=canary\n', '/a': 'one\n' }
const settings = {
  policy: {
    interruptOn: new Map(),
    commands: 'before' as const,
    rules: { ...noRules, allow: ['execute', 'run_python_code', 'process_output'] },
  },
}
const begin = (command: string) => ['execute', { command, background: true }] as const
const never = new AbortController().signal

describe('a secret file', () => {
  it('cannot be read by Python', async () => {
    const script = callingInTurn([['run_python_code', { code: 'cat a .env || ls -A' }]])
    const world = await openWorld({ settings, files, script })
    const [result] = Object.values(world.results(await world.run('main')))
    expect(result).toContain('one')
    expect(result).not.toContain('canary')
  })

  it('cannot be read by a process', async () => {
    const calls = [begin('cat a .env; cat'), ['process_output', { id: 'process_0', since: 0 }]] as const
    const world = await openWorld({ settings, files, script: callingInTurn(calls) })
    const [, output] = Object.values(world.results(await world.run('main')))
    expect(output).toContain('one')
    expect(output).not.toContain('canary')
  })

  it('makes that nothing is kept of a lost process that wrote over it', async () => {
    const script = callingInTurn([begin('sleep infinity'), ['ask_user', { question: 'Go on?' }]])
    const world = await openWorld({ settings, files, script })
    const id = await world.run('main')
    const asked: MountRequest[] = []
    const { mounts } = world.services
    const left = ['/.env', '/b'].map((path) => ({
      ...{ kind: 'file', path: path as VirtualPath, bytes: new Uint8Array([65]), executable: false },
    })) as never
    const open: typeof mounts.open = async (request, signal) => {
      asked.push(request)
      const mount = await mounts.open({ owner: request.owner + asked.length, overlay: request.overlay }, signal)
      return { ...mount, capture: async () => ({ ...(await mount.capture()), changes: left }) }
    }
    // The process still runs here, so its own view must not be waited for.
    const remove = async () => undefined
    await recoverProcesses({ ...world.services, mounts: { ...mounts, open, remove } })
    expect(asked).toMatchObject([{ takesUp: true, overlay: [{ kind: 'absent', path: '/.env' }] }])
    const [end] = world.entries('process.ended') as readonly EntryOf<'process.ended'>[]
    expect(end?.note).toContain('/.env is protected by a rule or may hold secrets')
    expect(await world.files(id)).toEqual(files)
  })
})

async function open(more: Partial<TrialRequest> = {}, given: Readonly<Record<string, string>> = files) {
  const services = await createTestServices(createStore(given), {})
  const branch = createOverlayTransaction({ ...services, tree: emptyTree })
  const access = promptFileAccess(services.settings().policy)
  const request: TrialRequest = { owner: 'one', branch, access, environment: [], lifetime: 'once', ...more }
  const trial = await openTrial(services, request, never)
  const run = async (command: string) => {
    const asked = { command, timeoutMs: 1000, mount: trial.view, onOutput: () => {} }
    return (await services.shell.execute(asked, never)).output
  }
  return { trial, run, branch, services }
}

describe('a trial', () => {
  it('names what it hides, and keeps nothing that would replace it', async () => {
    const { trial, run, branch } = await open()
    await using _open = trial
    expect(await run('ls -A')).toBe('a\n')
    expect(trial.hidden.paths).toEqual(['/.env'])
    await run('echo x > .env; echo b > b')
    const { changes } = await trial.capture(true)
    await expect(keepChanges(branch, changes, trial)).rejects.toThrow('/.env is protected')
    expect(branch.patch()).toEqual([])
  })

  it('keeps nothing at a path that may not be changed', async () => {
    const { trial, run, branch } = await open()
    await using _open = trial
    await run('echo b > b; echo c > c')
    const { changes } = await trial.capture(true)
    await expect(keepChanges(branch, changes, trial, (path) => path !== '/c')).rejects.toThrow('/c is protected')
    expect(branch.patch()).toEqual([])
  })

  it('of a person shows everything, and may change it', async () => {
    const { trial, run, branch } = await open({ access: 'person' })
    await using _open = trial
    expect(await run('cat .env; echo mine > .env')).toBe('TOKEN=canary\n')
    await keepChanges(branch, (await trial.capture(false)).changes, trial)
    expect(branch.patch().map(([path]) => path)).toEqual(['/.env'])
  })

  it('without an environment shows no `.git`', async () => {
    const given = { ...files, '/.git/config': '[core]\n' }
    const { trial, run } = await open({ environment: null }, given)
    await using _open = trial
    expect(await run('ls -A')).toBe('a\n')
    const { trial: other, run: runThere } = await open({}, given)
    await using _other = other
    expect(await runThere('ls -A')).toBe('.git\na\n')
  })

  // Mutation: leave out `folders` or `replaced` in `withoutGit`.
  it('without an environment shows no credentials of a repository inside of the project', async () => {
    const login = '[remote "origin"]\n\turl = https://me:canary@example.com/x.git\n'
    const places = ['/.git', '/.git/modules/m', '/vendor/a/.git', '/vendor/a/deep/.git', '/vendor/b.git']
    const given = { ...files, ...Object.fromEntries(places.map((place) => [`${place}/config`, login])) }
    const { trial, run } = await open({ environment: null }, given)
    await using _open = trial
    expect(await run('find vendor -type f; cat vendor/b.git/config')).toBe(
      `vendor/b.git/config\n${login.replace('me:canary', '[redacted]')}`,
    )
    expect(await run('cat .git/config || cat vendor/a/.git/config || echo none')).toContain('none')
  })

  it.each([
    ['once', 0],
    ['reused', 1],
  ] as const)('of lifetime %s leaves its folders %i times', async (lifetime, times) => {
    const { trial, run, services } = await open({ lifetime })
    await run(`echo x > ${trial.view.home}/x`)
    await trial[Symbol.asyncDispose]()
    const { bytes } = await services.mounts.storedBytes(new Set())
    expect(Math.sign(bytes)).toBe(times)
  })

  it('that cannot be opened leaves nothing', async () => {
    const { trial, services, branch } = await open({ owner: 'other' })
    await using _open = trial
    const removed: string[] = []
    const mounts = {
      ...services.mounts,
      open: () => Promise.reject(new Error('no room')),
      remove: async (owner: string) => void removed.push(owner),
    }
    const request = { owner: 'one', branch, access: 'person', environment: [], lifetime: 'once' } as const
    await expect(openTrial({ ...services, mounts }, request, never)).rejects.toThrow('no room')
    expect(removed).toEqual(['one'])
  })
})
