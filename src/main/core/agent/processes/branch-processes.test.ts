import { describe, expect, it } from 'vitest'
import { emptyTree } from '#overlay'
import type { ProcessId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { noRules } from '../../approval/rules.ts'
import { callingInTurn } from '../../ports/model-client.testkit.ts'
import { MemoryLimitReached } from '../../ports/shell.testkit.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { takeChanges } from './take-changes.ts'

const allow = (...rules: readonly string[]) => ({
  policy: { interruptOn: new Map(), commands: 'before' as const, rules: { ...noRules, allow: rules } },
})
const anything = allow('execute', 'process_input')
const begin = (command: string) => ['execute', { command, background: true }] as const
const output = (more: object = {}) => ['process_output', { id: 'process_0', ...more }] as const
const input = (text: string) => ['process_input', { id: 'process_0', text }] as const
const stop = ['process_stop', { id: 'process_0' }] as const

async function run(calls: readonly (readonly [string, object])[], options: ServicesOptions = {}) {
  const world = await openWorld({ settings: anything, script: callingInTurn(calls), ...options })
  const id = await world.run('main')
  return { world, id, results: Object.values(world.results(id)), files: await world.files(id) }
}

describe('processes of a branch', () => {
  it('start, answer, and become changes of the branch when they are stopped', async () => {
    const { world, results, files } = await run([
      begin('echo up; echo new > made; cat'),
      input('hello\n'),
      output({ since: 3, wait: 5 }),
      stop,
    ])
    expect(results).toEqual([
      'up\n(output up to position 3)\n\nprocess_0 (echo up; echo new > made; cat) runs.',
      'Typed. Its output so far ends at 3.',
      'hello\n(output up to position 9)\n\nprocess_0 (echo up; echo new > made; cat) runs.',
      '(no output)\n(output up to position 9)\n\nprocess_0 (echo up; echo new > made; cat) was stopped. Changes: wrote /made.',
    ])
    expect(files).toEqual({ '/made': 'new\n' })
    expect(world.entries('process.ended')).toMatchObject([{ by: 'agent', signal: 'SIGTERM' }])
  })

  it('say at once how they failed, and keep their output', async () => {
    const { results } = await run([begin('echo wrong; false'), output({ since: 0 }), ['process_list', {}]])
    expect(results.slice(1)).toEqual([
      'wrong\n(output up to position 6)\n\nprocess_0 (echo wrong; false) ended with exit code 1.',
      'process_0 (echo wrong; false) ended with exit code 1.',
    ])
  })

  it('end with the run, before its end is stored', async () => {
    const { world, id, files } = await run([begin('echo kept > made; sleep infinity')])
    expect(world.entries('process.ended')).toMatchObject([{ by: 'run', note: 'Changes: wrote /made.' }])
    expect(world.kinds(id).slice(-3)).toEqual(['process.ended', 'tree.changed', 'run.ended'])
    expect(files).toEqual({ '/made': 'kept\n' })
  })

  it('go on after the run when a person keeps them, until that person stops them', async () => {
    const script = callingInTurn([begin('echo kept > made; sleep infinity'), ['ask_user', { question: 'Keep it?' }]])
    const world = await openWorld({ settings: anything, script })
    const id = await world.run('main')
    world.runtime.processes.keep(id, 'process_0' as ProcessId, true)
    await world.decide({
      callId: world.thread(id).interrupts[0]?.action_requests[0]?.callId as never,
      type: 'respond',
      message: 'Yes',
    })
    expect(world.thread(id).status).toBe('done')
    expect(world.runtime.processes.list(id)).toMatchObject([{ isKept: true, end: null }])
    await world.runtime.processes.stop(id, 'process_0' as ProcessId, 'person')
    expect(world.runtime.processes.list(id)).toMatchObject([{ end: { by: 'person' } }])
    expect(await world.files(id)).toEqual({ '/made': 'kept\n' })
  })

  it('end with their thread, even if a person keeps them', async () => {
    const script = callingInTurn([begin('sleep infinity'), ['ask_user', { question: 'Keep it?' }]])
    const world = await openWorld({ settings: anything, script })
    const id = await world.run('main')
    world.runtime.processes.keep(id, 'process_0' as ProcessId, true)
    world.services.log.commit([{ type: 'thread.deleted', threadId: id }])
    await expect.poll(() => world.runtime.processes.list(id)).toMatchObject([{ end: { by: 'run' } }])
  })

  const files = { '/.gitignore': 'made/\n' }
  const install = 'mkdir -p made; echo 1 > made/one'

  it('leave what is ignored to the next command, beside what commands left meanwhile', async () => {
    const kept = await run([begin(`${install}; true`), output(), ['execute', { command: 'cat made/one' }]], { files })
    expect(kept.results[2]).toMatch(/^1\n/)
    const gate = Promise.withResolvers<void>()
    const programs = {
      'wait-for-it': async () => {
        await gate.promise
        return 0
      },
      'let-it-end': async () => {
        gate.resolve()
        return 0
      },
    }
    const calls = [
      begin(`${install}; wait-for-it`),
      ['execute', { command: 'mkdir -p made; echo 2 > made/two' }],
      ['execute', { command: 'let-it-end' }],
      output({ wait: 5 }),
    ] as const
    const both = await run([...calls, ['execute', { command: 'ls made' }]], { files, programs })
    expect(both.results[3]).not.toContain('dropped')
    expect(both.results[4]).toMatch(/^one\ntwo\n/)
  })

  it('keep what is ignored under another name where a command left something else meanwhile, and say so', async () => {
    const calls = [
      begin(`${install}; sleep infinity`),
      ['execute', { command: 'mkdir -p made; echo 2 > made/one' }],
      stop,
      ['execute', { command: 'cat made/one ~/kept/1/made/one' }],
    ] as const
    const { results } = await run(calls, { files })
    expect(results[2]).toContain('Other commands left something else at the same paths')
    expect(results[2]).toContain('/made/one (now at ~/kept/1/made/one).')
    expect(results[3]).toMatch(/^2\n1\n/)
  })

  it('leave what is ignored when they were asked to end', async () => {
    const begun = begin(`${install}; echo kept > own; sleep infinity`)
    const { results, files: left } = await run([begun, stop, ['execute', { command: 'ls' }]], { files })
    expect(results[1]).toMatch(/was stopped\. Changes: wrote \/own\.$/)
    expect(results[2]).toMatch(/^made\nown\n/)
    expect(left).toMatchObject({ '/own': 'kept\n' })
  })

  it('leave nothing that is ignored when they reached a limit, and name it', async () => {
    const { world, results } = await run(
      [begin(`${install}; echo kept > own; take-much`), output(), ['process_list', {}], ['execute', { command: 'ls' }]],
      { files, programs: { 'take-much': () => Promise.reject(new MemoryLimitReached()) } },
    )
    const told =
      'was ended, because it reached a limit. It used too much. Changes: wrote /own. What it left in ignored files was dropped, because it did not end by itself.'
    expect(results[1]).toContain(told)
    expect(results[2]).toContain(told)
    expect(results[3]).toMatch(/^own\n/)
    expect(world.entries('process.ended')).toMatchObject([{ by: 'limit', exitCode: null }])
  })

  it('see the edits of their branch, and leave what the branch changed as the branch has it', async () => {
    const { results, files } = await run(
      [
        begin('echo of the process > both; echo own > own; sleep infinity'),
        ['write_file', { file_path: '/both', content: 'of the agent' }],
        ['write_file', { file_path: '/shown', content: 'shown' }],
        stop,
      ],
      { files: { '/both': 'before' } },
    )
    // The process was shown the agent's version of the file, which is newer than its own.
    expect(results[3]).toContain('was stopped. Changes: wrote /own.')
    expect(files).toEqual({ '/both': 'of the agent', '/own': 'own\n', '/shown': 'shown' })
  })

  it('leave each path that the branch changed otherwise as the branch has it, and name it', async () => {
    const world = await openWorld({
      files: { '/folder/a': 'a', '/same': 's' },
      script: callingInTurn([
        ['write_file', { file_path: '/folder/new', content: 'n' }],
        ['write_file', { file_path: '/same', content: 'equal' }],
      ]),
    })
    const threadId = await world.run('main')
    const { branchId } = world.thread(threadId)
    const file = (path: string, text: string) =>
      ({ kind: 'file', path: path as VirtualPath, bytes: new TextEncoder().encode(text), executable: false }) as const
    const taken = await takeChanges(world.services, {
      ...{ threadId, branchId, callId: 'call' as ToolCallId, command: 'x', isApproved: true, isWhole: true },
      moved: new Set(),
      view: { tree: emptyTree, environment: [], hidden: { paths: [], unsearched: [] } },
      captured: {
        ...{ ignoredChanges: 0, placeChanges: [], environment: [] },
        changes: [
          { kind: 'absent', path: '/folder' as VirtualPath },
          file('/folder/new', 'other'),
          file('/other', 'o'),
          file('/same', 'equal'),
        ],
      },
    })
    expect(taken.note).toBe(
      'Changes: wrote /other. Your own version stays at /folder, /folder/new, which it had changed differently.',
    )
    expect(taken.entries).toMatchObject([{ type: 'tree.changed', patch: [['/other', [null, {}]]] }])
  })

  it('keep nothing of what nobody approved', async () => {
    const settings = {
      policy: {
        interruptOn: new Map(),
        commands: 'before' as const,
        rules: { ...noRules, allow: ['execute'], ask: ['Edit(/a)'] },
      },
    }
    const { results, files } = await run([begin('echo x > a; sleep infinity'), stop], { settings })
    expect(results[1]).toContain(
      'None of its changes were kept, because one of them needs the user’s approval (rule Edit(/a))',
    )
    expect(files).toEqual({})
  })

  // Mutation: judge a process that ended without its outcome, or without what it left.
  it.each([
    { deny: ['Effects(src/**)'], command: 'mkdir src; echo x > src/a' },
    { deny: ['Effects(.git/**)'], command: 'mkdir -p .git/hooks; echo x > .git/hooks/one' },
    { deny: ['Effects(no deletions)'], command: 'rm old' },
  ])('keep nothing of what a rule about effects denies: $command', async ({ deny, command }) => {
    const settings = {
      policy: { interruptOn: new Map(), commands: 'before' as const, rules: { ...noRules, allow: ['execute'], deny } },
    }
    const calls = [begin(`${command}; sleep infinity`), stop, ['execute', { command: 'ls; ls .git' }]] as const
    const { results, files } = await run(calls, { settings, files: { '/old': 'o' } })
    expect(results[1]).toContain(`None of its changes were kept. Denied by the rule ${deny[0]}`)
    expect([files, results[2]]).toEqual([{ '/old': 'o' }, expect.not.stringContaining('hooks')])
  })

  // Mutation: judge the text without the command that reads it, or the command alone.
  it.each(['cat', 'hello'])('ask before something is typed unless both are allowed, not %s alone', async (allowed) => {
    const rules = {
      ...noRules,
      allow: ['execute', `process_input(${allowed})`],
      deny: ['execute(rm *)', 'process_input(*secret*)'],
    }
    const script = callingInTurn([begin('cat'), input('the secret'), input('rm -rf x\n'), input('hello')])
    const world = await openWorld({
      settings: { policy: { interruptOn: new Map(), commands: 'before' as const, rules } },
      script,
    })
    const id = await world.run('main')
    expect(Object.values(world.results(id))[1]).toContain('Denied by the rule process_input(*secret*)')
    expect(Object.values(world.results(id))[2]).toContain('Denied by the rule execute(rm *)')
    expect(world.waiting().interrupts[0]?.action_requests).toMatchObject([{ name: 'process_input' }])
  })

  it('that ended without the agent are named to it once', async () => {
    const rest = [
      ['process_list', {}],
      ['process_list', {}],
    ] as const
    const endings = async (calls: readonly (readonly [string, object])[]) => {
      const { world } = await run(calls)
      return world.requests.map(
        ({ messages }) => JSON.stringify(messages).split('processes of yours have ended').length - 1,
      )
    }
    expect(await endings([begin('echo wrong; false'), ...rest])).toEqual([0, 1, 1, 1])
    expect(await endings([begin('cat'), stop, ...rest])).toEqual([0, 0, 0, 0, 0])
    const world = await openWorld({
      settings: anything,
      script: callingInTurn([begin('sleep infinity'), ['ask_user', { question: 'Go on?' }], ...rest]),
    })
    const id = await world.run('main')
    await world.runtime.processes.stop(id, 'process_0' as ProcessId, 'person')
    await world.decide({
      callId: world.thread(id).interrupts[0]?.action_requests[0]?.callId as never,
      type: 'respond',
      message: 'Yes',
    })
    const notices = world.requests.map(({ messages }) =>
      messages
        .map((one) => JSON.stringify(one))
        .join()
        .match(/- process_0[^"]*?\./g),
    )
    expect(notices).toEqual([null, null, ...Array(3).fill(['- process_0 (sleep infinity) was stopped by the user.'])])
  })

  it('are limited in a branch and in the project', async () => {
    const eight = Array.from({ length: 9 }, () => begin('sleep infinity'))
    expect((await run(eight)).results[8]).toMatch(/^8 background processes run in your branch already/)
    const two = await run([begin('sleep infinity'), begin('sleep infinity')], {
      settings: { ...anything, mostProcesses: 1 },
    })
    expect(two.results[1]).toContain('(processes.max)')
  })

  it('are shown as ended with the app after a crash', async () => {
    const script = callingInTurn([begin('sleep infinity'), ['ask_user', { question: 'Go on?' }]])
    const world = await openWorld({ settings: anything, script })
    const id = await world.run('main')
    const again = await world.crash()
    expect(again.runtime.processes.list(id)).toMatchObject([
      {
        id: 'process_0',
        end: { by: 'app', note: 'Nothing that it changed was kept: A machine in memory leaves nothing.' },
      },
    ])
    expect(again.entries('message.queued')).toMatchObject([{ queued: { origin: 'notice', delivery: 'steer' } }])
  })

  // Mutation: ask about the end of a call that had started a process.
  it('are recovered, and not offered to run again, when a crash cut off the call that started them', async () => {
    const world = await openWorld({ settings: anything, script: callingInTurn([begin('sleep infinity')]) })
    // The result of the call never gets into the journal.
    world.failStore((drafts) => drafts.some(({ type }) => type === 'tool.finished'))
    const id = await world.run('main')
    const again = await world.crash()
    expect(again.thread(id)).toMatchObject({ interrupts: [] })
    expect(Object.values(again.results(id))).toEqual([expect.stringContaining('It started process_0.')])
    expect(again.runtime.processes.list(id)).toMatchObject([{ end: {} }])
  })

  it('show at most 30 kB at once, the newest first, and all of it from a position on', async () => {
    const long = 'x'.repeat(40_000)
    const { results } = await run([begin('cat'), input(long), output({ wait: 5 }), output(), output({ since: 0 })])
    expect(results[2]).toMatch(/^\(10000 bytes before this are left out\)\nx{30000}\n\(output up to position 40000\)/)
    expect(results[3]).toMatch(/^\(no output\)\n\(output up to position 40000\)/)
    expect(results[4]).toMatch(/^x{30000}\n\(output up to position 30000 of 40000; go on with since: 30000\)/)
  })

  it('say once what they cannot see, when their command or their output names it or they fail', async () => {
    const hidden = { files: { '/.env': 'KEY=1', '/id_rsa': 'x' } }
    const told = 'hidden from it: protected by a rule, or may hold secrets.'
    const named = await run([begin('cat .env; sleep infinity'), output(), ['process_list', {}]], hidden)
    expect(named.results.map((text) => text.includes(`/.env was ${told}`))).toEqual([true, false, false])
    const failed = await run([begin('false'), output({ wait: 5 })], hidden)
    expect(failed.results.join().split(`/.env, /id_rsa were ${told}`)).toHaveLength(2)
    const neither = await run([begin('sleep infinity'), output()], hidden)
    expect(neither.results.join()).not.toContain('hidden')
  })

  it('are proposed to a command that leaves something in the background', async () => {
    const told = 'call execute with background: true'
    const { results } = await run([
      ['execute', { command: 'nohup sleep 1' }],
      ['execute', { command: 'echo "a & b" 2>&1 && true' }],
    ])
    expect(results[0]).toContain(told)
    expect(results[1]).not.toContain(told)
  })
})
