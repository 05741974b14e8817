import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ContentBlock, type McpServer, methods, type SessionUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { type Answer, byTask, type Call, lastResults, turnOf } from '../../e2e/model-server/scenario.ts'
import { listAllThreads } from '../../src/main/host/threads/stored-threads.ts'
import { type Editor, openEditor, untilFree, type World, world } from './editor.testkit.ts'

const { session } = methods.agent
const say = (text: string): ContentBlock[] => [{ type: 'text', text }]
const edit: Call = {
  name: 'edit_file',
  id: 'e1',
  input: { file_path: '/a.txt', old_string: 'one', new_string: 'two' },
}
const onDisk = ({ folder }: World) => readFileSync(join(folder, 'a.txt'), 'utf8')

async function begin(place: World, editor: Editor) {
  const { sessionId } = await editor.agent.request(session.new, { cwd: place.folder, mcpServers: [] })
  const prompt = async (text: string) =>
    (await editor.agent.request(session.prompt, { sessionId, prompt: say(text) })).stopReason
  return { sessionId, prompt }
}

/** What became of a call: every update of it, the latest of each field. */
function callIn(updates: readonly SessionUpdate[], id: string) {
  const own = updates.filter((update) => 'toolCallId' in update && update.toolCallId === id)
  return Object.assign({}, ...own) as Extract<SessionUpdate, { sessionUpdate: 'tool_call' }>
}

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing',
    (error: { code: number; message: string }) => `${error.code} ${error.message}`,
  )

it('lists the commands of a trusted folder beside its own, which keep their names, and fills them in', async () => {
  const files = {
    '.claude/commands/fix.md': '---\nargument-hint: [number]\n---\nFix #$1.',
    '.claude/commands/diff.md': 'x',
  }
  const place = await world(byTask({ '/fix': [{ text: 'Fixed.' }] }), {}, files)
  const editor = await openEditor(place)
  const { prompt } = await begin(place, editor)
  const listed = (wanted: string) => {
    const lists = editor.updates.flatMap((update) =>
      update.sessionUpdate === 'available_commands_update' ? [update.availableCommands] : [],
    )
    return lists.at(-1)?.filter(({ name }) => name === wanted)
  }
  await expect.poll(() => listed('trust')).toHaveLength(1)
  expect(listed('fix')).toEqual([])
  await prompt('/trust')
  const fix = { name: 'fix', description: 'Fix #$1.', input: { hint: '[number]' } }
  await expect.poll(() => listed('fix')).toEqual([fix])
  expect(listed('diff')).toHaveLength(1)
  await prompt('/fix 7')
  expect(JSON.stringify(place.server.requests.at(-1)?.messages)).toContain('> Fix #7.')
})

describe('a session of an editor', () => {
  // Mutation: let `apply` of `commands.ts` answer itself with yes, and the folder is written at the first /apply.
  it('streams, edits on a branch, and writes the folder only after a yes to the list', async () => {
    const place = await world(byTask({ change: [{ text: 'I change it.', calls: [edit] }, { text: 'Done.' }] }))
    let isYes = false
    const editor = await openEditor(place, ({ options }) => options[isYes ? 0 : 1]?.optionId ?? null)
    const { prompt, sessionId } = await begin(place, editor)
    expect(await prompt('change it')).toBe('end_turn')
    expect(editor.text()).toBe('I change it.Done.')
    const file = join(place.folder, 'a.txt')
    expect(callIn(editor.updates, 'e1')).toMatchObject({
      ...{ kind: 'edit', status: 'completed', name: 'edit_file', locations: [{ path: file }] },
      content: [{ type: 'diff', path: file, oldText: 'one\n', newText: 'two\n' }, { type: 'content' }],
    })
    expect(editor.updates.some(({ sessionUpdate }) => sessionUpdate === 'usage_update')).toBe(true)
    await prompt('/diff')
    expect(editor.text()).toContain('```diff\ndiff --git a/a.txt b/a.txt')
    await prompt('/apply')
    expect([editor.text().trim(), onDisk(place)]).toEqual(['Nothing was written.', 'one\n'])
    expect(editor.asked.at(-1)).toMatchObject({
      sessionId,
      toolCall: { title: `Apply 1 file to ${place.folder}`, locations: [{ path: file }] },
    })
    isYes = true
    await prompt('/apply')
    expect(editor.text()).toContain('1 file written')
    expect(onDisk(place)).toBe('two\n')
    await prompt('/undo')
    expect([editor.text().trim(), onDisk(place)]).toEqual(['```\nUndone: apply of 1 file\n```', 'one\n'])
    // The model was asked for its two replies alone.
    expect(place.server.requests).toHaveLength(2)

    const again = await openEditor(place)
    const { sessions } = await again.agent.request(session.list, { cwd: place.folder })
    expect(sessions).toMatchObject([{ sessionId, cwd: place.folder, title: 'change it' }])
    await again.agent.request(session.load, { sessionId, cwd: place.folder, mcpServers: [] })
    expect(again.text()).toBe('I change it.Done.')
    const { kind, status, content } = callIn(editor.updates, 'e1')
    expect(callIn(again.updates, 'e1')).toMatchObject({ kind, status, content })
    expect(again.updates[0]).toMatchObject({ sessionUpdate: 'user_message_chunk', content: say('change it')[0] })
  })

  // Mutation: answer a closed question with a rejection in `asker.ts`, and nothing waits at the end of the first request.
  it('asks what the window asks, in its words, and what nobody answers waits', async () => {
    const place = await world(
      byTask({ go: [{ calls: [edit] }, { calls: [{ ...edit, id: 'e2' }] }, { text: 'as you say' }, { text: 'on' }] }),
      { approval_mode: 'ask' },
    )
    const answers = [null, 'reject', 'approve']
    const editor = await openEditor(place, () => answers.shift() ?? null)
    const { prompt, sessionId } = await begin(place, editor)
    expect(await prompt('go')).toBe('end_turn')
    expect(editor.text()).toContain('This waits for you')
    const [first] = editor.asked
    expect(first?.options.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'allow_once Keep',
      expect.stringContaining('allow_always Always allow '),
      'reject_once Drop',
    ])
    expect(first?.toolCall.content?.[0]).toMatchObject({ type: 'diff', oldText: 'one\n', newText: 'two\n' })
    // The next message asks again.
    expect(await prompt('well?')).toBe('end_turn')
    expect(editor.asked).toHaveLength(3)
    expect(callIn(editor.updates, 'e1').status).toBe('failed')
    expect(callIn(editor.updates, 'e2').status).toBe('completed')
    await editor.agent.request(session.setMode, { sessionId, modeId: 'plan' })
    const { configOptions } = await editor.agent.request(session.setConfigOption, {
      ...{ sessionId, configId: 'effort', value: 'high' },
    })
    expect(configOptions.map(({ id, currentValue }) => `${id} ${currentValue}`)).toEqual([
      'mode plan',
      expect.stringContaining('scripted'),
      'effort high',
    ])
  })

  it('a question of an agent is answered by a choice, or by the next message', async () => {
    const ask = (id: string, options: readonly string[]): Call => ({
      ...{ name: 'ask_user', id, input: { question: 'Which colour?', options } },
    })
    const place = await world((request): Answer => {
      const results = [...lastResults(request)]
      if (results.length === 0) return { calls: [ask('q1', ['red', 'blue'])] }
      const [[id, text]] = results as [[string, string]]
      return id === 'q1' ? { text: `It is ${text}.`, calls: [ask('q2', [])] } : { text: `And ${text}.` }
    })
    const editor = await openEditor(
      place,
      ({ options }) => options.find(({ name }) => name === 'blue')?.optionId ?? null,
    )
    const { prompt } = await begin(place, editor)
    expect(await prompt('paint')).toBe('end_turn')
    expect(editor.text()).toMatch(/It is .*blue.*main asks: Which colour\?/s)
    expect(editor.asked).toHaveLength(1)
    expect(await prompt('a dark green')).toBe('end_turn')
    expect(editor.text()).toMatch(/And .*a dark green/s)
  })

  it('a plan is approved in a mode, and the next message says what should be different', async () => {
    const plan = (id: string, text: string): Call => ({ ...{ name: 'present_plan', id, input: { plan: text } } })
    const place = await world((request): Answer => {
      const results = [...lastResults(request)]
      if (results.length === 0) return { calls: [plan('p1', '1. Change it')] }
      const [[id, text]] = results as [[string, string]]
      return id === 'p1' ? { calls: [plan('p2', '1. Test it')] } : { text: `So: ${text}.` }
    })
    let seen = 0
    const editor = await openEditor(place, ({ options }) => {
      seen += 1
      return options.find(({ name }) => name === (seen === 1 ? 'none' : 'Approve, go on in Auto'))?.optionId ?? null
    })
    const { prompt, sessionId } = await begin(place, editor)
    await editor.agent.request(session.setMode, { sessionId, modeId: 'plan' })
    expect(await prompt('plan it')).toBe('end_turn')
    expect(JSON.stringify(editor.asked[0]?.toolCall)).toContain('1. Change it')
    expect(await prompt('test it too')).toBe('end_turn')
    expect(JSON.stringify(place.server.requests.at(-2))).toContain(
      'asks for changes. Change it and hand it in again. test it too',
    )
    expect(editor.text()).toContain('So: The user approved the plan. Carry it out now.')
    expect(JSON.stringify(editor.updates)).toContain('"currentModeId":"auto"')
  })

  // Mutation: leave `runtime.stop` out of `cancel`, and the request never ends.
  it('a cancelled request ends as such, with its questions taken back', async () => {
    const place = await world(
      byTask({ go: [{ calls: [edit] }], wait: [{ text: 'never', after: new Promise(() => {}) }] }),
      {
        approval_mode: 'ask',
      },
    )
    const editor = await openEditor(place, () => new Promise(() => {}))
    const { prompt, sessionId } = await begin(place, editor)
    const going = prompt('go')
    await expect.poll(() => editor.asked.length).toBe(1)
    expect(await code(prompt('more'))).toContain('still working on a message')
    await editor.agent.notify(session.cancel, { sessionId })
    expect(await going).toBe('cancelled')
    const other = await begin(place, editor)
    const waiting = other.prompt('wait')
    await expect.poll(() => place.server.requests.length).toBe(2)
    await editor.agent.notify(session.cancel, { sessionId: other.sessionId })
    expect(await waiting).toBe('cancelled')
  })

  it('subagents are named, and merges with their conflicts are calls with places', async () => {
    const write = (id: string, content: string): Call => ({
      ...{ name: 'write_file', id, input: { file_path: '/a.txt', content } },
    })
    const place = await world(
      byTask({
        lead: [
          {
            calls: [
              {
                name: 'spawn_subagents',
                id: 's',
                input: { tasks: [{ description: 'left' }, { description: 'right' }] },
              },
            ],
          },
          { calls: [{ name: 'merge_subagent', id: 'm', input: { handle: ['subagent_0', 'subagent_1'] } }] },
          { text: 'merged' },
        ],
        left: [{ calls: [write('w', 'left\n')] }, { text: 'left done' }],
        right: [{ calls: [write('w', 'right\n')] }, { text: 'right done' }],
      }),
    )
    const editor = await openEditor(place, ({ options }) => options[0]?.optionId ?? null)
    const { prompt } = await begin(place, editor)
    expect(await prompt('lead')).toBe('end_turn')
    const titles = editor.updates.flatMap((update) => (update.sessionUpdate === 'tool_call' ? [update.title] : []))
    expect(titles.filter((title) => title.includes('Wrote /a.txt'))).toHaveLength(2)
    expect(new Set(titles.filter((title) => title.includes(': Wrote'))).size).toBe(2)
    const merges = editor.updates.filter((update) => update.sessionUpdate === 'tool_call' && update.name === 'merge')
    expect(merges).toMatchObject([{ status: 'completed', locations: [{ path: join(place.folder, 'a.txt') }] }])
    expect(JSON.stringify(callIn(editor.updates, 'm').content)).toContain('conflict')
  })

  it('what goes with a message: files and their lines, texts that are not saved, pictures, and servers of the editor', async () => {
    const place = await world(() => ({ text: 'seen' }), {}, { 'b c.txt': 'b\n', 'saved.txt': 'same\n' })
    const file = (name: string) => pathToFileURL(join(place.folder, name)).href
    const editor = await openEditor(place, () => null, { [join(place.folder, 'a.txt')]: 'typed\n' })
    const server = join(import.meta.dirname, '../../e2e/support/mcp-server.ts')
    const args = [server, 'good', join(place.data, 'canary')]
    const mcpServers: McpServer[] = [{ name: 'mine', command: process.execPath, args, env: [] }]
    const { sessionId } = await editor.agent.request(session.new, { cwd: place.folder, mcpServers })
    const link = (name: string, uri = file(name)) => ({ type: 'resource_link', name, uri }) as const
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const prompt: ContentBlock[] = [
      ...[...say('Look at'), link('a.txt'), link('b c.txt', `${file('b c.txt')}#L3:4`), link('saved.txt')],
      ...[link('page', 'https://example.com/x'), { type: 'image' as const, data: png, mimeType: 'image/png' }],
      { type: 'resource', resource: { uri: file('new.txt'), text: 'in no file\n' } },
    ]
    await editor.agent.request(session.prompt, { sessionId, prompt })
    const [request] = place.server.requests
    const asked = JSON.stringify(request?.messages)
    expect(asked).toContain(
      'Look at @/a.txt \\"/b c.txt\\" (line 3 to 4) @/saved.txt page (https://example.com/x) @/new.txt',
    )
    expect(asked).toMatch(
      /The editor has changes of \/a\.txt that are not saved.*\/inputs\/new\.txt.*\/inputs\/unsaved-a\.txt/,
    )
    expect(asked).not.toContain('unsaved-saved')
    expect(asked).toContain('"image"')
    expect(request?.tools?.map(({ name }) => name)).toContain('mcp__mine__add')
    // It comes back as the person typed it.
    expect(editor.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')).toEqual([])
  })
})

describe('what an editor may get wrong', () => {
  it('is said, with what to do', async () => {
    const place = await world(() => ({ text: 'hi' }))
    const editor = await openEditor(place)
    const make = (cwd: string) => code(editor.agent.request(session.new, { cwd, mcpServers: [] }))
    expect(await make('here')).toBe('-32602 Invalid params: The folder "here" must be given as an absolute path.')
    expect(await make(join(place.folder, 'none'))).toMatch(/^-32602 .*none/)
    expect(await make(join(place.folder, 'a.txt'))).toMatch(/^-32602 .*a\.txt/)
    const unknown = { sessionId: 'no-such', cwd: place.folder, mcpServers: [] }
    expect(await code(editor.agent.request(session.load, unknown))).toMatch(/^-32002/)
    expect(await code(editor.agent.request(session.load, { ...unknown, sessionId: 'last' }))).toMatch(/^-32002/)
    expect(await code(editor.agent.request(session.prompt, { sessionId: 'no-such', prompt: say('x') }))).toMatch(
      /^-32002/,
    )
    const { sessionId } = await begin(place, editor)
    const set = (configId: string, value: string) =>
      code(editor.agent.request(session.setConfigOption, { sessionId, configId, value }))
    expect(await set('colour', 'red')).toContain('There is no option "colour". Options: mode, model, effort.')
    expect(await set('mode', 'wild')).toContain('Possible: plan, ask, auto-edit, auto.')
    expect(await set('model', 'nobody/none')).toContain('Possible: ')
    const audio = { type: 'audio', data: '', mimeType: 'audio/wav' } as const
    expect(await code(editor.agent.request(session.prompt, { sessionId, prompt: [audio] }))).toContain('takes no sound')
    const send = (prompt: ContentBlock[]) => code(editor.agent.request(session.prompt, { sessionId, prompt }))
    expect(await send(say('x'.repeat(2_000_001)))).toContain('Put long texts into a file')
    const text = { type: 'resource', resource: { uri: 'file:///x', text: 'x' } } as const
    expect(await send(Array.from({ length: 21 }, () => text))).toContain('at most 20')
    expect(await send([])).toContain('The message is empty')
    await editor.agent.request(session.close, { sessionId })
    expect(await code(editor.agent.request(session.prompt, { sessionId, prompt: say('x') }))).toMatch(/^-32002/)
    const later = await editor.agent.request(methods.agent.initialize, { protocolVersion: 9 })
    expect(later.protocolVersion).toBe(1)
  })

  it('without a key the editor is told how to give one', async () => {
    const place = await world(() => ({ text: 'hi' }))
    const editor = await openEditor({ ...place, key: {} as World['key'] })
    const { prompt } = await begin({ ...place }, editor)
    expect(await code(prompt('hello'))).toMatch(/^-32000 .*key/i)
    expect(await code(editor.agent.request(methods.agent.authenticate, { methodId: 'key' }))).toMatch(/^-32000/)
  })

  // Mutation: leave `leave()` out of `acp.ts`, and the thread is paused in the middle of its work instead of stopped.
  it('an editor that closes the pipe ends the work, and everything is kept', async () => {
    const place = await world(byTask({ go: [{ calls: [edit] }, { text: 'never', after: new Promise(() => {}) }] }))
    const editor = await openEditor(place)
    const { prompt, sessionId } = await begin(place, editor)
    void prompt('go').catch(() => undefined)
    await expect.poll(() => place.server.requests.length).toBe(2)
    editor.input.end()
    expect(await editor.ended).toBe(0)
    expect(listAllThreads(place.data).threads).toMatchObject([{ threadId: sessionId, status: 'stopped' }])
    const again = await openEditor(place)
    await again.agent.request(session.load, { sessionId, cwd: place.folder, mcpServers: [] })
    expect(callIn(again.updates, 'e1').status).toBe('completed')
  })

  it('two editors on one thread: who comes second works with the process of the first, and both follow', async () => {
    const gate = Promise.withResolvers<void>()
    const place = await world((request): Answer => {
      const turn = turnOf(request)
      return { text: `reply ${turn}.`, ...(turn === 0 && { after: gate.promise }) }
    })
    const [first, second] = [await openEditor(place), await openEditor(place)]
    const { prompt, sessionId } = await begin(place, first)
    const going = prompt('one')
    await expect.poll(() => place.server.requests.length).toBe(1)
    await second.agent.request(session.load, { sessionId, cwd: place.folder, mcpServers: [] })
    const queued = second.agent.request(session.prompt, { sessionId, prompt: say('two') })
    gate.resolve()
    expect([await going, (await queued).stopReason]).toEqual(['end_turn', 'end_turn'])
    // The second message may come before or after the end of the first request.
    expect(first.text()).toMatch(/^reply 0\.(reply 1\.)?$/)
    expect(second.text()).toMatch(/^(reply 0\.)?reply 1\.$/)
  })

  // Mutation: throw every error in `at` of `routes.ts`, or let go of nothing in `let-go.ts`.
  it('a session between two messages keeps its project from nobody, and goes on where the project is open then', async () => {
    const gate = Promise.withResolvers<void>()
    const place = await world((request): Answer => {
      const isOther = JSON.stringify(request.messages).includes('other')
      return { text: isOther ? 'other' : `mine ${turnOf(request)}`, ...(isOther && { after: gate.promise }) }
    })
    const [first, second] = [await openEditor(place), await openEditor(place)]
    const [mine, fresh, other] = [await begin(place, first), await begin(place, first), await begin(place, second)]
    expect(await mine.prompt('mine')).toBe('end_turn')
    await untilFree(place)
    const going = other.prompt('other')
    await expect.poll(() => place.server.requests.length).toBe(2)
    // The second process has the project now.
    expect([await mine.prompt('mine again'), await fresh.prompt('mine too')]).toEqual(['end_turn', 'end_turn'])
    expect(first.text()).toBe('mine 0mine 1mine 0')
    gate.resolve()
    expect(await going).toBe('end_turn')
    second.input.end()
    expect(await second.ended).toBe(0)
    expect(await mine.prompt('mine at last')).toBe('end_turn')
    expect(first.text()).toBe('mine 2')
  })
})
