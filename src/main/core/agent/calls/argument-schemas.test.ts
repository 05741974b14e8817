import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { noAccess, toolFacts } from '#shared/tools/tool-facts.ts'
import { agentRequestTool } from '../../tools/delegate/agent-request.ts'
import { type Tool, textOutput } from '../../tools/tool.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { type Family, resolveCapabilities } from '../prompt/capabilities.ts'
import { argumentSchemaOf } from './argument-schemas.ts'

const serverTool: Tool = {
  ...{ name: 'mcp__a__b', description: 'From a server.', schema: z.object({ n: z.number() }), effect: 'outside' },
  access: noAccess,
  describe: () => '',
  run: async () => textOutput(''),
}

/** So many that an agent searches for them. */
const more = Array.from({ length: 41 }, (_, index): Tool => ({ ...serverTool, name: `mcp__a__${index}` }))

const family = { subagents: { types: [] }, batches: {}, merges: {}, processes: {} } as unknown as Family

it('are those of the tools that an agent gets, of every tool of the app and of servers', async () => {
  const world = await openWorld({
    extensions: { tools: [{ ...serverTool, alwaysShown: true }, ...more] },
    checks: [{ name: 'c', run: 'c' }],
    settings: { fetchesPages: true },
    script: () => ({ text: 'done' }),
  })
  const id = await world.run('main')
  const extensions = world.services.extensions.current()
  const { tools } = resolveCapabilities(world.services, world.thread(id), family)
  // The calls of external agents are no tools: nobody edits them, and nobody but the agent runs them.
  const theirs = ['agent_read', 'agent_edit', 'agent_command', 'agent_fetch', 'agent_call']
  const ours = Object.keys(toolFacts).filter((name) => !theirs.includes(name))
  expect(tools.map(({ name }) => name).sort()).toEqual([...ours, serverTool.name].sort())
  for (const { name, schema } of tools) expect(argumentSchemaOf(name, extensions), name).toBe(schema)
  expect(argumentSchemaOf(agentRequestTool, extensions)).toBeDefined()
  expect(argumentSchemaOf('gone', extensions)).toBeUndefined()
})

it('are found without a prompt or a tool being made', async () => {
  const world = await openWorld({
    script: () => ({ calls: [{ name: 'execute', id: 'one', input: { command: 'true' } }] }),
  })
  const id = await world.run('main')
  const interruptId = world.thread(id).interrupts[0]?.id
  if (interruptId === undefined) throw new Error('Nothing waits.')
  const made: string[] = []
  const notNow = (what: string) => () => {
    made.push(what)
    throw new Error(`The ${what} was made.`)
  }
  const { services } = world
  const { tools, serverTools } = services.extensions.current()
  // Every prompt reads the settings and the extensions, and execute describes its sandbox.
  Object.assign(services, { settings: notNow('prompt'), shell: { ...services.shell, sandbox: notNow('tool') } })
  Object.assign(services.extensions, { current: () => ({ tools, serverTools }) })
  const check = (args: Record<string, unknown>) => {
    const edit = { type: 'edit', callId: 'one' as ToolCallId, args } as Decision
    world.runtime.checkDecisions(id, interruptId, [edit])
  }
  check({ command: 'false' })
  expect(() => check({ command: 7 })).toThrow('The edited arguments do not fit execute:')
  expect(() => world.runtime.checkDecisions(id, interruptId, [])).not.toThrow()
  expect(made).toEqual([])
})
