import { describe, expect, it } from 'vitest'
import { noRules } from '../../approval/rules.ts'
import { createMcpTool } from '../../tools/mcp-tool.ts'
import { anyTool, type Tool } from '../../tools/tool.ts'
import { openWorld } from '../agent-world.testkit.ts'

/** A tool as servers have them: a sentence or two, and a few arguments. */
function served(name: string, extra: Partial<Tool> = {}): Tool {
  const description = `Does what ${name.replaceAll('_', ' ')} says, in the project that the call names. Returns what it did as JSON.`
  const properties = Object.fromEntries(
    ['project', 'title', 'body', 'labels'].map((key) => [key, { type: 'string', description: `The ${key} to use.` }]),
  )
  const tool = { name, description, inputSchema: { type: 'object', properties } } as never
  const call = async () => ({ ok: true, content: [{ type: 'text', text: `${name} ran` } as const] })
  const [server = ''] = name.split('.')
  const made = createMcpTool({
    name: `mcp__${server}__${name.replaceAll('.', '_')}`,
    server,
    tool,
    mustAsk: () => undefined,
    call,
  })
  return anyTool({ ...made, ...extra })
}

const many = (count: number) => Array.from({ length: count }, (_, index) => served(`s${index % 50}.tool_${index}`))
const issue = served('github.create_issue')
const extensionsOf = (tools: readonly Tool[]) => ({
  tools,
  serverTools: { tools: tools.map(({ name }) => ({ name, serverTool: name })), prefixes: [] },
})
const allow = (...rules: readonly string[]) => ({
  policy: { interruptOn: new Map(), rules: { ...noRules, allow: rules }, commands: 'before' as const },
})
const search = (query: string) => ({
  calls: [{ name: 'search_tools', id: `s_${query.replace(/\W/g, '')}`, input: { query } }],
})
const create = { calls: [{ name: issue.name, id: 'c', input: { title: 'x' } }] }

type World = Awaited<ReturnType<typeof openWorld>>
const serverTools = (world: World, at: number) =>
  world.requests
    .at(at)
    ?.tools.flatMap(({ name }) => (name.startsWith('mcp__') || name === 'search_tools' ? [name] : []))

describe('with few tools of servers', () => {
  it('a request shows them all, and there is nothing to search', async () => {
    const world = await openWorld({ extensions: extensionsOf(many(40)) })
    await world.run('main')
    expect(serverTools(world, 0)).toHaveLength(40)
    expect(serverTools(world, 0)).not.toContain('search_tools')
  })
})

describe('with more than forty', () => {
  const tools = [...many(60), issue, served('pinned.always', { alwaysShown: true })]

  // Mutation: put what was found before the other tools in `toolSpecs`, and the second request begins otherwise.
  it('a request shows the search and what is always shown; what it finds is shown after all others, and runs', async () => {
    const steps = [search('create issue'), create, { text: 'Done.' }]
    const world = await openWorld({
      ...{ extensions: extensionsOf(tools), settings: allow('mcp__*') },
      script: () => steps.shift() ?? { text: 'Done.' },
    })
    const id = await world.run('main')
    expect(serverTools(world, 0)).toEqual(['mcp__pinned__pinned_always', 'search_tools'])
    expect(serverTools(world, 1)?.slice(0, 3)).toEqual(['mcp__pinned__pinned_always', 'search_tools', issue.name])
    const [first, second, third] = world.requests.map((request) => JSON.stringify(request.tools))
    expect(second?.startsWith((first ?? '').slice(0, -1))).toBe(true)
    expect(third).toBe(second)
    expect(new Set(world.requests.map(({ system }) => system)).size).toBe(1)
    expect(JSON.stringify(world.requests.at(-1)?.messages)).toContain('github.create_issue ran')
    await world.say(id, 'again')
    expect(JSON.stringify(world.requests.at(-1)?.tools)).toBe(second)
  })

  it('what was found asks as ever, and what was not found cannot be called', async () => {
    const steps = [create, search('create_issue issue'), create]
    const world = await openWorld({ extensions: extensionsOf(tools), script: () => steps.shift() ?? { text: 'Done.' } })
    const id = await world.run('main')
    expect(JSON.stringify(world.requests.at(1)?.messages)).toContain(`no tool`)
    expect(world.thread(id).interrupts[0]?.action_requests.map(({ name }) => name)).toEqual([issue.name])
  })

  it('finds nothing that a rule denies, or that the type of the agent may not have', async () => {
    const world = await openWorld({
      extensions: extensionsOf(tools),
      settings: { policy: { ...allow().policy, rules: { ...noRules, deny: [issue.name] } } },
      script: (request) => (request.messages.length === 1 ? search('create issue') : { text: 'Done.' }),
    })
    await world.run('main')
    expect(serverTools(world, 1)).not.toContain(issue.name)
    expect(JSON.stringify(world.requests[0]?.tools)).not.toContain('create_issue')
  })

  // Mutation: search the tools of the first request, and the new one is not found.
  it('finds a tool that its server listed meanwhile', async () => {
    const fresh = served('github.archive_release')
    const world = await openWorld({
      extensions: extensionsOf(tools),
      script: (request) => {
        if (request.messages.length > 1) return { text: 'Done.' }
        world.services.extend(extensionsOf([...tools, fresh]))
        return search('archive release')
      },
    })
    await world.run('main')
    expect(serverTools(world, 1)).toContain(fresh.name)
  })

  it('says that nothing fits, and names what there is', async () => {
    const world = await openWorld({
      extensions: extensionsOf(tools),
      script: (request) => (request.messages.length === 1 ? search('zebra') : { text: 'Done.' }),
    })
    await world.run('main')
    expect(JSON.stringify(world.requests[1]?.messages)).toContain('None of the 62 tools fits.')
    expect(world.requests[1]?.tools).toEqual(world.requests[0]?.tools)
  })

  it('a request with two thousand has hardly more bytes than one with forty', async () => {
    const size = async (count: number) => {
      const world = await openWorld({ extensions: extensionsOf(many(count)) })
      await world.run('main')
      return JSON.stringify(world.requests[0]).length
    }
    const [forty, thousands] = [await size(40), await size(2000)]
    expect(thousands).toBeLessThanOrEqual(1.2 * forty)
  })
})

it('shows a running thread the tools that came since, after all others, and says so once', async () => {
  const [first, second] = [served('a.one'), served('a.two')]
  const world = await openWorld({ extensions: extensionsOf([first]) })
  const id = await world.run('main')
  world.services.extend(extensionsOf([first, second]))
  await world.say(id, 'again')
  await world.say(id, 'and again')
  expect(serverTools(world, -1)).toEqual([first.name, second.name])
  const said = JSON.stringify(world.requests.at(-1)?.messages).split('New tools can be called now: mcp__a__a_two.')
  expect(said).toHaveLength(2)
})

// Mutation: let `newsOf` say nothing after the start, and the run ends without the tool.
it('shows a running thread the tools that a server lists during its run', async () => {
  const [first, second] = [served('a.one'), served('a.two')]
  const world = await openWorld({
    ...{ extensions: extensionsOf([first]), settings: allow('mcp__*') },
    script: (request) => {
      if (request.messages.length > 1) return { text: 'Done.' }
      world.services.extend(extensionsOf([first, second]))
      return { calls: [{ name: first.name, id: 'one', input: {} }] }
    },
  })
  const id = await world.run('main')
  expect([serverTools(world, 0), serverTools(world, 1)]).toEqual([[first.name], [first.name, second.name]])
  await world.say(id, 'again')
  const said = JSON.stringify(world.requests.at(-1)?.messages)
  expect(said.split('New tools can be called now: mcp__a__a_two.')).toHaveLength(2)
  expect(said).not.toContain('start from now on')
})

// Mutation: without `mostAdded`, the request of a long run has a tool for each list.
it('shows no more than a hundred tools of a server that lists another one at every step', async () => {
  let listed = 0
  const world = await openWorld({
    ...{ extensions: extensionsOf([served('a.first')]), settings: allow('mcp__*') },
    script: () => {
      listed += 1
      if (listed > 6) return { text: 'Done.' }
      world.services.extend(extensionsOf(Array.from({ length: 40 }, (_, index) => served(`a.t${listed}_${index}`))))
      return { calls: [{ name: 'ls', id: `l${listed}`, input: {} }] }
    },
  })
  await world.run('main')
  expect(serverTools(world, -1)).toHaveLength(101)
})
