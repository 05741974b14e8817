import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import { checkpointBefore } from '#shared/model/derived/checkpoints.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { type ApiRequest, byTask, type Call, type Scenario } from '../e2e/model-server/scenario.ts'
import { openWorld, temporaryFolder, type WorldOptions } from './world.testkit.ts'

/** Commands of files, skills and prompts of servers, from the folder to the request, and what they narrow. */
const write = (file: string): Call => ({ name: 'write_file', input: { file_path: file, content: 'x' } })
const execute = (command: string): Call => ({ name: 'execute', input: { command } })

async function world(files: Readonly<Record<string, string>>, scenario: Scenario, options: WorldOptions = {}) {
  const opened = await openWorld(scenario, { files, trusted: true, ...options })
  const { host, project, server, thread } = opened
  const client = createDirectClient(host)
  const projectId = project.info().id
  const send = async (text: string, threadId: ThreadId | null = null): Promise<ThreadId> => {
    const delivery = 'queue' as const
    const message = { projectId, threadId, text, images: [], inputs: [], delivery, step: false }
    const { threadId: id } = await client.threads.send({ ...message, ...(threadId === null && { model: 'scripted' }) })
    await project.runtime.whenIdle(id)
    return id
  }
  const asks = (id: ThreadId) =>
    thread(id).interrupts.flatMap(({ action_requests: requests }) => requests.map(({ rule }) => rule))
  return { ...opened, client, projectId, send, asks, told: () => userTexts(server.requests.at(-1)) }
}

function userTexts(request: ApiRequest | undefined): string {
  const texts = (request?.messages ?? []).flatMap(({ role, content }) => {
    if (role !== 'user') return []
    if (typeof content === 'string') return [content]
    return content.map((block) => (block.type === 'text' ? block.text : ''))
  })
  return texts.join('\n')
}

const done: Scenario = () => ({ text: 'done' })
const fix = `---
description: Fix an issue
allowed-tools: Write, Bash(echo *)
---
Fix issue #$1 with priority $2. All of it: $ARGUMENTS`

describe('a command of a file', () => {
  it('tells the agent what it says, with the words of the person, once', async () => {
    const { send, told, thread } = await world({ '.claude/commands/fix.md': fix }, done)
    const id = await send('/fix 12 "$1 \'high\'"')
    expect(told()).toContain("> Fix issue #12 with priority $1 'high'. All of it: 12 \"$1 'high'\"")
    expect(thread(id).title).toBe('/fix 12 "$1 \'high\'"')
    await send('Thanks. /fix is a fine command', id)
    expect(told().match(/Fix issue/g)).toHaveLength(1)
  })

  it('is not read in a folder that is not trusted, and stays text', async () => {
    const { send, told, client, projectId } = await world({ '.claude/commands/fix.md': fix }, done, { trusted: false })
    await send('/fix 12')
    expect(told()).not.toContain('Fix issue')
    expect(await client.extensions.slash({ projectId, servers: false })).toEqual({ entries: [], problems: [] })
  })

  it('can be in the home, and then wins over the project’s of that name', async () => {
    const home = temporaryFolder()
    const files = {
      '.claude/commands/fix.md': 'mine',
      '.claude/skills/pdf/SKILL.md': skill('pdf'),
      '.agents/skills/x/SKILL.md': skill('x'),
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      writeFileSync(join(home, name), text)
    }
    const given = { '.coppice/commands/fix.md': fix, '.claude/commands/web/page.md': 'page' }
    const { send, told, client, projectId } = await world(given, done, { environment: { HOME: home } })
    const { entries, problems } = await client.extensions.slash({ projectId, servers: false })
    expect(entries.map(({ kind, word }) => `${kind} ${word}`)).toEqual([
      'skill x',
      'skill pdf',
      'command fix',
      'command web:page',
    ])
    expect(problems.map(({ file }) => file)).toEqual(['/.coppice/commands/fix.md'])
    await send('/fix it')
    expect(told()).toContain('> mine\n> \n> ARGUMENTS: it')
    await send('/web:page')
    expect(told()).toContain('> page')
  })

  it('brings files that it names as the thread has them, without tokens, and without those that ask', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const files = {
      '.claude/commands/look.md': 'Look at @src/a.ts, @.env, @$1 and @src/. Again @.claude/commands/look.md',
      'src/a.ts': 'old @src/b.ts',
      'src/b.ts': `const token = "${token}"`,
      '.env': 'KEY=secret-value',
    }
    const { send, told } = await world(
      files,
      byTask({
        go: [{ calls: [{ name: 'write_file', input: { file_path: '/src/a.ts', content: 'new @src/b.ts' } }] }],
      }),
      {
        settings: { interrupt_on: { write_file: false } },
      },
    )
    const id = await send('go')
    await send('/look src/b.ts', id)
    const text = told()
    expect(text).toContain('> @src/a.ts:\n> new @src/b.ts')
    expect(text).toContain('> @src/b.ts:\n> const token = ')
    expect(text).toContain('> @.env:\n> (It asks before it is read')
    expect([text.includes('secret-value'), text.includes(token)]).toEqual([false, false])
    // A command that names itself is there once more as a text, and no further.
    expect(text.match(/Look at @src\/a\.ts/g)).toHaveLength(2)
    expect(text).toContain('files below /src')
  })

  it('keeps what it says when its message is written anew, and takes the next one’s', async () => {
    const files = { '.claude/commands/a.md': 'First: $1.', '.claude/commands/b.md': 'Second: $1.' }
    const { send, told, client, projectId, project, thread } = await world(files, done)
    const threadId = await send('/a one')
    const before = told()
    const { past } = project.services.log.state
    const [message] = thread(threadId).messages
    const to = checkpointBefore(past.threads.get(threadId), message?.messageId ?? ('' as MessageId)) ?? 0
    await client.rewind.edit({ projectId, threadId, to, text: before.replace('/a one', '/b two'), files: false })
    await expect.poll(told).toContain('> Second: two.')
    expect(told()).not.toContain('First')
  })
})

const skill = (name: string): string =>
  `---\nname: ${name}\ndescription: How to ${name}\nallowed-tools: Read\n---\nDo it.\n`

describe('what a command is about', () => {
  // Mutation: without the limits of `createLimitedJudge`, nothing here asks.
  it('makes every other call that changes something ask, also of subagents, until the next message', async () => {
    const calls = [
      write('/a.txt'),
      { name: 'edit_file', input: { file_path: '/a.txt', old_string: 'x', new_string: 'y' } },
    ]
    const task: Call = { name: 'task', input: { description: 'sub', subagent_type: 'general-purpose' } }
    const { send, asks, thread, project, fileOf } = await world(
      { '.claude/commands/fix.md': fix },
      byTask({
        '/fix': [
          { calls: [calls[0] as Call] },
          { calls: [calls[1] as Call] },
          { calls: [task] },
          { text: 'done' },
          { calls: [calls[1] as Call] },
        ],
        sub: [{ calls: [{ name: 'delete', input: { path: '/a.txt' } }] }],
      }),
    )
    const id = await send('/fix 1')
    expect(await fileOf(id, '/a.txt')).toBe('x')
    const limit = 'the command /fix is only about write_file, execute(echo *)'
    expect(asks(id)).toEqual([limit])
    const answer = (threadId: ThreadId, type: 'approve' | 'reject'): void => {
      const [interrupt] = thread(threadId).interrupts
      const decisions = (interrupt?.action_requests ?? []).map(({ callId }) => ({ type, callId }))
      if (interrupt) project.runtime.decide(threadId, interrupt.id, decisions)
    }
    answer(id, 'reject')
    await project.runtime.whenIdle(id)
    expect(asks(id)).toEqual([limit])
    answer(id, 'approve')
    await project.runtime.whenIdle(id)
    const sub = project.family(id).find(({ parent }) => parent !== null)
    expect(sub && asks(sub.id)).toEqual([limit])
    if (sub) answer(sub.id, 'reject')
    await project.runtime.whenIdle(id)
    await send('Now the edit', id)
    expect(await fileOf(id, '/a.txt')).toBe('y')
  })

  it('never lets more pass: what a rule denies or asks about stays so', async () => {
    const files = { '.claude/commands/all.md': '---\nallowed-tools: "*"\n---\nDo all.' }
    const { send, asks } = await world(
      files,
      byTask({ '/all': [{ calls: [write('/a.txt')] }, { calls: [execute('rm -rf /')] }] }),
      {
        settings: { permissions: { deny: ['Write(/a.txt)'] } },
      },
    )
    const id = await send('/all')
    expect(asks(id)).toEqual(['default: commands ask'])
  })

  it('holds for a skill that a person names, and an empty list is about reading alone', async () => {
    const files = {
      '.claude/skills/look/SKILL.md': skill('look'),
      '.claude/commands/none.md': '---\nallowed-tools: []\n---\nx',
    }
    const scenario = byTask({
      '/': [
        { calls: [{ name: 'read_file', input: { file_path: '/.claude/skills/look/SKILL.md' } }] },
        { calls: [write('/a.txt')] },
      ],
    })
    const { send, asks } = await world(files, scenario)
    expect(asks(await send('/look around'))).toEqual(['the command /look is only about read_file'])
    expect(asks(await send('/none'))).toEqual(['the command /none is only about reading'])
  })

  it('can be a model and an effort for its run', async () => {
    const text = '---\nmodel: other\neffort: high\n---\nThink.'
    const { send, server } = await world({ '.claude/commands/think.md': text }, done)
    const id = await send('/think')
    await send('Go on', id)
    const asked = server.requests.map((request) => [request.model, JSON.stringify(request).includes('"effort":"high"')])
    expect(asked).toEqual([
      ['other', true],
      ['scripted', false],
    ])
  })
})

it('a prompt of a trusted server stands in the list and is filled in by the server', async () => {
  const script = join(import.meta.dirname, '../e2e/support/mcp-server.ts')
  const servers = { mcp_servers: { fixture: { command: process.execPath, args: [script, 'good'] } } }
  const { send, told, project, client, projectId } = await world({}, done, { settings: servers })
  await project.mcp.setTrusted((await project.mcp.list()).servers[0]?.hash ?? '', true)
  const { entries } = await client.extensions.slash({ projectId })
  expect(entries).toMatchObject([
    { kind: 'prompt', word: 'mcp__fixture__review', hint: '<file> [tone]', source: 'the server fixture' },
  ])
  await send('/mcp__fixture__review src/a.ts "very strict"')
  expect(told()).toContain('> Review src/a.ts in a very strict tone.')
  await send('/fixture:review b.ts')
  expect(told()).toContain('> Review b.ts in a kind tone.')
  await expect(send('/fixture:review')).rejects.toThrow(/The server fixture did not give its prompt/)
})
