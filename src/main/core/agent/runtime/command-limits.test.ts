import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CommandUse } from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { accessOf, toolFacts } from '#shared/tools/tool-facts.ts'
import { createJudge, type JudgedCall, type PolicyOptions, type Verdict } from '../../approval/policy.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { createLimitedJudge } from './agent-policy.ts'

const use = (name: string, allowedTools: readonly string[] | null = null): CommandUse => ({
  ...{ name, allowedTools, model: null, effort: null },
})

// Mutation: let a call that a command names pass without the policy.
it('a command never makes more of a call pass than the policy, and changes nothing about what it names', async () => {
  const { services } = await openWorld({ script: () => ({ text: 'ok' }) })
  const rule = fc.constantFrom(
    'write_file',
    'edit_file',
    'execute',
    'execute(ls *)',
    'write_file(/src/**)',
    'read_file',
    '*',
    '',
  )
  const rules = fc.array(rule, { maxLength: 3 })
  const call = fc
    .record({
      tool: fc.constantFrom(
        toolFacts.read_file,
        toolFacts.write_file,
        toolFacts.execute,
        toolFacts.task,
        toolFacts.write_todos,
      ),
      path: fc.constantFrom('/src/a.ts', '/b.ts'),
      command: fc.constantFrom('ls -l', 'rm -rf /', 'ls && rm x'),
      mode: fc.constantFrom('plan', 'ask', 'auto-edit', 'auto'),
      runsAside: fc.boolean(),
    })
    .map(
      ({ tool, path, command, ...rest }): JudgedCall => ({
        ...{ tool, ...rest },
        access: accessOf(tool.access, { file_path: path, command }),
      }),
    )
  const policies = fc
    .record({ deny: rules, ask: rules, allow: rules })
    .map((permissions): PolicyOptions => ({ rules: permissions, interruptOn: new Map(), sandboxed: true }))
  fc.assert(
    fc.property(
      policies,
      call,
      fc.array(fc.option(rules, { nil: null }), { maxLength: 2 }),
      (policy, judged, limits) => {
        const commands = limits.map((allowed, index) => use(`c${index}`, allowed))
        const thread = { parent: null, commands } as Partial<ThreadState> as ThreadState
        const plain = createJudge(policy)(judged)
        const limited = createLimitedJudge(
          services,
          () => policy,
          () => thread,
        )(judged)
        expect(strictness(limited)).toBeGreaterThanOrEqual(strictness(plain))
        if (limits.every((allowed) => allowed === null || allowed.includes('*'))) expect(limited).toEqual(plain)
      },
    ),
  )
})

/** Runs, is tried before anybody is asked, is dropped, is asked about, is refused. */
function strictness({ kind }: Verdict): number {
  return ['run', 'try', 'drop', 'ask', 'refuse'].indexOf(kind)
}

describe('the commands of a run', () => {
  it('are those of its messages: one that comes meanwhile adds its own, the next one at rest begins anew', async () => {
    const seen: (readonly string[])[] = []
    const names = (): readonly string[] => (world.thread(id).commands ?? []).map(({ name }) => name)
    const send = (text: string, command?: CommandUse) =>
      world.runtime.send(id, [{ type: 'text', text }], 'steer', { step: false, command })
    const world = await openWorld({
      script: (_, { count }) => {
        seen.push(names())
        if (count === 0) send('/two', use('two'))
        return count === 0 ? { calls: [{ name: 'ls', input: { path: '/' } }] } : { text: 'Done.' }
      },
    })
    const begun = { title: 'one', model: 'scripted', approvalMode: 'auto-edit' } as const
    const id = world.runtime.begin(begun, () => [{ type: 'text', text: '/one' }], { step: false, command: use('one') })
    await world.whenIdle(id)
    expect(seen).toEqual([['one'], ['one', 'two']])
    send('plain')
    await world.whenIdle(id)
    expect(names()).toEqual([])
  })
})
