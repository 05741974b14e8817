import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import type { CommandApproval } from '#shared/model/settings.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { noRules } from '../../approval/rules.ts'
import { runs } from '../../ports/test-size.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'

import {
  callId,
  effectsOf,
  execute,
  once,
  patchOf,
  path,
  policy,
  requestsOf,
  startsOf,
  stateOf,
  write,
} from './hold-calls.testkit.ts'

describe('a command in the mode Auto-edit', () => {
  it('runs at once, and waits with everything that it did', async () => {
    const world = await openWorld({
      files: { '/a': 'base', '/old': 'x' },
      settings: policy(),
      script: once(execute('e', 'echo canary; echo new > a; rm old; exit 3')),
    })
    const id = await world.run('main')
    expect(world.thread(id).status).toBe('needs_you')
    expect(requestsOf(world, id)).toMatchObject([
      {
        callId: 'e',
        rule: 'mode Auto-edit: what a command did waits for you',
        effects: { exit_code: 3, changes: { written: ['/a'], deleted: ['/old'], renamed: [] }, hosts_refused: [] },
      },
    ])
    expect(effectsOf(world, id, 'e')?.output).toContain('canary')
    expect(await world.files(id), 'nothing counts yet').toEqual({ '/a': 'base', '/old': 'x' })
    expect(JSON.stringify(world.requests), 'the model has not seen it').not.toMatch(/canary\\n/)
  })

  it('is kept without running again', async () => {
    let ran = 0
    const world = await openWorld({
      settings: policy(),
      programs: {
        count: () => {
          ran += 1
        },
      },
      script: once(execute('e', 'count; echo kept > a')),
    })
    const id = await world.run('main')
    await world.approve('e')
    expect([ran, await world.files(id), world.outcomes(id)]).toEqual([1, { '/a': 'kept\n' }, { e: 'ok' }])
    expect(world.answer(id)).toContain('Exit code 0.')
    expect(startsOf(world)).toEqual(['e'])
  })

  it('leaves nothing behind when it is dropped, and the agent reads only the reason', async () => {
    const world = await openWorld({ settings: policy(), script: once(execute('e', 'echo canary | tee a')) })
    const id = await world.run('main')
    const before = stateOf(world, id)
    await world.decide({ callId: callId('e'), type: 'reject', message: 'not this way' })
    expect([stateOf(world, id), world.outcomes(id)]).toEqual([before, { e: 'rejected' }])
    expect(world.answer(id)).toMatch(/^It ran in the sandbox, and the user dropped what it did.* not this way$/)
    expect(JSON.stringify(world.requests.slice(1))).not.toMatch(/canary\\n/)
  })

  it('keeps some of its files, and the agent is told which', async () => {
    const world = await openWorld({
      files: { '/gone': '1', '/from': '2' },
      settings: policy(),
      script: once(execute('e', 'mkdir d; echo a > d/a; echo b > d/b; rm gone; mv from to')),
    })
    const id = await world.run('main')
    await world.decide({ callId: callId('e'), type: 'approve', paths: [path('/d/a'), path('/from'), path('/to')] })
    expect(await world.files(id)).toEqual({ '/d/a': 'a\n', '/gone': '1', '/to': '2' })
    expect(world.answer(id)).toContain(
      'The user kept only a part of what this changed. Not kept, so as before: /d/b, /gone.',
    )
  })

  it('refuses to keep files that it did not change, and says which it did', async () => {
    const world = await openWorld({ settings: policy(), script: once(execute('e', 'echo a > a')) })
    const id = await world.run('main')
    await expect(world.decide({ callId: callId('e'), type: 'approve', paths: [path('/b')] })).rejects.toThrow(
      'The call did not change /b. It changed /a.',
    )
    await expect(world.decide({ callId: callId('e'), type: 'approve', hosts: ['example.org'] })).rejects.toThrow(
      'has run already',
    )
    expect(world.thread(id).status).toBe('needs_you')
  })

  it('runs an edited command for good, or shows its effects once more', async () => {
    const world = await openWorld({
      settings: policy(),
      script: once(execute('one', 'echo 1 > a'), execute('two', 'echo 2 > b')),
    })
    const id = await world.run('main')
    await world.decide(
      { callId: callId('one'), type: 'edit', args: { command: 'echo edited > a' } },
      { callId: callId('two'), type: 'edit', args: { command: 'echo again > b' }, hold: true },
    )
    expect(await world.files(id)).toEqual({ '/a': 'edited\n' })
    expect(requestsOf(world, id)).toMatchObject([{ callId: 'two', args: { command: 'echo again > b' } }])
    await world.approve('two')
    expect(await world.files(id)).toEqual({ '/a': 'edited\n', '/b': 'again\n' })
    const note = (command: string) => `The user edited the arguments before this ran: {"command":"${command}"}`
    expect(world.answer(id)).toContain(note('echo edited > a'))
    expect(world.answer(id)).toContain(note('echo again > b'))
  })

  it('asks before it runs when it needs a host or stays', async () => {
    const world = await openWorld({
      settings: policy(),
      script: once(execute('host', 'curl https://example.org/x'), execute('push', 'git push'), {
        name: 'execute',
        id: 'stays',
        input: { command: 'sleep infinity', background: true },
      }),
    })
    const id = await world.run('main')
    expect(requestsOf(world, id).map(({ rule, effects }) => [rule, effects])).toEqual([
      ['commands that need a host ask: it names example.org', undefined],
      ['commands that need a host ask: it changes something outside: git push', undefined],
      ['default: commands ask', undefined],
    ])
    expect(startsOf(world)).toEqual([])
  })

  it('needs no question for a host that the project may reach', async () => {
    const settings = { policy: { ...policy().policy, hosts: ['*.example.org:443'] } }
    const world = await openWorld({ settings, script: once(execute('e', 'echo https://api.example.org')) })
    const id = await world.run('main')
    expect(effectsOf(world, id, 'e')?.exit_code).toBe(0)
  })

  it('asks before it runs without a sandbox, whatever the settings say', async () => {
    for (const mode of ['ask', 'auto-edit', 'auto'] as const) {
      const world = await openWorld({
        settings: policy({}, 'adopt'),
        sandbox: { state: 'partial', reason: 'none here' },
        script: once(execute('e', 'echo x > a')),
      })
      const id = await world.run('main', mode)
      expect([requestsOf(world, id)[0]?.effects, startsOf(world)], mode).toEqual([undefined, []])
    }
  })
})

describe('several commands of one reply', () => {
  const chain = once(execute('one', 'echo 1 > a'), execute('two', 'cat a a > b'), execute('three', 'cat b'))

  it('run on top of one another and are shown together', async () => {
    const world = await openWorld({ settings: policy(), script: chain })
    const id = await world.run('main')
    expect(requestsOf(world, id).map((request) => request.callId)).toEqual(['one', 'two', 'three'])
    expect(['one', 'two', 'three'].map((call) => effectsOf(world, id, call)?.after)).toEqual([undefined, 'one', 'two'])
    expect(effectsOf(world, id, 'three')?.output).toMatch(/^1\n1\n/)
    await world.approve('one', 'two', 'three')
    expect([await world.files(id), startsOf(world)]).toEqual([{ '/a': '1\n', '/b': '1\n1\n' }, ['one', 'two', 'three']])
  })

  it('that were built on a dropped one run again and are shown again', async () => {
    const world = await openWorld({ settings: policy(), script: chain })
    const id = await world.run('main')
    await world.decide(
      { callId: callId('one'), type: 'reject' },
      { callId: callId('two'), type: 'approve' },
      { callId: callId('three'), type: 'approve' },
    )
    expect(requestsOf(world, id)[0]).toMatchObject({
      callId: 'two',
      effects: { exit_code: 1, ran_again: expect.stringContaining('It ran again, because what an earlier command') },
    })
    expect(await world.files(id)).toEqual({})
    for (let round = 0; round < 3 && world.thread(id).status === 'needs_you'; round += 1)
      await world.approve(...requestsOf(world, id).map((request) => request.callId))
    expect(world.outcomes(id)).toEqual({ one: 'rejected', two: 'ok', three: 'ok' })
    expect(await world.files(id)).toEqual({ '/b': '' })
  })

  it('wait for edits of files between them', async () => {
    const world = await openWorld({
      settings: policy(),
      script: once(execute('one', 'echo 1 > a'), write('w', '/b', 'x'), execute('two', 'cat b')),
    })
    const id = await world.run('main')
    expect(requestsOf(world, id).map((request) => request.callId)).toEqual(['one'])
    await world.approve('one')
    expect(effectsOf(world, id, 'two')?.output).toMatch(/^x/)
  })
})

describe('a command that was tried', () => {
  it('runs again and is shown again when its branch moved on', async () => {
    const world = await openWorld({
      settings: policy(),
      files: { '/a': 'old' },
      script: once(execute('e', 'cat a > b')),
    })
    const id = await world.run('main')
    const { log } = world.services
    const patch = await patchOf(world, id, '/a', 'new')
    log.commit([{ type: 'tree.changed', threadId: id, branchId: world.thread(id).branchId, patch, callId: null }])
    await world.decide({ callId: callId('e'), type: 'approve' })
    expect(effectsOf(world, id, 'e')?.ran_again).toContain('the branch changed')
    await world.approve('e')
    expect(await world.files(id)).toEqual({ '/a': 'new', '/b': 'new' })
    expect(world.thread(id).calls.get(callId('e')), 'a window can say that it was kept').toMatchObject({
      state: { kind: 'finished', how: 'kept back' },
    })
  })

  it('is the same card with the same bytes after the app was killed', async () => {
    const world = await openWorld({ settings: policy(), script: once(execute('e', 'echo one > a')) })
    const id = await world.run('main')
    const shown = requestsOf(world, id)
    const later = await world.crash()
    expect(requestsOf(later, id)).toEqual(shown)
    later.runtime.resume(id)
    await later.whenIdle(id)
    await later.approve('e')
    expect([await later.files(id), startsOf(later)]).toEqual([{ '/a': 'one\n' }, ['e']])
  })

  it('counts as not begun when the app was killed while it ran', async () => {
    let isFirst = true
    const world = await openWorld({
      settings: policy(),
      programs: { hang: () => (isFirst ? new Promise<undefined>(() => {}) : undefined) },
      script: once(execute('e', 'echo x > a; hang')),
    })
    const id = world.begin('main')
    await expect.poll(() => startsOf(world)).toEqual(['e'])
    isFirst = false
    const later = await world.crash()
    expect([later.thread(id).interrupts, await later.files(id)]).toEqual([[], {}])
    later.runtime.resume(id)
    await later.whenIdle(id)
    expect(requestsOf(later, id)).toMatchObject([{ callId: 'e', effects: { changes: { written: ['/a'] } } }])
  })

  it('says where its output seems to hold a secret', async () => {
    const key = `ghp_${'a1'.repeat(18)}`
    const world = await openWorld({ settings: policy(), script: once(execute('e', `echo the key ${key}`)) })
    const id = await world.run('main')
    const effects = effectsOf(world, id, 'e')
    expect(effects?.secrets.map(([start, end]) => effects.output.slice(start, end))).toEqual([key])
  })
})

describe('the mode', () => {
  const script = once(execute('e', 'echo x > a; echo said'))
  const outcomeIn = async (mode: ApprovalMode, settings = policy()) => {
    const world = await openWorld({ settings, script })
    const id = await world.run('main', mode)
    const effects = requestsOf(world, id).map((request) => (request.effects ? 'tried' : 'asked'))
    return { asks: effects, files: await world.files(id), outcome: world.outcomes(id).e, answer: world.answer(id) }
  }

  it('Plan runs a command and drops what it changed, and says so', async () => {
    expect(await outcomeIn('plan')).toEqual({
      asks: [],
      files: {},
      outcome: 'ok',
      answer: expect.stringMatching(/^said\n.*Plan mode: it ran, and nothing that it changed was kept\.$/s),
    })
  })

  // Mutation: report a command whose changes are dropped as any other.
  it('Plan says of nothing that it stays for the next command', async () => {
    const world = await openWorld({
      files: { '/.gitignore': 'dist' },
      script: once(execute('e', 'mkdir dist; echo x > dist/a; echo y > $HOME/.bashrc; echo z > b')),
    })
    const id = await world.run('main', 'plan')
    expect(world.answer(id)).toContain('Changes: wrote /b.')
    expect(world.answer(id)).not.toMatch(/stay|next command|ignored/)
  })

  it('Ask asks before, Auto-edit after, and Auto keeps by itself', async () => {
    expect((await outcomeIn('ask')).asks).toEqual(['asked'])
    expect((await outcomeIn('auto-edit')).asks).toEqual(['tried'])
    expect(await outcomeIn('auto')).toMatchObject({ asks: [], files: { '/a': 'x\n' }, outcome: 'ok' })
  })

  it.each<[CommandApproval, string[], string[]]>([
    ['before', ['asked'], ['asked']],
    ['after', ['tried'], ['tried']],
    ['adopt', [], []],
  ])(
    'and the setting %s decide together: it holds for Auto-edit and Auto, never for Plan and Ask',
    async (commands, edit, auto) => {
      const settings = policy({}, commands)
      expect((await outcomeIn('auto-edit', settings)).asks).toEqual(edit)
      expect((await outcomeIn('auto', settings)).asks).toEqual(auto)
      expect((await outcomeIn('ask', settings)).asks).toEqual(['asked'])
      expect((await outcomeIn('plan', settings)).files).toEqual({})
    },
  )

  it('is made stricter by a project, never looser', async () => {
    const limited = (loosestCommands: CommandApproval) => ({ policy: { ...policy().policy, loosestCommands } })
    expect((await outcomeIn('auto', limited('after'))).asks).toEqual(['tried'])
    expect((await outcomeIn('auto-edit', limited('before'))).asks).toEqual(['asked'])
    expect((await outcomeIn('auto-edit', limited('adopt'))).asks).toEqual(['tried'])
  })

  it('never loosens a rule: what asks by a rule asks before, what is denied does not run', async () => {
    expect((await outcomeIn('auto', policy({ ask: ['execute(echo *)'] }))).asks).toEqual(['asked'])
    expect((await outcomeIn('plan', policy({ ask: ['execute(echo *)'] }))).asks).toEqual(['asked'])
    expect(await outcomeIn('auto', policy({ deny: ['execute(echo *)'] }))).toMatchObject({
      files: {},
      outcome: 'error',
    })
  })

  it('Plan drops the effects also of a command that a rule made a person approve', async () => {
    const world = await openWorld({ settings: policy({ ask: ['execute'] }), script })
    const id = await world.run('main', 'plan')
    await world.approve('e')
    expect([await world.files(id), world.outcomes(id)]).toEqual([{}, { e: 'ok' }])
  })
})

describe('rules about effects', () => {
  const outcomeOf = async (rules: Partial<typeof noRules>, command: string, mode: ApprovalMode = 'auto-edit') => {
    const world = await openWorld({
      files: { '/src/a': '1' },
      settings: policy(rules),
      script: once(execute('e', command)),
    })
    const id = await world.run('main', mode)
    return requestsOf(world, id).length > 0 ? 'tried' : world.outcomes(id).e
  }

  it('keep what stays within them, and keep the rest back', async () => {
    const rule = { allow: ['Effects(src/**, ≤ 2 files, no deletions)'] }
    expect(await outcomeOf(rule, 'echo x > src/b')).toBe('ok')
    expect(await outcomeOf(rule, 'echo x > other')).toBe('tried')
    expect(await outcomeOf(rule, 'rm src/a')).toBe('tried')
    expect(await outcomeOf(rule, 'echo x > src/1; echo x > src/2; echo x > src/3')).toBe('tried')
    expect(await outcomeOf({ allow: ['Effects(no changes)'] }, 'cat src/a')).toBe('ok')
    expect(await outcomeOf({ allow: ['Effects(no changes)'] }, 'echo x > src/a')).toBe('tried')
  })

  // Mutation: leave `left` out of the outcome that is recorded, or of the effects that are shown.
  it('judge what a command left for later ones, which its card names and its risk counts', async () => {
    const hook = 'mkdir -p .git/hooks; echo x > .git/hooks/post-commit'
    const start = 'echo x > $HOME/.bashrc'
    for (const command of [hook, start]) {
      expect(await outcomeOf({ allow: ['Effects(no changes)'] }, command)).toBe('tried')
      expect(await outcomeOf({ allow: ['Effects(src/**)'] }, `${command}; echo x > src/b`)).toBe('tried')
    }
    expect(await outcomeOf({ deny: ['Effects(.git/**)'] }, hook, 'auto')).toBe('error')
    expect(await outcomeOf({ allow: ['Effects(.git/hooks/**, src/**)'] }, hook)).toBe('ok')
    const world = await openWorld({ settings: policy(), script: once(execute('e', `${hook}; ${start}; echo x > y`)) })
    const id = await world.run('main', 'auto-edit')
    expect(requestsOf(world, id)).toMatchObject([
      {
        ...{ risk: 'medium', riskReason: 'later commands may run what it left: /.git/hooks/post-commit and 1 more' },
        effects: {
          changes: { written: ['/y'] },
          left_behind: {
            ...{ count: 2, deleted: 0 },
            files: [
              { path: '/.git/hooks/post-commit', kind: 'hook' },
              { path: '~/.bashrc', kind: 'start_file' },
            ],
          },
        },
      },
    ])
  })

  it('keep back or refuse what Auto would keep', async () => {
    expect(await outcomeOf({ ask: ['Effects(src/**)'] }, 'echo x > src/b', 'auto')).toBe('tried')
    expect(await outcomeOf({ ask: ['Effects(src/**)'] }, 'echo x > other', 'auto')).toBe('ok')
    expect(await outcomeOf({ deny: ['Effects(src/**)'] }, 'echo x > src/b', 'auto')).toBe('error')
    expect(await outcomeOf({ deny: ['Effects(src/**)'] }, 'echo x > src/b')).toBe('error')
  })

  it('never keep an output with a secret by themselves', async () => {
    expect(await outcomeOf({ allow: ['Effects(no changes)'] }, `echo ghp_${'a1'.repeat(18)}`)).toBe('tried')
  })
})

describe('laws', () => {
  const command = fc.constantFrom(
    'echo one >> a',
    'echo two > b',
    'rm -f a',
    'mv b c',
    'mkdir -p d; echo x > d/e',
    'rm -rf d',
    'cat a > f; exit 1',
    'true',
  )
  const commands = fc.array(command, { minLength: 1, maxLength: 4 })
  const open = (plan: readonly string[], commandsWhen: CommandApproval) =>
    openWorld({
      files: { '/a': 'start\n', '/b': 'b\n' },
      settings: policy({}, commandsWhen),
      script: once(...plan.map((line, index) => execute(`c${index}`, line))),
    })
  const approveAll = async (world: AgentWorld, id: ThreadId) => {
    while (world.thread(id).status === 'needs_you')
      await world.approve(...requestsOf(world, id).map((request) => request.callId))
  }

  it('keeping gives the tree that approving before gives', async () => {
    const property = fc.asyncProperty(commands, async (plan) => {
      const [before, after] = await Promise.all([open(plan, 'before'), open(plan, 'after')])
      const [asked, tried] = [await before.run('main'), await after.run('main')]
      await approveAll(before, asked)
      await approveAll(after, tried)
      expect(stateOf(after, tried)).toEqual(stateOf(before, asked))
      expect(after.results(tried)).toEqual(before.results(asked))
      expect(startsOf(after)).toHaveLength(plan.length)
    })
    await fc.assert(property, runs(60, 2_000))
  })

  it('a kill between any two entries leads to the same card or to no run, and never keeps anything', async () => {
    const plan = ['echo one > a', 'cat a a > b']
    const whole = await open(plan, 'after')
    const first = await whole.run('main')
    const shown = requestsOf(whole, first).map(({ effects }) => [effects?.exit_code, effects?.changes])
    const count = whole.services.log.entries().length
    for (let stored = 4; stored <= count; stored += 1) {
      const world = await open(plan, 'after')
      let left = stored
      world.failStore((drafts) => {
        left -= drafts.length
        return left < 0
      })
      const id = world.begin('main')
      await world.whenIdle(id)
      const later = await world.crash()
      later.runtime.resume(id)
      await later.whenIdle(id)
      expect(await later.files(id), `after ${stored} entries`).toEqual({ '/a': 'start\n', '/b': 'b\n' })
      expect(requestsOf(later, id).map(({ effects }) => [effects?.exit_code, effects?.changes])).toEqual(shown)
      await approveAll(later, id)
      expect(await later.files(id)).toEqual({ '/a': 'one\n', '/b': 'one\none\n' })
    }
  })

  it('dropping any of them leaves what the others alone would have done', async () => {
    const property = fc.asyncProperty(
      commands,
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      async (plan, drop) => {
        const world = await open(plan, 'after')
        const id = await world.run('main')
        while (world.thread(id).status === 'needs_you') {
          const waiting = requestsOf(world, id).map((request) => request.callId)
          await world.decide(
            ...waiting.map(
              (one) => ({ callId: one, type: drop[Number(one.slice(1))] ? 'reject' : 'approve' }) as const,
            ),
          )
        }
        const alone = await open(
          plan.filter((_, index) => !drop[index]),
          'adopt',
        )
        const other = await alone.run('main')
        expect(stateOf(world, id)).toEqual(stateOf(alone, other))
      },
    )
    await fc.assert(property, runs(60, 2_000))
  })
})
