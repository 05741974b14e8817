import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { turnOf } from '../../ports/model-client.testkit.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'
import { decides, refuses, type TestHook, testHooks } from './hooks.testkit.ts'
import { askStages, type Stage, type StageQuestion } from './stage.ts'

const write = (id: string, content = 'x') => ({ name: 'write_file', id, input: { file_path: '/a.txt', content } })
const execute = (id: string, command: string) => ({ name: 'execute', id, input: { command } })

async function runWith(
  hooks: readonly TestHook[],
  calls: readonly { name: string; id: string; input: JsonObject }[],
  { mode = 'auto-edit', ...options }: ServicesOptions & { readonly mode?: 'ask' | 'auto-edit' | 'auto' } = {},
) {
  const list = testHooks(...hooks)
  const world = await openWorld({
    script: (request) => (turnOf(request) === 0 && calls.length > 0 ? { calls: calls as never } : { text: 'Done.' }),
    ...options,
    hooks: list,
  })
  const id = await world.run('main', mode)
  return { world, id, asked: list.asked }
}

const notes = (world: AgentWorld) => world.entries('stages.asked').flatMap((entry) => entry.notes)

describe('a hook before a call', () => {
  it('hears of it in the words of Claude Code', async () => {
    const { asked } = await runWith([{ event: 'PreToolUse', answer: () => ({}) }], [write('w')])
    expect(asked).toMatchObject([
      {
        ...{ hook_event_name: 'PreToolUse', tool_name: 'Write', tool_use_id: 'w', permission_mode: 'acceptEdits' },
        ...{ cwd: '/home/user/project', tool_input: { file_path: '/home/user/project/a.txt', content: 'x' } },
      },
    ])
  })

  it('refuses it, and the agent and the person read why', async () => {
    const hook: TestHook = { event: 'PreToolUse', matcher: 'Write', answer: () => refuses('Not on Mondays.') }
    const { world, id } = await runWith([hook], [write('w')])
    expect(world.results(id).w).toBe('Refused by the hook hook-0: Not on Mondays.')
    expect(await world.files(id)).toEqual({})
    expect(notes(world)).toEqual([
      { by: 'the hook hook-0', source: 'settings', verdict: 'refuse', reason: 'Not on Mondays.' },
    ])
  })

  /** Mutation: let the question of a hook take the place of what the mode Plan says. */
  it('that asks in the mode Plan does not let a command change anything', async () => {
    const ask: TestHook = { event: 'PreToolUse', answer: () => decides('ask') }
    const list = testHooks(ask)
    const world = await openWorld({
      script: (request) =>
        turnOf(request) === 0 ? { calls: [execute('e', 'echo x > made') as never] } : { text: 'Done.' },
      hooks: list,
    })
    const id = await world.run('main', 'plan')
    await world.approve('e')
    expect(await world.files(id)).toEqual({})
    expect(world.results(id).e).toContain('Plan')
  })

  it('is asked only about what its matcher and its condition mean', async () => {
    const hooks = [
      { event: 'PreToolUse', matcher: 'Bash', condition: 'Bash(git *)', answer: () => refuses('no git') },
      { event: 'PreToolUse', matcher: 'Read', answer: () => refuses('no') },
    ] as const
    const { world, id, asked } = await runWith(hooks, [execute('l', 'ls'), execute('g', 'git push'), write('w')], {
      mode: 'auto',
    })
    expect(asked.map((one) => one.tool_use_id)).toEqual(['g'])
    expect(world.results(id).g).toContain('no git')
  })

  it('answers a question of the mode, but none of a rule, a setting or a secret', async () => {
    const allow: TestHook = { event: 'PreToolUse', answer: () => decides('allow') }
    const asks = async (options: Parameters<typeof runWith>[2], call = write('w')) => {
      const { world, id } = await runWith([allow], [call], { mode: 'ask', ...options })
      return world.thread(id).interrupts.length > 0
    }
    expect(await asks({})).toBe(false)
    const rules = { deny: [], ask: ['write_file'], allow: [] }
    expect(await asks({ settings: { policy: { interruptOn: new Map(), rules } } })).toBe(true)
    expect(
      await asks({
        settings: { policy: { interruptOn: new Map([['write_file', true]]), rules: { deny: [], ask: [], allow: [] } } },
      }),
    ).toBe(true)
    const secret = { name: 'read_file', id: 'r', input: { file_path: '/.env' } }
    expect(await asks({ files: { '/.env': 'A=1' } }, secret as never)).toBe(true)
    const denied = { deny: ['write_file'], ask: [], allow: [] }
    const { world, id } = await runWith([allow], [write('w')], {
      settings: { policy: { interruptOn: new Map(), rules: denied } },
    })
    expect(world.results(id).w).toContain('Denied by the rule')
  })

  it('of a project allows nothing', async () => {
    const stage: Stage = {
      ...{ name: 'a', source: 'project', inTurn: false, isAbout: () => true },
      ask: async () => ({ verdict: { kind: 'allow', reason: '' } }),
    }
    const said = await askStages([stage], { moment: 'PreToolUse' } as StageQuestion, new AbortController().signal)
    expect(said?.verdict).toBeNull()
  })

  it('asks the person', async () => {
    const hook: TestHook = { event: 'PreToolUse', answer: () => decides('ask', { permissionDecisionReason: 'Sure?' }) }
    const { world, id } = await runWith([hook], [execute('x', 'ls')], { mode: 'auto' })
    const [interrupt] = world.thread(id).interrupts
    expect(interrupt?.action_requests[0]?.rule).toBe('default: commands ask; the hook hook-0: Sure?')
    await world.approve('x')
    expect(world.outcomes(id).x).toBe('ok')
  })

  it('gives it other arguments, which rules judge and a card shows', async () => {
    const updatedInput = { command: 'rm -rf build' }
    const hook: TestHook = { event: 'PreToolUse', answer: () => decides('allow', { updatedInput }) }
    const rules = { deny: [], ask: ['Bash(rm *)'], allow: ['Bash(ls)'] }
    const { world, id } = await runWith([hook], [execute('x', 'ls')], {
      settings: { policy: { interruptOn: new Map(), rules, commands: 'before' } },
    })
    expect(world.thread(id).interrupts[0]?.action_requests[0]).toMatchObject({
      ...{ args: updatedInput, rule: 'rule Bash(rm *)', changed: { by: 'the hook hook-0', given: { command: 'ls' } } },
    })
  })

  it('tells the agent that another call ran than it sent', async () => {
    const updatedInput = { file_path: '/home/user/project/b.txt', content: 'y' }
    const hook: TestHook = { event: 'PreToolUse', answer: () => decides('allow', { updatedInput }) }
    const { world, id } = await runWith([hook], [write('w')])
    expect(await world.files(id)).toEqual({ '/b.txt': 'y' })
    expect(world.results(id).w).toContain('The hook hook-0 gave the call other arguments before it ran')
  })

  it('is not asked twice about the same call, also not after a crash', async () => {
    const hook: TestHook = { event: 'PreToolUse', answer: () => decides('ask') }
    const { world, id, asked } = await runWith([hook], [execute('x', 'ls')], { mode: 'auto' })
    const again = await world.crash()
    await again.say(id, 'go on')
    expect(again.thread(id).interrupts).toHaveLength(1)
    expect(asked).toHaveLength(1)
    await again.decide({ callId: 'x' as never, type: 'edit', args: { command: 'ls -l' } })
    // What a person wrote instead is new to it.
    expect(asked).toHaveLength(2)
    // The journal has the arguments of the call already, and keeps those of the person.
    expect(again.entries('stages.asked').map(({ about }) => about)).toEqual([undefined, { command: 'ls -l' }])
    expect(again.outcomes(id).x).toBe('ok')
  })

  it('that fails lets it run, and the person reads of it', async () => {
    const hook: TestHook = { event: 'PreToolUse', answer: () => ({ exitCode: 1, stderr: 'boom' }) }
    const { world, id } = await runWith([hook], [write('w')])
    expect(world.outcomes(id).w).toBe('ok')
    expect(world.thread(id).stages?.shown).toMatchObject([{ notes: [{ problem: 'It ended with exit code 1. boom' }] }])
  })

  it('can end the run', async () => {
    const hook: TestHook = { event: 'PreToolUse', answer: () => ({ continue: false, stopReason: 'Budget.' }) }
    const { world, id } = await runWith([hook], [write('w')])
    expect(world.thread(id).end).toMatchObject({ status: 'stopped', message: 'The hook hook-0 ended the run: Budget.' })
  })
})

describe('a hook that a person is asked for', () => {
  it('refuses in their place', async () => {
    const answer = () => ({ hookSpecificOutput: { decision: { behavior: 'deny', message: 'Never.' } } })
    const { world, id } = await runWith([{ event: 'PermissionRequest', answer }], [execute('x', 'ls')])
    expect(world.thread(id).interrupts).toHaveLength(0)
    expect(world.results(id).x).toBe('Refused by the hook hook-0: Never.')
  })

  it('lets it run, unless a rule of theirs asks', async () => {
    const answer = () => ({ hookSpecificOutput: { decision: { behavior: 'allow' } } })
    const hook: TestHook = { event: 'PermissionRequest', answer }
    const { world, id } = await runWith([hook], [execute('x', 'ls')])
    expect(world.outcomes(id).x).toBe('ok')
    const rules = { deny: [], ask: ['execute'], allow: [] }
    const asking = await runWith([hook], [execute('x', 'ls')], {
      settings: { policy: { interruptOn: new Map(), rules } },
    })
    expect(asking.world.thread(asking.id).interrupts).toHaveLength(1)
    expect(asking.asked).toHaveLength(1)
  })
})

describe('a hook after a call', () => {
  it('adds to what the agent reads, or replaces it', async () => {
    const add: TestHook = { event: 'PostToolUse', matcher: 'Write', answer: () => refuses('Format it.') }
    const replace: TestHook = {
      ...{ event: 'PostToolUse', matcher: 'Bash' },
      answer: () => ({ hookSpecificOutput: { updatedToolOutput: { stdout: 'short' } } }),
    }
    const { world, id, asked } = await runWith([add, replace], [write('w'), execute('x', 'ls')], {
      settings: { policy: { interruptOn: new Map(), rules: { deny: [], ask: [], allow: ['Bash(ls)'] } } },
    })
    expect(world.results(id).w).toContain('Format it.')
    expect(world.results(id).x).toBe('short')
    expect(asked[0]).toMatchObject({ tool_response: { filePath: '/home/user/project/a.txt', success: true } })
    expect(await world.files(id)).toEqual({ '/a.txt': 'x' })
  })
})

describe('hooks around turns', () => {
  it('withhold a message, so that no model reads it', async () => {
    const hook: TestHook = { event: 'UserPromptSubmit', answer: () => refuses('It holds a key.') }
    const { world, id } = await runWith([hook], [])
    expect(world.requests).toHaveLength(0)
    expect(world.thread(id).end?.message).toBe('The message was withheld by the hook hook-0: It holds a key.')
    expect(JSON.stringify(world.thread(id).messages)).not.toContain('"main"')
  })

  it('add to a message and to the beginning, once', async () => {
    const hooks: TestHook[] = [
      { event: 'SessionStart', matcher: 'startup', answer: () => ({ exitCode: 0, stdout: 'The branch is main.' }) },
      { event: 'UserPromptSubmit', answer: ({ prompt }) => ({ exitCode: 0, stdout: `You heard ${String(prompt)}.` }) },
    ]
    const { world, id, asked } = await runWith(hooks, [])
    const texts = JSON.stringify(world.requests[0]?.messages)
    expect(texts).toContain('The branch is main.')
    expect(texts).toContain('You heard main.')
    await world.say(id, 'more')
    expect(asked.map((one) => one.hook_event_name)).toEqual(['SessionStart', 'UserPromptSubmit', 'UserPromptSubmit'])
  })

  it('send an agent back that stops, a number of times', async () => {
    const hook: TestHook = { event: 'Stop', answer: () => refuses('Not yet.') }
    const { world, id, asked } = await runWith([hook], [])
    expect(world.thread(id).end?.status).toBe('done')
    expect(asked).toHaveLength(9)
    expect(asked.map((one) => one.stop_hook_active)).toEqual([false, ...Array(8).fill(true)])
    expect(notes(world).at(-1)?.problem).toContain('8 times in a row')
  })

  it('say once that a hook of the project waits for a word', async () => {
    const list = testHooks({ event: 'PreToolUse', source: 'project', answer: () => ({}) })
    const waiting = list.active?.() ?? []
    const world = await openWorld({ hooks: { ...list, active: () => [], waiting: () => waiting } })
    const id = await world.run('main')
    await world.say(id, 'more')
    expect(notes(world)).toHaveLength(1)
    expect(notes(world)[0]?.problem).toContain('needs your word')
  })
})

describe('hooks outside of runs', () => {
  it('refuse with their reason, and what they said is stored', async () => {
    const list = testHooks({ event: 'BeforeApply', answer: () => refuses('Freeze.') })
    const world = await openWorld({ hooks: list })
    const id = await world.run('main')
    const question = { moment: 'BeforeApply', facts: { written: ['/a.txt'] } } as const
    const signal = new AbortController().signal
    expect(await world.runtime.askHooks(id, question, signal)).toBe('Refused by the hook hook-0: Freeze.')
    expect(await world.runtime.askHooks(id, { ...question, moment: 'BeforeDeliver' }, signal)).toBeNull()
    expect(list.asked).toMatchObject([{ hook_event_name: 'BeforeApply', written: ['/a.txt'] }])
    expect(notes(world)).toMatchObject([{ verdict: 'refuse', reason: 'Freeze.' }])
  })

  it('hear of the end of the app', async () => {
    const list = testHooks({ event: 'SessionEnd', answer: () => ({}) })
    const world = await openWorld({ hooks: list })
    await world.run('main')
    await world.restart()
    expect(list.asked).toMatchObject([{ hook_event_name: 'SessionEnd', reason: 'other' }])
  })
})

describe('what several stages say', () => {
  it('changes a thing once, so that a project takes back nothing that a hook of the person left out', async () => {
    const stage = (source: Stage['source'], word: string): Stage => ({
      ...{ name: word, source, inTurn: false, isAbout: () => true },
      ask: async ({ moment }) => (moment === 'PreToolUse' ? { input: { command: word } } : { content: word }),
    })
    const stages = [stage('settings', 'mine'), stage('project', 'theirs')]
    const { signal } = new AbortController()
    const before = await askStages(stages, { moment: 'PreToolUse' } as StageQuestion, signal)
    expect(before?.input).toEqual({ by: 'mine', args: { command: 'mine' } })
    const after = await askStages(stages, { moment: 'PostToolUse' } as StageQuestion, signal)
    expect(after?.content).toBe('mine')
    expect(after?.notes[1]).toMatchObject({ by: 'theirs', problem: expect.stringContaining('was not used') })
    expect(after?.notes[1]?.changed).toBeUndefined()
  })

  it('is the strictest, in any order', async () => {
    const kinds = fc.array(fc.constantFrom('refuse', 'ask', 'allow', null), { minLength: 1, maxLength: 6 })
    const order = ['refuse', 'ask', 'allow'] as const
    await fc.assert(
      fc.asyncProperty(kinds, async (given) => {
        const stages = given.map(
          (kind, index): Stage => ({
            ...{ name: `${index}`, source: 'settings', inTurn: false, isAbout: () => true },
            ask: async () => (kind === null ? {} : { verdict: { kind, reason: '' } }),
          }),
        )
        const said = await askStages(stages, { moment: 'PreToolUse' } as StageQuestion, new AbortController().signal)
        expect(said?.verdict?.kind).toBe(order.find((kind) => given.includes(kind)))
      }),
    )
  })
})
