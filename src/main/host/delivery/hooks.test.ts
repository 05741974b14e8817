import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { openTrial } from '#core/trial/open-trial.ts'
import { createOverlayTransaction } from '#overlay'
import type { HooksRun, ProgramEvent } from '#shared/contract/views/deliveries.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { openDeliveryWorld } from './delivery-world.testkit.ts'
import { openHooks, takeHooks } from './hooks.ts'

const never = new AbortController().signal
const commit = 'git add -A; git commit -qm 1'
/** A hook of the person's repository, beside its files. */
const hook = (name: string, script: string) =>
  `mkdir -p .git/hooks; base64 -d > .git/hooks/${name} <<< ${Buffer.from(`#!/bin/sh\n${script}\n`).toString('base64')}; chmod +x .git/hooks/${name}`

async function openWorld(script: string, at = '.') {
  const world = await openDeliveryWorld(script, at, { openSandbox: () => openSandbox([]) })
  const usual = { base: null, per: 'all', uncommitted: 'leave', keep: [], messages: [] } as const
  const request = { ...usual, branchId: world.branchId, to: 'to' }
  return {
    ...world,
    async hooks(options: { readonly messages?: readonly string[]; readonly signal?: AbortSignal } = {}) {
      let output = ''
      const run = await openHooks(world.project, { ...request, messages: options.messages ?? [] })
      const ended = await run((text) => (output += text), options.signal ?? never)
      return { ...ended, output }
    },
    take: (run: string) => takeHooks(world.project, world.branchId, run),
    request,
  }
}

const formatter = `for f in $(git diff --cached --name-only); do tr a-z A-Z < "$f" > "$f.new"; mv "$f.new" "$f"; done`

// Each of them is a mutation: run the hook in the folder, with the index of the person, or keep what it changed at once.
describe('the hooks of the repository, before a delivery', () => {
  it('see what is to be committed, and what they change counts when a person takes it', async () => {
    const looks = 'git symbolic-ref HEAD; git diff --cached --name-status; git show :a.txt; git diff --stat'
    await using world = await openWorld(
      `echo one > a.txt; echo x > other; ${commit}; ${hook('pre-commit', `${looks}\n${formatter}`)}`,
    )
    await world.write({ '/a.txt': 'two\n', '/new/b': '1\n' })
    const before = world.everythingElse()
    const head = world.head()
    const run = await world.hooks()
    expect(run).toMatchObject({
      problem: null,
      notes: [],
      repositories: [{ repository: '', ran: ['pre-commit'] }],
      files: [{ path: '/a.txt', kind: 'modify', added: 1, removed: 1 }],
    })
    expect(run.output).toContain('refs/heads/to\nM\ta.txt\nA\tnew/b\ntwo\n')
    expect([world.everythingElse(), world.head()]).toEqual([before, head])
    // As they are.
    await world.deliver('to', { hooks: run.id })
    expect(world.sh('git show to:a.txt')).toBe('two\n')
    world.sh('git branch -qD to')
    expect(await world.take(run.id)).toMatchObject({ left: [] })
    await world.deliver('to', { hooks: run.id })
    expect(world.sh('git show to:a.txt to:other')).toBe('TWO\nx\n')
  })

  it('that refuse let nothing pass, and a person takes what they changed all the same', async () => {
    await using world = await openWorld(
      `echo one > a.txt; ${commit}; ${hook('pre-commit', `grep -q two a.txt || exit 0\necho do not >&2\n${formatter}\nexit 3`)}`,
    )
    await world.write({ '/a.txt': 'two\n' })
    const run = await world.hooks()
    expect(run).toMatchObject({ problem: 'The hook pre-commit refused (exit code 3).', files: [{ path: '/a.txt' }] })
    expect(run.output).toContain('do not')
    await expect(world.deliver('to', { hooks: run.id })).rejects.toThrow('did not let these commits pass')
    await world.take(run.id)
    await expect(world.deliver('to', { hooks: run.id })).rejects.toThrow('did not let these commits pass')
    const again = await world.hooks()
    expect(again.problem).toBe(null)
    await world.deliver('to', { hooks: again.id })
    expect(world.sh('git show to:a.txt')).toBe('TWO\n')
  })

  it('are about these commits alone: later changes, other messages and an older run do not pass', async () => {
    await using world = await openWorld(`echo one > a.txt; ${commit}; ${hook('pre-commit', 'true')}`)
    await world.write({ '/a.txt': 'two\n' })
    const older = await world.hooks()
    const run = await world.hooks({ messages: ['mine'] })
    await expect(world.deliver('to', { hooks: older.id })).rejects.toThrow('Run them again')
    await expect(world.deliver('to', { hooks: run.id })).rejects.toThrow('did not let these commits pass')
    await world.write({ '/b.txt': 'b' })
    await expect(world.deliver('to', { hooks: run.id, messages: ['mine'] })).rejects.toThrow('did not let')
    const last = await world.hooks({ messages: ['mine'] })
    expect(await world.deliver('to', { hooks: last.id, messages: ['mine'] })).toHaveLength(1)
  })

  it('a version that the workspace has since stays when their changes are taken', async () => {
    await using world = await openWorld(`echo one > a.txt; ${commit}; ${hook('pre-commit', formatter)}`)
    await world.write({ '/a.txt': 'two\n', '/b.txt': 'b\n' })
    const run = await world.hooks()
    await world.write({ '/a.txt': 'three\n' })
    expect(await world.take(run.id)).toMatchObject({ left: ['/a.txt'] })
    await world.deliver('to')
    expect(world.sh('git show to:a.txt to:b.txt')).toBe('three\nB\n')
  })

  // Mutation: name what is there after the changes were taken, whatever it was before.
  it('that let pass what was there then let nothing pass that came since, also when their changes are taken', async () => {
    await using world = await openWorld(`echo one > a.txt; ${commit}; ${hook('pre-commit', formatter)}`)
    await world.write({ '/a.txt': 'two\n' })
    const run = await world.hooks()
    await world.write({ '/b.txt': 'unseen\n' })
    await world.take(run.id)
    await expect(world.deliver('to', { hooks: run.id })).rejects.toThrow('did not let these commits pass')
  })

  it('about messages get each one, and may change or refuse it', async () => {
    const ofMessage = `grep -q bad "$1" && exit 1; printf '\\nChange-Id: I1\\n' >> "$1"`
    await using world = await openWorld(
      `echo one > a.txt; ${commit}; ${hook('commit-msg', ofMessage)}; ${hook('prepare-commit-msg', 'echo "$2" >&2')}`,
    )
    await world.write({ '/a.txt': 'two\n' })
    expect(await world.hooks({ messages: ['bad one'] })).toMatchObject({
      problem: 'The hook commit-msg refused (exit code 1).',
    })
    const run = await world.hooks({ messages: ['good “one”\n\nbody $x'] })
    expect(run).toMatchObject({ problem: null, messages: 1, output: 'message\n' })
    await world.deliver('to', { messages: ['good “one”\n\nbody $x'], hooks: run.id })
    expect(world.sh('git log -1 --format=%B to').trim()).toBe('good “one”\n\nbody $x\n\nChange-Id: I1')
  })

  it.each([
    ['none', '', 'has no hook that runs before a commit'],
    ['one that may not be run', `${hook('pre-commit', 'exit 1')}; chmod -x .git/hooks/pre-commit`, 'may not be run'],
    ['a folder that views lack', 'git config core.hooksPath /nowhere/at/all', 'core.hooksPath says /nowhere/at/all'],
  ])('%s: said, and the delivery passes', async (_name, script, note) => {
    await using world = await openWorld(`echo one > a.txt; ${commit}; ${script}`)
    await world.write({ '/a.txt': 'two\n' })
    const run = await world.hooks()
    expect(run).toMatchObject({ problem: null, repositories: [{ ran: [] }], notes: [expect.stringContaining(note)] })
    expect(await world.deliver('to', { hooks: run.id })).toHaveLength(1)
  })

  it.each([
    ['of the repository', 'git config core.hooksPath .husky/_'],
    ['of the person', 'git config --global core.hooksPath .husky/_'],
  ])('in a tracked or ignored folder that settings %s name, as husky makes it', async (_whose, setting) => {
    await using world = await openWorld(
      `echo one > a.txt; mkdir -p .husky/_; echo _ > .husky/.gitignore; printf 'echo from husky\\nsh .husky/pre-commit' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit; echo 'echo tracked' > .husky/pre-commit; ${commit}; ${setting}`,
    )
    await world.write({ '/a.txt': 'two\n' })
    expect(await world.hooks()).toMatchObject({ problem: null, output: 'from husky\ntracked\n' })
  })

  it('run where the person has a rebase on its way, a merge and a locked index', async () => {
    await using world = await openWorld(
      `echo one > a.txt; ${commit}; git checkout -q --detach; mkdir .git/rebase-merge; touch .git/index.lock; git rev-parse main > .git/MERGE_HEAD; ${hook('pre-commit', 'git diff --cached --name-only')}`,
    )
    await world.write({ '/a.txt': 'two\n' })
    expect(await world.hooks()).toMatchObject({ problem: null, output: 'a.txt\n' })
  })

  it('in a folder of the repository they cannot run, which is said', async () => {
    await using world = await openWorld(
      `mkdir in; echo one > in/a.txt; ${commit}; ${hook('pre-commit', 'exit 1')}`,
      'in',
    )
    await world.write({ '/a.txt': 'two\n' })
    expect(await world.hooks()).toMatchObject({
      problem: null,
      notes: [expect.stringContaining('the folder in in it')],
    })
  })

  it('that hang are ended when the person stops them, over the way of the window', async () => {
    await using world = await openWorld(`echo one > a.txt; ${commit}; ${hook('pre-commit', 'echo began\nsleep 1000')}`)
    await world.write({ '/a.txt': 'two\n' })
    const stopping = new AbortController()
    const { id: projectId } = world.project.info()
    const events = await call(
      world.host.router.deliveries.runHooks,
      { ...world.request, keep: [], messages: [], projectId },
      { context: {}, signal: stopping.signal },
    )
    const seen: ProgramEvent<HooksRun>[] = []
    const reading = (async () => {
      for await (const event of events) seen.push(event)
    })()
    await eventually(() => expect(seen).toEqual([{ kind: 'output', text: 'began\n' }]))
    stopping.abort()
    await expect(reading).rejects.toThrow()
    await world.deliver('to')
  })

  it('do not see a file that agents may not read', async () => {
    await using world = await openWorld(
      `echo one > a.txt; ${commit}; echo TOKEN=canary > .env; ${hook('pre-commit', 'cat .env a.txt || ls -A')}`,
    )
    await world.write({ '/a.txt': 'two\n' })
    const { output } = await world.hooks()
    expect([output.includes('two'), output.includes('canary')]).toEqual([true, false])
  })

  it('write nothing outside of their view', async () => {
    const script = 'echo x > /etc/coppice-was-here || echo confined\necho x > ../beside\nrm a.txt .git/HEAD'
    await using world = await openWorld(`echo one > a.txt; ${commit}; ${hook('pre-commit', script)}`)
    await world.write({ '/a.txt': 'two\n' })
    const before = world.everythingElse()
    const run = await world.hooks()
    expect(run.output).toContain('confined')
    expect([existsSync('/etc/coppice-was-here'), existsSync(join(world.above, 'beside'))]).toEqual([false, false])
    expect(world.everythingElse()).toBe(before)
    expect(run.files).toMatchObject([{ path: '/a.txt', kind: 'delete' }])
  })

  // Mutation: give the view the environment of the branch.
  it('are those of the person, whatever agents left in git of their views', async () => {
    await using world = await openWorld(`echo one > a.txt; ${commit}; ${hook('pre-commit', 'echo mine')}`)
    const { services } = world.project
    const branch = createOverlayTransaction({ ...services, tree: world.head() })
    const view = { owner: 'agent', branch, access: 'person', environment: [], lifetime: 'once' } as const
    await using trial = await openTrial(services, view, never)
    const command = 'printf "#!/bin/sh\\necho evil" > .git/hooks/pre-commit; git config core.hooksPath /tmp'
    await services.shell.execute({ command, timeoutMs: 60_000, mount: trial.view, onOutput: () => {} }, never)
    const [threadId = '' as ThreadId] = services.log.state.threads.keys()
    const { environment: layers } = await trial.capture(true)
    expect(layers).toHaveLength(1)
    appendTo(services.log, [{ type: 'environment.changed', threadId, branchId: world.branchId, layers, callId: null }])
    await world.write({ '/a.txt': 'two\n' })
    expect(await world.hooks()).toMatchObject({ problem: null, output: 'mine\n' })
  })

  // Mutation: leave out `timeoutMs` of the hooks, or what `problemOf` says about an end by time.
  it('are ended when they take longer than ten minutes, and let nothing pass', async () => {
    await using world = await openWorld(`echo one > a.txt; ${commit}; ${hook('pre-commit', 'exec sleep 1000')}`)
    await world.write({ '/a.txt': 'two\n' })
    const { services } = world.project
    const limits: number[] = []
    const execute: typeof services.shell.execute = (request, signal) => {
      if (!request.command.endsWith('"$hooks/pre-commit"')) return services.shell.execute(request, signal)
      limits.push(request.timeoutMs)
      // Ten minutes in a short time.
      return services.shell.execute({ ...request, timeoutMs: 200 }, signal)
    }
    const project = { ...world.project, services: { ...services, shell: { ...services.shell, execute } } }
    const ended = await (await openHooks(project, world.request))(() => {}, never)
    expect([limits, ended.problem]).toEqual([
      [600_000],
      'The hook pre-commit did not end within 600 s, so it was ended.',
    ])
  })

  it('of several repositories run each in its own', async () => {
    await using world = await openWorld(
      `git init -q --template= sub; cd sub; echo s > s; ${commit}; ${hook('pre-commit', 'pwd | grep -o sub$; git diff --cached --name-only; exit 1')}; cd ..; echo one > a.txt; echo sub > .gitignore; ${commit}; ${hook('pre-commit', 'echo outer')}`,
    )
    await world.write({ '/a.txt': 'two\n', '/sub/s': 't\n' })
    const run = await world.hooks()
    expect(run).toMatchObject({
      problem: 'In /sub: The hook pre-commit refused (exit code 1).',
      output: 'sub\ns\nouter\n',
    })
  })
})

it('without a sandbox no hook runs', async () => {
  await using world = await openDeliveryWorld(`echo one > a.txt; ${commit}`)
  await world.write({ '/a.txt': 'two\n' })
  const usual = { base: null, per: 'all', uncommitted: 'leave', keep: [], messages: [] } as const
  await expect(openHooks(world.project, { ...usual, branchId: world.branchId, to: 'to' })).rejects.toThrow(
    'Hooks run in the sandbox, and there is none here. A test runs without.',
  )
})
