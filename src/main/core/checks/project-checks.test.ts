import { describe, expect, it } from 'vitest'
import type { CheckState } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { ServicesOptions } from '../agent/agent-services.testkit.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { noRules } from '../approval/rules.ts'
import { listFailed } from './failed-checks.ts'
import type { CheckRequest } from './project-checks.ts'

const never = new AbortController().signal

/** A project with these files and checks, and one thread that wrote `/own`. */
async function open(checks: ServicesOptions['checks'] = [], options: ServicesOptions = {}) {
  let runs = 0
  const replies = [{ calls: [{ name: 'write_file', input: { file_path: '/own', content: 'own' } }] }, { text: 'done' }]
  const world = await openWorld({
    files: { '/a': 'one', '/.gitignore': 'cache\n' },
    script: () => replies.shift() ?? { text: 'done' },
    checks,
    ...options,
    programs: {
      count() {
        runs += 1
      },
      ...options.programs,
    },
  })
  const id = await world.run('write')
  const branchId = world.thread(id).branchId
  const { checks: engine } = world.services
  const run = async (more: Partial<CheckRequest> = {}, signal = never) => {
    const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', names: null, again: false } as const
    return engine.run({ ...request, by: 'agent', ...more }, signal)
  }
  const state = async (): Promise<CheckState | undefined> => (await engine.ofBranches([branchId]))[0]?.state
  return { world, id, branchId, engine, run, state, runs: () => runs, services: world.services }
}

describe('a check', () => {
  it('runs in a view of the branch, and its result is an entry', async () => {
    const { run, world, branchId, state } = await open([{ name: 'test', run: 'cat own a' }])
    expect(await state()).toBe('none')
    const results = await run()
    expect(results).toMatchObject({
      ok: true,
      value: [{ check: 'test', outcome: 'green', exitCode: 0, output: 'ownone' }],
    })
    expect(world.entries('check.finished')).toMatchObject([{ branchId, on: 'branch', result: { check: 'test' } }])
    expect(await state()).toBe('green')
  })

  it('that passes says which files it did not see', async () => {
    const files = { '/a': 'one', '/.env': 'TOKEN=4f1c9e2b7a6d8c3e5f0a', '/.gitignore': '' }
    const { run } = await open([{ name: 'test', run: 'cat a' }], { files })
    const note = expect.stringMatching(/^\/\.env was hidden from it.* It passed without it\./)
    expect(await run()).toMatchObject({ value: [{ outcome: 'green', note }] })
  })

  it('that is required and fails is red and runs twice, also beside an optional one with the same command', async () => {
    const { run, engine, world } = await open([
      { name: 'advice', run: 'count; false', required: false },
      { name: 'test', run: 'count; false' },
    ])
    const results = await run()
    expect(results).toMatchObject({
      ok: true,
      value: [
        { check: 'advice', outcome: 'red' },
        { check: 'test', outcome: 'red' },
      ],
    })
    expect(listFailed(engine.definitions(), results.ok ? results.value : [])).toMatchObject([{ check: 'test' }])
    expect(world.entries('check.finished').map(({ result }) => result.check)).toEqual(['advice', 'test'])
  })

  it('never runs twice for the same tree, also when two ask at once or the app is opened again', async () => {
    const { run, runs, world, branchId } = await open([
      { name: 'test', run: 'count' },
      { name: 'same', run: 'count' },
    ])
    await Promise.all([run(), run()])
    await run()
    expect(runs()).toBe(1)
    expect(await run({ names: ['same'] })).toMatchObject({ value: [{ check: 'same', outcome: 'green' }] })
    await run({ again: true, names: ['test'] })
    expect(runs()).toBe(2)
    const { services } = await world.restart()
    const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', names: null } as const
    await services.checks.run({ ...request, again: false, by: 'agent' }, never)
    expect(runs()).toBe(2)
  })

  it('is stale when the branch, the folder or the hosts are others, and knows an earlier tree again', async () => {
    const { run, runs, state, services, world, id } = await open([{ name: 'test', run: 'count' }])
    await run()
    services.onDisk('/a', 'another')
    services.clock.advance(10_000)
    expect(await state()).toBe('stale')
    services.onDisk('/cache', 'ignored')
    await run()
    expect([await state(), runs()]).toEqual(['green', 2])
    await world.say(id, 'nothing')
    expect(await state()).toBe('green')
  })

  it('keeps nothing that it changes, and names it', async () => {
    const { run, world, id } = await open([{ name: 'test', run: 'echo new > a; echo more > made' }])
    const before = await world.files(id)
    expect(await run()).toMatchObject({
      value: [{ dropped: ['/a', '/made'], note: expect.stringContaining('/a, /made') }],
    })
    expect(await world.files(id)).toEqual(before)
  })

  it('is flaky when it fails and then passes, and runs twice only when it is required', async () => {
    let calls = 0
    const programs = { flaky: () => (++calls % 2 === 1 ? 1 : 0) }
    const flaky = await open([{ name: 'test', run: 'echo run; flaky' }], { programs })
    expect(await flaky.run()).toMatchObject({
      value: [{ outcome: 'flaky', exitCode: 0, output: expect.stringContaining('First run, exit code 1') }],
    })
    expect(await flaky.state()).toBe('flaky')
    const optional = await open([{ name: 'test', run: 'false', required: false }])
    expect(await optional.run()).toMatchObject({ value: [{ outcome: 'red', exitCode: 1 }] })
  })

  it.each([
    ['does not end', 'sleep 100000', 'did not end within 60 s', null],
    ['is not on this machine', 'exit 127', 'was not found', 127],
  ])('that %s is red and says why', async (_, command, words, exitCode) => {
    const { run, world } = await open([{ name: 'test', run: command }])
    expect(await run()).toMatchObject({
      value: [{ outcome: 'red', exitCode, note: expect.stringContaining(words) }],
    })
    expect(world.entries('check.finished')).toHaveLength(1)
  })

  it('concerns only trees that changed its files', async () => {
    const { run, engine, branchId } = await open([
      { name: 'docs', run: 'false', paths: ['docs/**'] },
      { name: 'own', run: 'true', paths: ['o*'] },
    ])
    expect(await run()).toMatchObject({ value: [{ check: 'own' }] })
    expect((await engine.ofBranches([branchId]))[0]?.checks.map(({ name }) => name)).toEqual(['own'])
  })

  it('counts for no state of a folder that changed while it ran', async () => {
    let touch = () => {}
    const opened = await open([{ name: 'test', run: 'touch-disk' }], { programs: { 'touch-disk': () => void touch() } })
    touch = () => opened.services.onDisk('/a', 'changed meanwhile')
    expect(await opened.run()).toMatchObject({ value: [{ note: expect.stringContaining('changed while it ran') }] })
    opened.services.clock.advance(10_000)
    expect(await opened.state()).toBe('stale')
  })

  it('leaves nothing when it is cancelled', async () => {
    const { engine, branchId, run, world, state } = await open([{ name: 'test', run: 'sleep infinity' }])
    const started = Promise.withResolvers<void>()
    const result = run({ onStart: () => started.resolve() })
    const ended = expect(result).rejects.toThrow('cancelled')
    await started.promise
    expect(await state()).toBe('running')
    engine.cancel(branchId)
    await ended
    expect([world.entries('check.finished'), await state()]).toEqual([[], 'none'])
  })

  it('is started only by a person where there is no sandbox', async () => {
    const sandbox = { state: 'off', reason: 'It is switched off.' } as const
    const { run, runs } = await open([{ name: 'test', run: 'count' }], { sandbox })
    expect(await run()).toEqual({ ok: false, error: expect.stringContaining('only the user starts them') })
    expect(runs()).toBe(0)
    expect(await run({ by: 'person' })).toMatchObject({ ok: true })
    expect(runs()).toBe(1)
  })

  it('that nobody defined is an error with the names that there are', async () => {
    const { run } = await open([{ name: 'test', run: 'true' }])
    expect(await run({ names: ['tset'] })).toEqual({
      ok: false,
      error: expect.stringContaining('The checks are "test"'),
    })
  })

  it('does not see a file that agents may not read', async () => {
    const { run } = await open([{ name: 'test', run: 'ls -A' }], { files: { '/.env': 'KEY=1', '/a': 'one' } })
    expect(await run()).toMatchObject({ value: [{ output: expect.not.stringContaining('.env') }] })
  })
})

it('knows the tree of an apply of some files', async () => {
  const { engine, branchId, services } = await open([{ name: 'test', run: 'true', on: ['apply'] }])
  const tree = services.log.trees.heads.get(branchId as BranchId)
  expect(tree && (await engine.ofTree(branchId, tree, 'apply')).state).toBe('none')
})

describe('a check of a branch whose agents left something in ignored files', () => {
  /** The agent leaves a file that makes every test green. */
  async function openWithLeft(run: string) {
    const replies = [
      { calls: [{ name: 'execute', input: { command: 'mkdir cache; echo yes > cache/verdict' } }] },
      { text: 'done' },
    ]
    const world = await openWorld({
      files: { '/a': 'one', '/.gitignore': 'cache\n' },
      script: () => replies.shift() ?? { text: 'done' },
      checks: [{ name: 'test', run }],
      settings: { policy: { interruptOn: new Map([['execute', false]]), rules: noRules } },
    })
    const { branchId } = world.thread(await world.run('write', 'auto'))
    const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', names: null, again: false } as const
    return world.services.checks.run({ ...request, by: 'agent' }, never)
  }

  // Mutation: when `judge` runs the check with all layers alone, the agent's own file makes it green.
  it('is not green by what they left, and says so', async () => {
    const note = expect.stringContaining('It is green only with what agents left')
    expect(await openWithLeft('cat cache/verdict')).toMatchObject({ ok: true, value: [{ outcome: 'red', note }] })
  })

  it('is green by the tree alone, and red where nothing helps', async () => {
    expect(await openWithLeft('cat a')).toMatchObject({ value: [{ outcome: 'green' }] })
    expect(await openWithLeft('cat nothing')).toMatchObject({ value: [{ outcome: 'red', note: '' }] })
  })
})
