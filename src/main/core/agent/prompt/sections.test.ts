import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import { projectThread } from '#shared/model/ids.ts'
import { noAccess } from '#shared/tools/tool-facts.ts'
import { appendTo } from '../../journal/project-log.testkit.ts'
import { byTask, taskOf } from '../../ports/model-client.testkit.ts'
import { type Tool, textOutput } from '../../tools/tool.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { type AgentDefinition, generalPurpose } from '../types/agent-definition.ts'

/** The prompts and tools of the main agent and of a subagent of a type. */
async function prompts(options: ServicesOptions = {}, type = 'general-purpose') {
  const child = { name: 'task', input: { description: 'child', subagent_type: type } }
  const world = await openWorld({
    script: byTask({ main: [{ calls: [child] }], child: [{ text: 'done' }] }),
    ...options,
  })
  await world.run('main')
  const [main] = world.requests
  const [sub] = world.requests.filter((request) => taskOf(request) === 'child')
  if (!main) throw new Error('nobody was asked')
  return { main, sub, world, toolsOf: (request = main) => request.tools.map(({ name }) => name) }
}

const fileTools = ['ls', 'read_file', 'write_file', 'edit_file', 'multi_edit', 'delete', 'move', 'glob', 'grep']
const processTools = ['process_output', 'process_input', 'process_stop', 'process_list']
const runTools = ['execute', ...processTools, 'run_js_code', 'run_js_file', 'run_python_code', 'run_python_file']
const delegationTools = [
  ...['task', 'spawn_subagents', 'batch_task', 'attempts', 'agent_wait', 'agent_status', 'agent_message', 'agent_stop'],
  ...['merge_subagent', 'discard_subagent'],
]

const custom = (more: Partial<AgentDefinition>): AgentDefinition => ({
  ...generalPurpose,
  name: 'custom',
  description: 'Does one thing.',
  ...more,
})
const serverTool: Tool = {
  name: 'mcp__a__b',
  description: 'From a server.',
  schema: z.object({}),
  access: noAccess,
  describe: () => '',
  effect: 'outside',
  run: async () => textOutput(''),
}

describe('the main agent', () => {
  it('has every tool, in one fixed order', async () => {
    const { toolsOf } = await prompts()
    expect(toolsOf()).toEqual([
      'write_todos',
      'read_todos',
      'update_todo_status',
      ...fileTools,
      ...runTools,
      ...delegationTools,
      'compact',
      'ask_user',
      'present_plan',
    ])
  })

  it('needs less than 2,000 tokens for its prompt', async () => {
    const { main } = await prompts()
    // English prose has more than four characters per token with every tokenizer of this model family.
    expect(main.system.length / 4).toBeLessThan(2000)
    for (const must of [
      'Paths start with /',
      'todo list',
      'Never make up what a file contains',
      'Do not delegate',
      'spawn it with a complete task',
      'merge_subagent',
      'discard_subagent',
      'sees nothing of this conversation',
      'independent tools in one reply',
      'never secrets',
      'reply without tool calls',
    ])
      expect(main.system).toContain(must)
    expect(main.system).not.toContain('You are a subagent')
  })

  it('gets its appendices after all guidance: instructions, memories, skills', async () => {
    const skill = {
      name: 'release',
      description: 'How to release.',
      file: '/inputs/skills/release/SKILL.md' as never,
      attached: () => [],
    }
    const world = await openWorld({
      extensions: { instructions: [{ file: 'AGENTS.md', text: 'Use tabs.' }], skills: [skill] },
    })
    const note = { agent: null, callId: null, restores: null } as const
    appendTo(world.services.log, [
      { type: 'memory.written', threadId: projectThread, name: 'style.md', text: 'Short lines.\nmore', ...note },
    ])
    await world.run('main')
    const [request] = world.requests
    expect(request?.system.split('# When you are done')[1]).toMatch(
      /# Instructions of the project \(AGENTS\.md\)\n\nUse tabs\.\n\n# Memories\n[^\n]*\n- \{"file":"\/memories\/style\.md","begins":"Short lines\."\}\n\n# Skills\n[^\n]*\n- \{"name":"release","description":"How to release\.","file":"\/inputs\/skills\/release\/SKILL\.md"\}$/,
    )
  })

  it('renames the places beside the project when the project has folders with those names', async () => {
    const { main } = await prompts({ files: { '/memories/own.md': 'x', '/large_tool_results/own.txt': 'x' } })
    expect(main.system).toContain('/memories-1/ holds plain files')
    expect(main.system).toContain('kept below /large_tool_results-1/')
    expect(main.system).not.toMatch(/\/memories\/|\/large_tool_results\//)
  })

  it('has the role from the settings, and the tools of servers', async () => {
    const { main, toolsOf } = await prompts({
      settings: { systemPrompt: 'You are a pirate.' },
      extensions: { tools: [serverTool] },
    })
    expect(main.system.startsWith('You are a pirate.\n\n')).toBe(true)
    expect(toolsOf()).toContain('mcp__a__b')
  })

  it('is not told about memory when a person switched it off', async () => {
    const world = await openWorld()
    const id = world.runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
    appendTo(world.services.log, [
      { type: 'thread.configured', threadId: id, model: 'scripted', approvalMode: 'auto-edit', memory: false },
    ])
    await world.say(id, 'main')
    expect(world.requests[0]?.system).not.toContain('/memories/')
  })
})

describe('a subagent', () => {
  it("has the same, except for the tools beyond its depth and its parent's plan", async () => {
    const { sub, toolsOf } = await prompts()
    expect(toolsOf(sub)).toEqual([
      'read_todos',
      'update_todo_status',
      ...fileTools,
      ...runTools,
      'compact',
      'ask_user',
      'present_plan',
    ])
    expect(sub?.system).toContain('# You are a subagent')
    expect(sub?.system).toContain('with your report')
    expect(sub?.system).not.toContain('# Delegating')
  })

  it('is told where memories are, but not what they are', async () => {
    const world = await openWorld({
      script: byTask({ main: [{ calls: [{ name: 'task', input: { description: 'child' } }] }] }),
    })
    const note = { name: 'style.md', text: 'CANARY', agent: null, callId: null, restores: null } as const
    appendTo(world.services.log, [{ type: 'memory.written', threadId: projectThread, ...note }])
    await world.run('main')
    const [main, sub] = world.requests
    expect([main?.system.includes('CANARY'), sub?.system.includes('CANARY')]).toEqual([true, false])
    expect(sub?.system).toContain('/memories/ holds plain files')
  })

  it('with a type of its own has its prompt, tools and model, and no guidance about tools it lacks', async () => {
    const agents = [generalPurpose, custom({ prompt: 'Be strict.', tools: ['read_file', 'grep'], model: 'other' })]
    const { sub, main, toolsOf } = await prompts({ extensions: { agents } }, 'custom')
    expect([sub?.model, toolsOf(sub)]).toEqual(['other', ['read_file', 'grep']])
    expect(sub?.system.startsWith('Be strict.\n\nThe project is "project"')).toBe(true)
    expect(sub?.system).toContain('# Files')
    expect(sub?.system).not.toContain('# Planning')
    const types = main.tools.find(({ name }) => name === 'task')?.description
    expect(types).toContain(
      '- general-purpose: Any task: it has your prompt and your tools.\n- custom: Does one thing.',
    )
  })

  it('with the mode tool makes one request, without tools', async () => {
    const agents = [generalPurpose, custom({ mode: 'tool' })]
    const { world, sub } = await prompts({ extensions: { agents } }, 'custom')
    expect([sub?.tools, world.requests.filter((request) => taskOf(request) === 'child').length]).toEqual([[], 1])
  })

  it('whose type is no longer defined continues as general-purpose', async () => {
    const agents = [generalPurpose, custom({ prompt: 'Be strict.' })]
    const question = { name: 'ask_user', id: 'q', input: { question: '?' } }
    const child = { name: 'task', input: { description: 'child', subagent_type: 'custom' } }
    const world = await openWorld({
      script: byTask({ main: [{ calls: [child] }], child: [{ calls: [question] }, { text: 'done' }] }),
      extensions: { agents },
    })
    const id = await world.run('main')
    const again = await world.restart({ extensions: { agents: [generalPurpose] } })
    await again.decide({ callId: 'q' as never, type: 'respond', message: 'yes' })
    await again.whenIdle(id)
    expect(again.thread(id).status).toBe('done')
  })

  it('asks for the tools that its type sets to ask, and only there', async () => {
    const agents = [generalPurpose, custom({ interruptOn: new Map([['write_file', true]]) })]
    const write = (file_path: string) => ({ name: 'write_file', id: 'w', input: { file_path, content: 'x' } })
    const child = { name: 'task', input: { description: 'child', subagent_type: 'custom' } }
    const world = await openWorld({
      script: byTask({ main: [{ calls: [write('/a'), child] }], child: [{ calls: [write('/b')] }] }),
      extensions: { agents },
    })
    await world.run('main')
    expect(world.waiting().interrupts[0]?.action_requests).toMatchObject([{ args: { file_path: '/b' } as JsonObject }])
  })
})
