import { expect, it } from 'vitest'
import { openWorld } from '#core/agent/agent-world.testkit.ts'
import { noRules } from '#core/approval/rules.ts'
import { callingInTurn } from '#core/ports/model-client.testkit.ts'
import { withMemoryRules } from './memory-rules.ts'

const memory = { user: true, approve: true }

/** Runs one call in the mode Auto, and says which tools wait for a person. */
async function waiting(name: string, input: object) {
  const rules = withMemoryRules({ ...noRules, allow: ['write_file'] }, { memory })
  const policy = { interruptOn: new Map(), commands: 'before' as const, rules }
  const world = await openWorld({
    settings: { policy },
    files: { '/a.txt': 'a' },
    script: callingInTurn([[name, input]]),
  })
  const id = await world.run('main', 'auto')
  return world.thread(id).interrupts.flatMap(({ action_requests: all }) => all.map(({ name: tool }) => tool))
}

// Mutation: leave out `write_file` or `move`.
it.each([
  ['write_file', { file_path: '/memories/style.md', content: 'Short sentences.' }],
  ['write_file', { file_path: '/memories/user/style.md', content: 'Short sentences.' }],
  ['move', { from: '/a.txt', to: '/memories/a.txt' }],
])('waits for a person who is to approve memories: %s', async (name, input) => {
  expect(await waiting(name, input)).toEqual([name])
})

it('lets everything else be, and asks about no memory unless it is set', async () => {
  expect(await waiting('write_file', { file_path: '/b.txt', content: 'b' })).toEqual([])
  expect(withMemoryRules(noRules, {})).toBe(noRules)
  expect(withMemoryRules(noRules, { memory: { user: true, approve: false } })).toBe(noRules)
})
