import { expect, it } from 'vitest'
import { noRules } from '../../approval/rules.ts'
import { createMcpTool } from '../../tools/mcp-tool.ts'
import { anyTool } from '../../tools/tool.ts'
import { openWorld } from '../agent-world.testkit.ts'

const names = ['mcp__git__log', 'mcp__git__push', 'mcp__github__log']
const served = names.map((name) => {
  const tool = { name: name.split('__')[2] ?? '', description: 'x', inputSchema: { type: 'object' } } as never
  const call = async () => ({ ok: true, content: [] })
  return anyTool(createMcpTool({ name, server: 'git', tool, mustAsk: () => undefined, call }))
})

// Mutation: without the filter of `servers`, each request names all three.
it.each<[readonly string[], readonly string[]]>([
  [[], names],
  [['mcp__git'], ['mcp__github__log']],
  [['mcp__git__*'], ['mcp__github__log']],
  [['mcp__git__log', ' mcp__git__push '], ['mcp__github__log']],
  [['mcp__*__log'], ['mcp__git__push']],
  [['mcp__*'], []],
  [['*'], []],
  [['mcp__git__log(/secret/**)', 'mcp__git__*(x)'], names],
  [['Read(/a)', 'execute'], names],
])('the rules that deny %j leave these tools of servers in a request: %j', async (deny, offered) => {
  const world = await openWorld({
    settings: { policy: { interruptOn: new Map(), rules: { ...noRules, deny }, commands: 'before' } },
    extensions: {
      tools: served,
      serverTools: { tools: served.map(({ name }) => ({ name, serverTool: name })), prefixes: [] },
    },
  })
  await world.run('look')
  const [request] = world.requests
  expect(request?.tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__'))).toEqual(offered)
})

it('tells a running thread that a tool which is denied now can no longer be called', async () => {
  const extensions = { tools: served, serverTools: { tools: [], prefixes: ['mcp__git', 'mcp__github'] } }
  const world = await openWorld({ extensions })
  const id = await world.run('look')
  world.services.change({
    policy: { interruptOn: new Map(), rules: { ...noRules, deny: ['mcp__git'] }, commands: 'before' },
  })
  await world.say(id, 'again')
  expect(JSON.stringify(world.requests.at(-1)?.messages)).toContain(
    'can no longer be called: mcp__git__log, mcp__git__push.',
  )
})
