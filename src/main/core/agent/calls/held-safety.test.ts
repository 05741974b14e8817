import { describe, expect, it } from 'vitest'
import { openWorld } from '../agent-world.testkit.ts'

import { callId, effectsOf, execute, once, patchOf, path, policy, requestsOf, startsOf } from './hold-calls.testkit.ts'

describe('what is never kept without being seen', () => {
  const secret = `ghp_${'a1'.repeat(18)}`
  const outcomeOf = async (
    settings: ReturnType<typeof policy>,
    command: string,
    options: Parameters<typeof openWorld>[0] = {},
  ) => {
    const world = await openWorld({
      files: { '/src/a': '1' },
      settings,
      script: once(execute('e', command)),
      ...options,
    })
    return { world, id: await world.run('main') }
  }

  it('is a secret in the middle of an output that the card cuts', async () => {
    const spam = ({ print }: { readonly print: (text: string) => void }) => {
      print(`${'x '.repeat(40_000)}\n${secret}\n${'y '.repeat(40_000)}`)
      return 0
    }
    const { world, id } = await outcomeOf(policy({ allow: ['Effects(no changes)'] }), 'spam', {
      programs: { spam: (_, io) => spam(io) },
    })
    expect(effectsOf(world, id, 'e')).toMatchObject({ hidden_secrets: true, secrets: [] })
    expect(JSON.stringify(world.requests)).not.toContain(secret)
  })

  it('is what a rule about effects denies, also when a person approved it before, or edited it', async () => {
    const deny = { deny: ['Effects(src/**)'] }
    const before = await outcomeOf(policy(deny, 'before'), 'echo x > src/b')
    await before.world.approve('e')
    const edited = await outcomeOf(policy(deny), 'true')
    await edited.world.decide({ callId: callId('e'), type: 'edit', args: { command: 'echo x > src/b' } })
    for (const { world, id } of [before, edited]) {
      expect(world.results(id).e).toContain('Denied by the rule Effects(src/**)')
      expect(await world.files(id)).toEqual({ '/src/a': '1' })
    }
  })

  it.each(['Effects(src/**)', 'execute'])('is a held run that the rule %s denies by now', async (rule) => {
    const { world, id } = await outcomeOf(policy(), 'echo x > src/b')
    const later = await world.restart({ settings: policy({ deny: [rule] }) })
    const [interrupt] = later.thread(id).interrupts
    if (!interrupt) throw new Error('It does not wait')
    later.runtime.decide(id, interrupt.id, [{ callId: callId('e'), type: 'approve' }])
    await later.whenIdle(id)
    expect([later.outcomes(id).e, await later.files(id)]).toEqual(['error', { '/src/a': '1' }])
  })

  it('is only the denied part: the rest of a held run can be kept', async () => {
    const { world, id } = await outcomeOf(policy(), 'echo x > src/b; echo y > other')
    const later = await world.restart({ settings: policy({ deny: ['Effects(src/**)'] }) })
    const [interrupt] = later.thread(id).interrupts
    if (!interrupt) throw new Error('It does not wait')
    later.runtime.decide(id, interrupt.id, [{ callId: callId('e'), type: 'approve', paths: [path('/other')] }])
    await later.whenIdle(id)
    expect(await later.files(id)).toEqual({ '/src/a': '1', '/other': 'y\n' })
  })

  it('is a task for a subagent: Plan starts none, and no rule keeps a command that declares one', async () => {
    const command = 'spawn_subagent "child task"'
    const world = await openWorld({ settings: policy(), script: once(execute('e', command)) })
    const id = await world.run('main', 'plan')
    expect([world.outcomes(id), world.children(id)]).toEqual([{ e: 'ok' }, []])
    const held = await outcomeOf(policy({ allow: ['Effects(no changes)'] }), command)
    expect(effectsOf(held.world, held.id, 'e')).toMatchObject({ tasks: 1 })
  })

  it('says so when a chosen file could not be kept, because what it needs was not', async () => {
    const { world, id } = await outcomeOf(policy(), 'rm src/a; mkdir src/a; echo n > src/a/c')
    await world.decide({ callId: callId('e'), type: 'approve', paths: [path('/src/a/c')] })
    expect(world.answer(id)).toMatch(/Not kept, so as before: .*\/src\/a\/c/)
  })
})

describe('a command of a project with granted hosts', () => {
  const settings = { policy: { ...policy().policy, hosts: ['example.org'] } }

  it('is not run again by itself when its branch moved on', async () => {
    let ran = 0
    const post = () => {
      ran += 1
      return 0
    }
    const world = await openWorld({
      files: { '/a': 'old' },
      settings,
      programs: { post },
      script: once(execute('e', 'post')),
    })
    const id = await world.run('main')
    const patch = await patchOf(world, id, '/a', 'new')
    const { branchId } = world.thread(id)
    world.services.log.commit([{ type: 'tree.changed', threadId: id, branchId, patch, callId: null }])
    await world.approve('e')
    expect([ran, world.outcomes(id)]).toEqual([1, { e: 'error' }])
    expect(world.answer(id)).toContain('It was not run again by itself')
  })

  it('that was cut asks what became of it', async () => {
    let isFirst = true
    const post = () => (isFirst ? new Promise<undefined>(() => {}) : undefined)
    const world = await openWorld({ settings, programs: { post }, script: once(execute('e', 'post')) })
    const id = world.begin('main')
    await expect.poll(() => startsOf(world)).toEqual(['e'])
    isFirst = false
    const later = await world.crash()
    expect(requestsOf(later, id)).toMatchObject([{ callId: 'e', rule: 'outcome unknown' }])
  })

  it('that would change something outside is refused in Plan', async () => {
    const world = await openWorld({ settings, script: once(execute('e', 'git push https://example.org/x')) })
    const id = await world.run('main', 'plan')
    expect([world.outcomes(id), startsOf(world)]).toEqual([{ e: 'error' }, []])
  })
})
