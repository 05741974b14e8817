import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tryAgent } from '#core/agent/external/try-agent.ts'
import { proposeRules } from '#core/approval/propose-rules.ts'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import { callingInTurn } from '../e2e/model-server/scenario.ts'
import { agentsIn } from '../src/main/host/extensions/agents.ts'
import { callSubject } from '../src/main/host/settings/rules.ts'
import { told } from './external-agent.testkit.ts'
import { definitionOf, openExternalWorld as open } from './external-world.testkit.ts'

describe('an external agent', () => {
  it('works in a view of its branch, and what each call changed is stored with it', async () => {
    const world = await open()
    const id = await world.ask([
      { think: 'Hm.' },
      { say: 'I begin.' },
      { do: 'write', path: 'a.txt', text: 'changed\n' },
      { do: 'write', path: 'new/c.txt', text: 'new\n' },
      { do: 'rename', path: 'b.txt', to: 'd.txt' },
      { do: 'shell', command: 'cat a.txt; pwd' },
      { say: 'Done.' },
    ])
    expect(world.thread(id).end).toMatchObject({ status: 'done' })
    expect(world.callsOf(id)).toEqual([
      { name: 'agent_edit', title: 'Write /a.txt', outcome: 'ok', text: '', changed: ['/a.txt'] },
      { name: 'agent_edit', title: 'Write /new/c.txt', outcome: 'ok', text: '', changed: ['/new', '/new/c.txt'] },
      {
        name: 'agent_edit',
        title: 'Rename /b.txt',
        outcome: 'ok',
        text: '',
        changed: expect.arrayContaining(['/b.txt', '/d.txt']),
      },
      { name: 'agent_command', title: 'Shell', outcome: 'ok', text: `changed\n${world.folder}\n`, changed: [] },
    ])
    expect(world.said(id)).toEqual(['I begin.', 'Done.'])
    expect(await world.fileOf(id, '/a.txt')).toBe('changed\n')
    expect(await world.fileOf(id, '/d.txt')).toBe('two\n')
    expect(readFileSync(join(world.folder, 'a.txt'), 'utf8')).toBe('one\n')
  })

  it('goes on with its conversation, and is told once what was said before it joined', async () => {
    const world = await open()
    const id = await world.ask('first')
    await world.say(id, 'second')
    expect(world.said(id)).toEqual(['heard: first', 'heard: second'])
  })

  /** Mutation: make no links of the files that a message names. */
  it('is linked to the files of its branch that a message names, and a word that names none stays a word', async () => {
    const world = await open()
    const id = await world.ask([
      { do: 'write', path: 'new/ö c.txt', text: 'new' },
      { do: 'delete', path: 'b.txt' },
    ])
    await world.write(id, '/new/d.txt', 'd')
    await world.say(id, 'See @a.txt, (@new/d.txt) and @a.txt, not @b.txt, @../x, @new/ or me@a.txt.')
    expect(world.said(id).at(-1)).toMatch(
      /^heard: resource_link a.txt a.txt\nresource_link new\/d.txt new\/d.txt\nSee @a/,
    )
  })

  it('may use the ids and paths of an earlier turn again, for other calls', async () => {
    const world = await open()
    const id = await world.ask([{ do: 'write', path: 'a.txt', text: '1', id: 'one' }])
    await world.say(id, [
      { update: { sessionUpdate: 'tool_call_update', toolCallId: 'one', status: 'completed' } },
      { do: 'shell', command: 'echo 2 > a.txt; echo done', id: 'one' },
    ])
    expect(world.callsOf(id)).toMatchObject([
      { name: 'agent_edit', changed: ['/a.txt'] },
      { name: 'agent_command', text: 'done\n', changed: ['/a.txt'] },
    ])
  })

  /** Mutation: store the output of a call as it came. */
  it('keeps a large output in a file beside the project', async () => {
    const world = await open()
    const id = await world.ask([{ do: 'shell', command: 'yes | head -c 300000' }])
    const [{ text } = { text: '' }] = world.callsOf(id)
    expect(text).toMatch(/too large for the conversation \(300000 characters.*large_tool_results/s)
    expect(text.length).toBeLessThan(2_000)
  })

  it('asks before it does something, by our rules and in our mode', async () => {
    const job = [
      { do: 'shell', command: 'touch made.txt', ask: true },
      { do: 'write', path: 'a.txt', text: 'x', ask: true },
    ]
    const auto = await open()
    const free = await auto.ask(job, 'auto')
    expect(auto.callsOf(free).map(({ outcome }) => outcome)).toEqual(['ok', 'ok'])

    const world = await open({ permissions: { deny: ['edit_file(/a.txt)'] } })
    const id = await world.ask(job, 'ask')
    expect(world.thread(id).interrupts).toMatchObject([
      {
        action_requests: [
          { name: 'agent_command', args: { command: 'touch made.txt' }, rule: 'default: commands ask' },
        ],
      },
    ])
    const [callId] = world.thread(id).interrupts.flatMap((one) => one.action_requests.map((request) => request.callId))
    const subject = callSubject(world.project.services, id, callId ?? ('' as never))
    expect(proposeRules(subject)[0]).toEqual(['execute(touch made.txt)'])
    world.decide(id, [{ type: 'approve', callId: callId ?? ('' as never) }])
    await world.project.runtime.whenIdle(id)
    expect(world.callsOf(id)).toMatchObject([
      { outcome: 'ok', changed: ['/made.txt'] },
      { outcome: 'rejected', text: expect.stringContaining('Denied by the rule') },
    ])
    expect(await world.fileOf(id, '/a.txt')).toBe('one\n')
  })

  it('is refused what a person rejects, and goes on', async () => {
    const world = await open()
    const id = await world.ask([{ do: 'shell', command: 'touch made.txt', ask: true }, { say: 'Well.' }], 'ask')
    const [callId] = world.thread(id).interrupts.flatMap((one) => one.action_requests.map((request) => request.callId))
    world.decide(id, [{ type: 'reject', callId: callId ?? ('' as never), message: 'Not now.' }])
    await world.project.runtime.whenIdle(id)
    expect(world.callsOf(id)).toMatchObject([{ outcome: 'rejected', text: 'It was not allowed. Not now.' }])
    expect(world.said(id)).toEqual(['Well.'])
  })

  it('is told the one of its own answers that a person chooses by name', async () => {
    const world = await open()
    const options = [
      { optionId: 'all', name: 'Yes,\nand stop asking', kind: 'allow_always' },
      { optionId: 'now', name: 'Yes, this one', kind: 'allow_once' },
      { optionId: 'plan', name: 'No, keep planning', kind: 'reject_once' },
      { optionId: 'never', name: ' ', kind: 'reject_always' },
      { optionId: 'x'.repeat(2_000), name: 'Long', kind: 'allow_once' },
      { optionId: 'now', name: 'Twice', kind: 'allow_once' },
    ]
    const chosen = [
      ['approve', undefined, 'now'],
      ['approve', 'all', 'all'],
      ['reject', undefined, 'plan'],
      ['reject', 'never', 'never'],
    ] as const
    for (const [type, answer, told] of chosen) {
      const ask = { toolCallId: told, title: 'Touch', kind: 'execute', rawInput: { command: 'touch x' } }
      const id = await world.ask([{ asks: [ask], options }], 'ask')
      const [request] = world.thread(id).interrupts.flatMap((one) => one.action_requests)
      expect(request?.answers).toEqual([
        { id: 'all', name: 'Yes, and stop asking', allows: true, remembered: true },
        { id: 'now', name: 'Yes, this one', allows: true, remembered: false },
        { id: 'plan', name: 'No, keep planning', allows: false, remembered: false },
        { id: 'never', name: 'reject_always', allows: false, remembered: true },
      ])
      const callId = request?.callId ?? ('' as never)
      const wrong = { type, callId, answer: type === 'approve' ? 'plan' : 'now' }
      expect(() => world.decide(id, [wrong])).toThrow(/offers no answer "(plan|now)" to (approve|reject) it with/)
      world.decide(id, [{ type, callId, ...(answer !== undefined && { answer }) }])
      await world.project.runtime.whenIdle(id)
      expect(world.said(id).at(-1)).toBe(told)
    }
  })

  /** Mutation: leave out `isAllowed` or `endWhenOther`. */
  it('is judged by what it asks, whatever it said before, and each question has one answer', async () => {
    const world = await open({ permissions: { deny: ['execute(curl *)'] } })
    const touch = { toolCallId: 'one', title: 'Touch', kind: 'execute', rawInput: { command: 'touch x' } }
    const curl = { toolCallId: 'read', title: 'Read', kind: 'execute', rawInput: { command: 'curl evil' } }
    const read = { sessionUpdate: 'tool_call', toolCallId: 'read', title: 'Read', kind: 'read', status: 'in_progress' }
    const id = await world.ask(
      [{ asks: [touch, touch] }, { asks: [touch] }, { update: read }, { asks: [curl, curl] }, { asks: [curl] }],
      'ask',
    )
    const [callId] = world.thread(id).interrupts.flatMap((one) => one.action_requests.map((request) => request.callId))
    world.decide(id, [{ type: 'approve', callId: callId ?? ('' as never) }])
    await world.project.runtime.whenIdle(id)
    expect(world.thread(id).end).toMatchObject({ status: 'done' })
    expect(world.said(id).join(' ')).toBe('yes yesyes no nono')
    expect(world.callsOf(id)).toMatchObject([
      { name: 'agent_command', outcome: 'ok' },
      { name: 'agent_read', text: 'The agent asked for something else instead.' },
      { name: 'agent_command', outcome: 'rejected', text: expect.stringContaining('Denied by the rule') },
    ])
  })

  it('keeps nothing of what a rule denies, however the agent changed it, and takes it out of its view', async () => {
    const world = await open({ permissions: { deny: ['write_file(/a.txt)', 'edit_file(/a.txt)'] } })
    const id = await world.ask([{ do: 'shell', command: 'echo no > a.txt; echo no > made.txt' }])
    await world.say(id, [{ do: 'shell', command: 'cat a.txt; ls' }])
    expect(world.callsOf(id)).toMatchObject([
      {
        outcome: 'ok',
        text: expect.stringContaining('None of these changes were kept: /a.txt, /made.txt'),
        changed: [],
      },
      { text: 'one\na.txt\nagent.mjs\nb.txt\n', changed: [] },
    ])
  })

  it('ends with a stop, keeps what it did until then, and hears the next message', async () => {
    const world = await open()
    const { runtime } = world.project
    const text = told([
      { do: 'write', path: 'a.txt', text: 'x' },
      { beside: [{ do: 'write', path: 'late.txt', text: 'y' }] },
      { hang: true },
    ])
    const id = runtime.begin({ title: 'job', model: 'scripted', approvalMode: 'auto', agentType: 'scripted' }, () => [
      { type: 'text', text },
    ])
    await eventually(() => expect(world.callsOf(id)).toMatchObject([{ outcome: 'ok' }]))
    runtime.stop(id)
    await runtime.whenIdle(id)
    expect(world.thread(id).end).toMatchObject({ status: 'stopped', reason: 'user' })
    await world.say(id, 'Still there?')
    expect(world.said(id).at(-1)).toBe('heard: Still there?')
    expect([await world.fileOf(id, '/a.txt'), await world.fileOf(id, '/late.txt')]).toEqual(['x', 'y'])
  })

  /** Mutation: leave out `rest`, or what aborts it. */
  it('is ended after ten minutes without work, and gone on with then', async () => {
    const world = await open()
    const { clock, log } = world.project.services
    const rests: { readonly signal: AbortSignal; readonly pass: () => void }[] = []
    const sleep = clock.sleep.bind(clock)
    const slept = vi.spyOn(clock, 'sleep').mockImplementation((milliseconds, signal) => {
      if (milliseconds !== 600_000) return sleep(milliseconds, signal)
      return new Promise((pass, cut) => {
        rests.push({ signal, pass })
        signal.addEventListener('abort', () => cut(signal.reason))
      })
    })
    onTestFinished(() => slept.mockRestore())
    const id = await world.ask([{ do: 'write', path: 'a.txt', text: '1' }])
    await world.say(id, [{ say: 'Late.', beside: [{ do: 'write', path: 'b.txt', text: '2' }] }])
    expect(rests.map(({ signal }) => signal.aborted)).toEqual([true, false])
    expect(log.entries(['session.ended'])).toEqual([])
    rests[1]?.pass()
    await eventually(() => expect(log.entries(['session.ended'])).toHaveLength(1))
    await world.say(id, 'And now?')
    expect(world.said(id).at(-1)).toMatch(/^heard: This conversation began before.*And now\?$/s)
  })

  /** Mutation: leave out what is shown of the time of the start. */
  it('sees what others changed while it started', async () => {
    const world = await open()
    const { services } = world.project
    const connect = services.externalAgents.connect.bind(services.externalAgents)
    const spied = vi.spyOn(services.externalAgents, 'connect').mockImplementationOnce(async (streams, signal) => {
      const [thread] = services.log.state.threads.values()
      if (thread) await world.write(thread.id, '/a.txt', 'theirs')
      return connect(streams, signal)
    })
    onTestFinished(() => spied.mockRestore())
    const id = await world.ask([{ do: 'shell', command: 'cat a.txt' }])
    expect(world.callsOf(id)).toMatchObject([{ text: 'theirs', changed: [] }])
    expect(await world.fileOf(id, '/a.txt')).toBe('theirs')
  })

  it('begins anew when it does not end a turn that was stopped', async () => {
    const world = await open()
    const { runtime } = world.project
    const text = told([{ ask: true, do: 'shell', command: 'touch made.txt' }, { say: 'Deaf.' }, { deaf: true }])
    const id = runtime.begin({ title: 'job', model: 'scripted', approvalMode: 'auto', agentType: 'scripted' }, () => [
      { type: 'text', text },
    ])
    await eventually(() => expect(world.callsOf(id)).toMatchObject([{ outcome: 'ok' }]))
    runtime.stop(id)
    await runtime.whenIdle(id)
    await world.say(id, 'Still there?')
    expect(world.said(id).at(-1)).toMatch(/^heard: This conversation began before.*Still there\?$/s)
    expect(world.callsOf(id)).toHaveLength(1)
  })

  it('sees what others change on its branch, and does not undo it', async () => {
    const world = await open()
    const id = await world.ask([{ do: 'write', path: 'mine.txt', text: 'mine' }])
    await world.write(id, '/theirs.txt', 'theirs')
    await world.write(id, '/b.txt', null)
    await world.say(id, [{ do: 'shell', command: 'cat theirs.txt mine.txt; ls' }])
    expect(world.callsOf(id).at(-1)).toMatchObject({
      text: 'theirsminea.txt\nagent.mjs\nmine.txt\ntheirs.txt\n',
      changed: [],
    })
    expect(await world.fileOf(id, '/theirs.txt')).toBe('theirs')
  })

  it.each([
    ['is not installed', { acp: 'no-such-agent --acp' }, /exit code is 127.*no-such-agent: command not found/s],
    ['speaks another version', { env: { PROTOCOL: '9' } }, /speaks version 9 of the Agent Client Protocol/],
    ['prints and ends', { acp: 'echo Please log in first' }, /ended before it answered.*Please log in first/s],
  ])('says what is wrong with one that %s', async (_, definition, message) => {
    const world = await open({}, definition)
    const id = await world.ask('hello')
    expect(world.thread(id).end).toMatchObject({ status: 'failed', message: expect.stringMatching(message) })
    await world.say(id, 'again')
    expect(world.thread(id).end).toMatchObject({ status: 'failed' })
  })

  it('survives what is no message, and tells of an agent that dies in a turn with what it did', async () => {
    const world = await open()
    const id = await world.ask([
      { raw: 'Warning: something' },
      { raw: '{"jsonrpc":"2.0","method":"session/update","params":{"nonsense":true}}' },
      { raw: '{"broken' },
      { update: { sessionUpdate: 'unheard_of', x: 1 } },
      { do: 'write', path: 'a.txt', text: 'x' },
      { say: 'Last words.' },
      { stderr: 'I am dying', exit: 3 },
    ])
    expect(world.said(id)).toEqual(['Last words.'])
    expect(world.thread(id).end).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/exit code is 3.*I am dying/s),
    })
    expect(await world.fileOf(id, '/a.txt')).toBe('x')
    await world.say(id, 'Are you back?')
    expect(world.said(id).at(-1)).toMatch(/^heard: This conversation began before you joined it.*Are you back\?$/s)
  })

  it('cannot reach beyond its branch, whatever it says', async () => {
    const world = await open()
    const id = await world.ask([
      { do: 'shell', command: 'touch /etc/evil; echo x > /usr/evil; true', title: 'Nothing' },
      { do: 'symlink', path: 'out', to: '/etc/passwd' },
      { do: 'write', path: '../outside.txt', text: 'x' },
      { do: 'write', path: 'told.txt', text: 'x', title: 'Wrote other.txt', kind: 'read' },
      { do: 'link', path: 'a.txt', to: 'linked.txt' },
    ])
    const changed = world.callsOf(id).flatMap((call) => call.changed)
    expect(changed.sort()).toEqual(['/linked.txt', '/told.txt'])
    expect(existsSync('/etc/evil')).toBe(false)
  })

  it('works as a subagent, whose branch merges as any other', async () => {
    const steps = told([{ do: 'write', path: 'a.txt', text: 'by the subagent' }, { say: 'Written.' }])
    const call = { name: 'task', input: { description: steps, subagent_type: 'scripted' } }
    const world = await open({}, {}, callingInTurn([call]))
    const id = await world.run('main', 'auto')
    expect(world.callsOf(id)).toMatchObject([
      { name: 'task', outcome: 'ok', text: expect.stringContaining('Written.') },
    ])
    expect(await world.fileOf(id, '/a.txt')).toBe('by the subagent')
  })

  it('counts what it says that it has cost', async () => {
    const world = await open()
    const cost = (amount: number) => ({
      update: { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount, currency: 'USD' } },
    })
    const id = await world.ask([cost(0.25), cost(0.5), { say: 'One.' }])
    await world.say(id, [cost(0.75), { say: 'Two.' }])
    expect(world.thread(id).usage.cost).toBe(0.75)
  })

  it('is stopped when its budget is spent, with what it did', async () => {
    const world = await open({ budgets: { run: { cost: 0.4 } } })
    const told = { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.5, currency: 'USD' } }
    const id = await world.ask([{ do: 'write', path: 'a.txt', text: 'x' }, { update: told }, { hang: true }])
    expect(world.thread(id).end).toMatchObject({ status: 'stopped', reason: 'budget' })
    expect(await world.fileOf(id, '/a.txt')).toBe('x')
  })

  it('is sent back until the goal of its definition is reached', async () => {
    const call = { name: 'task', input: { description: told([{ say: 'Nothing.' }]), subagent_type: 'scripted' } }
    const settings = { checks: [{ name: 'made', run: 'test -e made.txt' }] }
    const world = await open(settings, { goal: { checks: ['made'], attempts: 1 } }, callingInTurn([call]))
    const id = await world.run('main', 'auto')
    expect(world.callsOf(id)[0]?.text).toContain('The goal is not reached after 1 attempt')
    const [child] = childrenOf(world.project.services.log.state, id)
    expect(world.said(child?.id ?? id)).toEqual(['Nothing.', expect.stringMatching(/^heard: [\s\S]*made/)])
  })

  it('is not asked again when it says and does nothing', async () => {
    const world = await open()
    const id = await world.ask([{ end: 'end_turn' }])
    expect(world.thread(id).end).toMatchObject({ status: 'failed', message: expect.stringContaining('neither text') })
  })

  it.each([
    ['max_tokens', { status: 'failed', reason: 'max_tokens' }],
    ['refusal', { status: 'failed', reason: 'refusal' }],
    ['max_turn_requests', { status: 'stopped', reason: 'budget' }],
  ])('tells in words that its turn ended with %s', async (end, told) => {
    const world = await open()
    const id = await world.ask([{ say: 'So far.' }, { end }])
    expect(world.thread(id).end).toMatchObject({ ...told, message: expect.stringMatching(/.+/) })
    expect(world.said(id)).toEqual(['So far.'])
  })

  it('begins a new conversation after a rewind, over the files of then', async () => {
    const world = await open()
    const id = await world.ask([{ do: 'write', path: 'a.txt', text: 'first' }, { say: 'First.' }])
    await world.say(id, [
      { do: 'write', path: 'a.txt', text: 'second' },
      { do: 'write', path: 'new.txt', text: 'x' },
    ])
    await world.takeBack(id)
    expect(await world.fileOf(id, '/a.txt')).toBe('first')
    await world.say(id, [{ do: 'shell', command: 'cat a.txt; ls' }])
    expect(world.callsOf(id)).toHaveLength(2)
    expect(world.callsOf(id).at(-1)).toMatchObject({ text: 'firsta.txt\nagent.mjs\nb.txt\n', changed: [] })
  })

  it('is gone on with after a restart, by its own memory where it has one', async () => {
    for (const env of [{}, { SESSIONS: '1' }]) {
      const world = await open({}, { env })
      const id = await world.ask([{ do: 'write', path: 'a.txt', text: 'before' }, { say: 'Said before.' }])
      await world.reopen()
      await world.say(id, 'Go on')
      expect(await world.fileOf(id, '/a.txt')).toBe('before')
      const told = world.said(id).at(-1)
      if ('SESSIONS' in env) expect(told).toBe('heard: Go on')
      else expect(told).toMatch(/^heard: This conversation began before.*Said before\..*Go on$/s)
    }
  })

  it('loses nothing that it wrote when the app is killed, and nothing of it goes on', async () => {
    const world = await open()
    const id = await world.killIn([
      { do: 'write', path: 'a.txt', text: 'stored' },
      { beside: [{ do: 'write', path: 'late.txt', text: 'not stored yet' }] },
    ])
    expect(world.thread(id).end).toMatchObject({ status: 'interrupted' })
    expect([await world.fileOf(id, '/a.txt'), await world.fileOf(id, '/late.txt')]).toEqual([
      'stored',
      'not stored yet',
    ])
    await world.resume(id)
    expect(world.said(id).at(-1)).toMatch(/^heard: This conversation began before.*Go on where you were\.$/s)
  })

  /** Mutation: leave out `lastRefusal` in `external-sessions.ts`. */
  it('keeps nothing of what a rule denies when it changed that and died', async () => {
    const world = await open({ permissions: { deny: ['edit_file(/a.txt)'] } })
    const id = await world.ask([{ beside: [{ do: 'write', path: 'a.txt', text: 'no' }] }, { exit: 3 }])
    await world.reopen()
    expect(await world.fileOf(id, '/a.txt')).toBe('one\n')
    expect(world.endNotes()).toEqual([expect.stringContaining('Denied by the rule')])
  })

  /** Mutation: leave out `lastRefusal` in `recover-sessions.ts`. */
  it.each([
    [{ permissions: { deny: ['edit_file(/a.txt)'] } }, 'auto', 'Denied by the rule'],
    [{}, 'plan', 'Plan mode'],
  ] as const)(
    'keeps nothing of what may not be changed when the app is killed: %j, %s',
    async (settings, mode, why) => {
      const world = await open(settings)
      const id = await world.killIn([{ beside: [{ do: 'write', path: 'a.txt', text: 'no' }] }], mode)
      expect(await world.fileOf(id, '/a.txt')).toBe('one\n')
      expect(world.endNotes()).toEqual([expect.stringContaining(why)])
    },
  )

  it('is believed nothing about the kind of a call, and changes nothing in Plan mode', async () => {
    const denied = await open({ permissions: { deny: ['edit_file(/a.txt)'] } })
    const plan = await open()
    for (const [world, mode] of [
      [denied, 'auto'],
      [plan, 'plan'],
    ] as const) {
      for (const kind of ['read', 'think', 'execute', 'edit']) {
        const id = await world.ask([{ do: 'write', path: 'a.txt', text: 'no', kind }], mode)
        expect(await world.fileOf(id, '/a.txt')).toBe('one\n')
        expect(world.callsOf(id)).toMatchObject([{ changed: [] }])
      }
    }
  })

  it('is tried without a message, and says who it is', async () => {
    const world = await open()
    const program = agentsIn([definitionOf({})], '').agents[0]?.program
    if (program?.kind !== 'acp') throw new Error('no program')
    const { signal } = new AbortController()
    const said = await tryAgent(world.project.services, { name: 'scripted', program }, 'a trial', signal)
    expect(said).toEqual({ name: 'scripted', version: '1.0', protocolVersion: 1, logins: null })
    const ending = { name: 'scripted', program: { ...program, command: 'exit 4' } }
    await expect(tryAgent(world.project.services, ending, 'b', signal)).rejects.toThrow(/exit code is 4/)
  })

  /** Mutation: leave the session open when it failed, or leave the hosts out of the definition. */
  it('that fails names the hosts that it was kept from, and has them once they are allowed', async () => {
    const server = createServer((_, response) => void response.end('reached'))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const world = await open({}, { hosts: ['other.invalid'] })
    const go = (how: string) => ({
      do: 'shell',
      command: `curl -sS --retry 3 --retry-all-errors ${how} http://127.0.0.1:${port}/ 2>&1; true`,
    })
    const id = await world.ask([go(`-x "$http_proxy" --noproxy ''`), { fails: 'No model.' }])
    const host = `127.0.0.1:${port}`
    const [end] = world.endsOf(id)
    expect(end).toMatchObject({ status: 'failed', cause: 'hosts_refused', refusedHosts: [host] })
    expect(end?.message).toContain(
      `The sandbox kept it from ${host}. Allow what it needs, such as --allow-host ${host}`,
    )
    await world.allowHosts([host])
    await world.say(id, [go('')])
    expect(world.callsOf(id).at(-1)?.text).toBe('reached')
    // A turn that ended well was not in need of what it was kept from.
    await world.say(id, [go(`-x "$http_proxy" --noproxy '' -H 'Host: telemetry.invalid' http://telemetry.invalid`)])
    await world.say(id, [{ fails: 'No model.' }])
    expect(world.endsOf(id).at(-1)).toMatchObject({
      status: 'failed',
      message: expect.not.stringContaining('telemetry'),
    })
  })

  it('that is not logged in says how to log in, in a terminal where it names one', async () => {
    const world = await open({}, { env: { LOGIN: '1' } })
    const id = await world.ask('hello')
    expect(world.thread(id).end).toMatchObject({
      status: 'failed',
      message:
        'The agent is not logged in: Authentication required. Log in in a terminal, then send it again: node agent.mjs login --now',
    })
    const program = agentsIn([definitionOf({ env: { LOGIN: '1' } })], '').agents[0]?.program
    if (program?.kind !== 'acp') throw new Error('no program')
    const said = await tryAgent(
      world.project.services,
      { name: 'scripted', program },
      'a trial',
      new AbortController().signal,
    )
    expect(said.logins).toEqual([{ text: 'Log in', command: 'node agent.mjs login --now' }])
  })

  it('has of the machine what its definition names, and nothing else', async () => {
    const server = createServer((_, response) => response.end('from the machine'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const home = mkdtempSync(join(tmpdir(), 'coppice-home-'))
    for (const name of ['named', 'other']) {
      mkdirSync(join(home, name))
      writeFileSync(join(home, name, 'login'), `${name} login`)
      // Where the app runs as root, its commands are somebody else.
      for (const [path, mode] of [
        [home, 0o755],
        [join(home, name), 0o777],
        [join(home, name, 'login'), 0o666],
      ] as const)
        chmodSync(path, mode)
    }
    const ask = `node -e "fetch('http://localhost:${port}').then((r) => r.text()).then(console.log, (e) => console.log('no way'))"`
    const job = [
      {
        do: 'shell',
        command: `${ask}; cat ~/named/login ~/other/login; echo; echo $TOLD; echo fresh > ~/named/login; true`,
      },
    ]
    const named = { local_ports: [port], home: ['~/named'], env: { TOLD: 'by the definition' } }
    const open2 = async (definition: object) => {
      const world = await open({}, definition, undefined, home)
      const id = await world.ask(job)
      return world.callsOf(id)[0]?.text
    }
    expect(await open2(named)).toBe('from the machine\nnamed login\nby the definition\n')
    expect(readFileSync(join(home, 'named/login'), 'utf8')).toBe('fresh\n')
    expect(await open2({})).toBe('no way\n\n\n')
  })
})
