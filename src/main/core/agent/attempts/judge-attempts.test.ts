import { expect, it } from 'vitest'
import { familyOf } from '#shared/model/project-state.ts'
import { type ScriptedCall, taskOf, turnOf } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { sumOfUsage } from '../delegation/budgets.ts'

it('an attempt costs what it and everybody below it spent', async () => {
  const usage = { cost: 0.01 }
  const below: ScriptedCall = { name: 'spawn_subagents', input: { tasks: ['below'] } }
  const calls: Readonly<Record<string, ScriptedCall>> = {
    main: { name: 'attempts', input: { task: 'one way', n: 2 } },
    'one way': below,
    below: { name: 'write_file', input: { file_path: '/a', content: 'x' } },
  }
  const world = await openWorld({
    settings: { maxSubagentDepth: 2 },
    script(request) {
      const call = turnOf(request) === 0 ? calls[taskOf(request)] : undefined
      return call ? { calls: [call], usage } : { text: 'done', usage }
    },
  })
  const id = await world.run('main')
  const batch = [...world.thread(id).calls.values()].find(({ name }) => name === 'attempts')?.batch
  const { state } = world.services.log
  const attempts = [...state.threads.values()].filter(({ parent }) => parent?.threadId === id)
  const spent = attempts.map((thread) => sumOfUsage(familyOf(state, thread.id)).cost)
  expect(spent.every((cost) => cost !== null && cost > 0)).toBe(true)
  expect(attempts.map(({ usage }) => usage.cost)).not.toEqual(spent)
  expect([...(batch?.judged?.values() ?? [])].map(({ cost }) => cost)).toEqual(spent)
})
