import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { noAccess } from '#shared/tools/tool-facts.ts'
import { type Tool, textOutput } from '../../tools/tool.ts'
import { openWorld } from '../agent-world.testkit.ts'
import type { FrozenPrompt } from './freeze-prompt.ts'
import { promptChanges } from './freeze-prompt.ts'

const prompt = (sections: FrozenPrompt['sections'], ...tools: readonly string[]): FrozenPrompt => ({
  sections,
  tools: tools.map((name) => ({ name, description: '', inputSchema: {} })),
})

it('repeats changed instructions in full, and names tools that came and went', () => {
  const before = prompt([{ part: 'instructions', text: 'Use tabs.' }], 'ls', 'mcp__a__b')
  const after = prompt([{ part: 'instructions', text: 'Use spaces.' }], 'ls', 'mcp__c__d')
  const told = promptChanges(before, after) ?? ''
  expect(told).toContain('The instructions changed. They now are:\n\nUse spaces.')
  expect(told).toContain('can no longer be called: mcp__a__b.')
  expect(told).toContain('start from now on: mcp__c__d.')
  expect(promptChanges(before, prompt([], 'ls', 'mcp__a__b'))).toBe('The instructions you were given no longer hold.')
})

it('does not mention what the agent itself wrote into the memories', () => {
  expect(promptChanges(prompt([{ part: 'memory', text: 'a' }]), prompt([{ part: 'memory', text: 'b' }]))).toBeNull()
})

it('says nothing when nothing changed, or only the guidance', () => {
  const before = prompt(
    [
      { part: 'guidance', text: 'old' },
      { part: 'skills', text: 'a' },
    ],
    'ls',
  )
  expect(promptChanges(before, before)).toBeNull()
  expect(
    promptChanges(
      before,
      prompt(
        [
          { part: 'guidance', text: 'new' },
          { part: 'skills', text: 'a' },
        ],
        'ls',
      ),
    ),
  ).toBeNull()
})

describe('the prompt of a thread', () => {
  const instructions = (text: string) => ({ instructions: [{ file: 'AGENTS.md', text }] })
  const tool = (name: string): Tool => ({
    name,
    description: 'From a server.',
    schema: z.object({}),
    access: noAccess,
    describe: () => '',
    effect: 'read',
    run: async () => textOutput(name),
  })

  it('keeps its bytes for life, and changed instructions come as one message, once', async () => {
    const world = await openWorld({ extensions: instructions('Use tabs.') })
    const id = await world.run('main')
    world.services.extend(instructions('Use spaces.'))
    await world.say(id, 'again')
    await world.say(id, 'and again')
    const [first, ...later] = world.requests
    expect(first?.system).toContain('Use tabs.')
    for (const request of later) {
      expect([request.system, request.tools]).toEqual([first?.system, first?.tools])
      expect(request.messages.filter((message) => JSON.stringify(message).includes('Use spaces.'))).toHaveLength(1)
    }
  })

  it('keeps its bytes across a restart, and announces what changed meanwhile', async () => {
    const world = await openWorld({ extensions: instructions('Use tabs.') })
    const id = await world.run('main')
    const again = await world.restart({ extensions: instructions('Use spaces.') })
    await again.say(id, 'again')
    expect(again.requests[0]?.system).toBe(world.requests[0]?.system)
    expect(JSON.stringify(again.requests[0]?.messages)).toContain('Use spaces.')
  })

  it('keeps a missing tool in its list but cannot run it, and says so', async () => {
    const calls = [{ name: 'mcp__a__b', id: 'gone', input: {} }]
    const world = await openWorld({
      script: (_, { count }) => (count === 1 ? { calls } : { text: 'ok' }),
      extensions: { tools: [tool('mcp__a__b')] },
    })
    const id = await world.run('main')
    world.services.extend({ tools: [tool('mcp__c__d')] })
    await world.say(id, 'again')
    expect(world.requests[1]?.tools.map(({ name }) => name)).toContain('mcp__a__b')
    expect(world.results(id).gone).toContain('There is no tool named mcp__a__b.')
    expect(JSON.stringify(world.requests[1]?.messages)).toContain('These tools can no longer be called: mcp__a__b.')
    expect(JSON.stringify(world.requests[1]?.messages)).toContain(
      'New tools exist for threads that start from now on: mcp__c__d.',
    )
  })

  it('has the arguments of a tool as its JSON Schema', async () => {
    const world = await openWorld()
    await world.run('main')
    const spec = world.requests[0]?.tools.find(({ name }) => name === 'edit_file')
    expect(spec?.inputSchema).toMatchObject({
      type: 'object',
      properties: {
        file_path: { type: 'string' },
        old_string: { type: 'string' },
        new_string: { type: 'string' },
        replace_all: { type: 'boolean' },
      },
      required: ['file_path', 'old_string', 'new_string'],
    })
    expect(spec?.inputSchema).not.toHaveProperty('$schema')
  })

  it('names a skill, whose file is readable beside the project', async () => {
    const path = '/inputs/skills/release/SKILL.md' as VirtualPath
    const skill = {
      name: 'release',
      description: 'How to release.',
      file: path,
      attached: () => [{ path, text }],
    }
    let text = 'TAG IT'
    const read = (id: string) => ({ calls: [{ name: 'read_file', id, input: { file_path: path } }] })
    const world = await openWorld({
      script: (_, { count }) => (count % 2 === 0 ? read(count === 0 ? 'r' : 'again') : { text: 'ok' }),
      extensions: { skills: [skill] },
    })
    const id = await world.run('main')
    expect(world.requests[0]?.system).toContain(`{"name":"release","description":"How to release.","file":"${path}"}`)
    expect(JSON.stringify(world.requests[0])).not.toContain('TAG IT')
    expect(world.results(id).r).toContain('TAG IT')
    expect(await world.files(id)).toEqual({})

    // Mutation: attach skills at the first run alone, and the thread reads the old text for ever.
    text = 'SIGN IT'
    world.runtime.send(id, [{ type: 'text', text: 'again' }], 'queue')
    await world.whenIdle(id)
    expect(world.results(id).again).toContain('SIGN IT')
  })
})
