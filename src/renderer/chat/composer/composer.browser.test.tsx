import { ORPCError } from '@orpc/client'
import { type ReactNode, useRef } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { AppInfo } from '#shared/contract/views/app.ts'
import type { SlashList, SlashPreview } from '#shared/contract/views/extensions.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ModelAbilities } from '#shared/model/models/model-facts.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { agentReply, created, event, threadId, userMessage } from '../../state/store/entries.testkit.ts'
import { activeThread } from '../../state/store/selectors.ts'
import { showThread, startThread } from '../../state/store/ui-state.ts'
import { Composer } from './composer.tsx'

const other = 'other' as ThreadId
const send =
  vi.fn<
    (input: {
      readonly text: string
      readonly step?: boolean | undefined
      readonly approvalMode?: ApprovalMode | undefined
    }) => Promise<{ readonly threadId: ThreadId }>
  >()
const stop = vi.fn<() => Promise<void>>()
const configure = vi.fn<(input: unknown) => Promise<void>>()
const goOn = vi.fn<(input: { readonly step?: boolean | undefined }) => Promise<void>>()
const plain = { hint: '', allowedTools: null, model: null, effort: null }
const slash: SlashList = {
  entries: [
    {
      ...{ ...plain, kind: 'command', word: 'fix', description: 'Fix an issue', hint: '[number]' },
      ...{ source: '/.claude/commands/fix.md', allowedTools: ['write_file'] },
    },
    {
      ...{ ...plain, kind: 'skill', word: 'Code-review', description: 'How we review' },
      source: '/.agents/skills/review/SKILL.md',
    },
  ],
  problems: [],
}
const previewSlash = vi.fn(async ({ text }: { readonly text: string }): Promise<SlashPreview | null> => {
  const [entry] = slash.entries
  return entry ? { ...entry, text: `Fix it: ${text}`, warnings: ['The thread’s own model answers.'] } : null
})
const answers = {
  'threads.send': send,
  'threads.stop': stop,
  'threads.configure': configure,
  'threads.continue': goOn,
  'files.find': async () => ['/readme.md', '/src/report.ts'] as VirtualPath[],
  'extensions.slash': async () => slash,
  'extensions.previewSlash': previewSlash,
}

const known = {
  id: 'demo',
  name: 'A model',
  contextWindow: 200_000,
  provider: 'Anthropic',
  price: { input: 2, output: 0.5, cacheRead: 0, cacheWrite: 0 },
}
/** It can do nothing. */
const deaf: ModelAbilities = {
  ...{ tools: false, images: false, thinking: 'none', efforts: [], caching: false, temperature: true, schemas: false },
}
const info: AppInfo = {
  version: '0',
  shell: 'web',
  platform: 'linux',
  initialFolder: null,
  homeFolder: '/home',
  canPickFolder: false,
  provider: {
    model: 'other',
    baseUrl: null,
    keySource: null,
    canAsk: false,
    models: [],
    runLimit: null,
    assumedPrice: null,
  },
  sandbox: { state: 'on', reason: '', command: null },
  dataFolder: '/data',
  logFile: null,
  canInstallCommand: false,
  recent: [],
}

const field = page.getByRole('textbox', { name: 'Message' })
const list = page.getByRole('listbox', { name: 'Suggestions' })
const box = (): HTMLTextAreaElement => field.element() as HTMLTextAreaElement

beforeEach(() => {
  localStorage.clear()
  send.mockReset().mockResolvedValue({ threadId })
  stop.mockReset().mockResolvedValue()
  goOn.mockReset().mockResolvedValue()
  configure.mockReset().mockResolvedValue()
})

/** The message box of the open thread, at the bottom of its pane. */
function ChatOfOpenThread(): ReactNode {
  const thread = useApp(activeThread)
  const typing = useRef(false)
  return (
    <div className="flex h-[600px] flex-col justify-end">
      <Composer key={thread?.id ?? 'new'} thread={thread} typing={typing} keyForm={() => null} tryDemo={null} />
    </div>
  )
}

async function openComposer(...more: readonly ReturnType<typeof event>[]): ReturnType<typeof renderInWindow> {
  const shown = await renderInWindow(<ChatOfOpenThread />, answers, [event(1, created), ...more])
  await userEvent.click(field)
  return shown
}

it('completes a name in the middle of a sentence without losing the focus', async () => {
  await openComposer()
  await userEvent.keyboard('See  now{ArrowLeft>4/}@re')
  const [first, second] = [
    list.getByRole('option', { name: 'readme.md' }),
    list.getByRole('option', { name: 'report' }),
  ]
  await expect.element(first).toHaveAttribute('aria-selected', 'true')
  await expect.element(field).toHaveAttribute('aria-activedescendant', first.element().id)
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(second).toHaveAttribute('aria-selected', 'true')
  await expect.element(field).toHaveAttribute('aria-activedescendant', second.element().id)
  await userEvent.keyboard('{Enter}')
  await expect.element(list).not.toBeInTheDocument()
  await expect.poll(() => box().selectionStart).toBe('See @src/report.ts '.length)
  await userEvent.keyboard('right')
  await expect.element(field).toHaveFocus()
  await expect.element(field).toHaveValue('See @src/report.ts right now')
  expect(send).not.toHaveBeenCalled()
})

it('keeps the focus when a suggestion is clicked', async () => {
  await openComposer()
  await userEvent.keyboard('@')
  await userEvent.click(list.getByRole('option', { name: 'readme.md' }))
  await expect.element(field).toHaveValue('@readme.md ')
  await userEvent.keyboard('first')
  await expect.element(field).toHaveValue('@readme.md first')
})

it('closes the suggestions when the focus goes elsewhere, and shows them again when it comes back', async () => {
  await openComposer()
  await userEvent.keyboard('@re')
  await expect.element(list).toBeVisible()
  box().blur()
  await expect.element(list).not.toBeInTheDocument()
  await userEvent.click(field)
  await expect.element(list).toBeVisible()
})

it('closes the suggestions on the first Esc and stops the run on the second', async () => {
  await openComposer(event(2, { type: 'run.started' }))
  await userEvent.keyboard('@re')
  await expect.element(list).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(list).not.toBeInTheDocument()
  await expect.element(field).toHaveValue('@re')
  expect(stop).not.toHaveBeenCalled()
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => stop.mock.calls.length).toBe(1)
})

it('sends with a pause after every step, and runs the next step from the empty box', async () => {
  await openComposer(
    event(2, { type: 'run.started' }),
    event(3, { type: 'run.ended', status: 'interrupted', reason: 'step', message: '' }),
  )
  await userEvent.keyboard('{Alt>}{Enter}{/Alt}')
  expect(goOn.mock.calls).toMatchObject([[{ step: true }]])
  await userEvent.fill(field, 'Another way')
  await userEvent.click(page.getByRole('button', { name: 'Step', exact: true }))
  await userEvent.fill(field, 'Now to the end')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => send.mock.calls.map(([{ step }]) => step)).toEqual([true, false])
})

it('keeps a draft for each thread', async () => {
  const { session } = await openComposer(event(2, created, other))
  const open = (id: ThreadId): void => session.updateUi((ui) => showThread(ui, id))
  open(threadId)
  await userEvent.fill(field, 'for the first thread')
  open(other)
  await expect.element(field).toHaveValue('')
  await userEvent.fill(field, 'for the other thread')
  open(threadId)
  await expect.element(field).toHaveValue('for the first thread')
  open(other)
  await expect.element(field).toHaveValue('for the other thread')
})

it('shows what another window types into the same draft', async () => {
  await openComposer()
  await userEvent.keyboard('one')
  const key = localStorage.key(0) ?? ''
  const frame = document.body.appendChild(document.createElement('iframe'))
  const storage = frame.contentWindow?.localStorage
  storage?.setItem(key, 'one and two')
  await expect.element(field).toHaveValue('one and two')
  storage?.removeItem(key)
  await expect.element(field).toHaveValue('')
  frame.remove()
})

it('keeps the caret while events of the agent arrive', async () => {
  const { receive } = await openComposer(event(2, { type: 'run.started' }))
  await userEvent.keyboard('ac{ArrowLeft}')
  receive(event(3, agentReply('m1', 'Working on it')))
  await userEvent.keyboard('b')
  receive(event(4, { type: 'run.ended', status: 'done', reason: 'completed', message: '' }))
  await expect.element(page.getByRole('button', { name: 'Stop' })).not.toBeInTheDocument()
  await expect.element(field).toHaveFocus()
  await expect.element(field).toHaveValue('abc')
  expect(box().selectionStart).toBe(2)
})

it('grows with its lines, keeps a refused message, and shrinks once it is sent', async () => {
  send.mockRejectedValueOnce(new ORPCError('REFUSED', { message: 'The thread was deleted.' }))
  await openComposer()
  const lowest = box().clientHeight
  await userEvent.keyboard('one{Shift>}{Enter}{Enter}{/Shift}three')
  await expect.element(field).toHaveValue('one\n\nthree')
  await expect.poll(() => box().clientHeight - lowest).toBeGreaterThan(20)
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('alert')).toHaveTextContent('The thread was deleted.')
  await expect.element(field).toHaveValue('one\n\nthree')
  await userEvent.keyboard('{Enter}')
  await expect.element(field).toHaveValue('')
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  await expect.poll(() => box().clientHeight).toBe(lowest)
  expect(send.mock.calls.map(([{ text }]) => text)).toEqual(['one\n\nthree', 'one\n\nthree'])
})

it('keeps what is typed while a message is being sent', async () => {
  const answered = Promise.withResolvers<{ readonly threadId: ThreadId }>()
  send.mockReturnValueOnce(answered.promise)
  await openComposer()
  await userEvent.keyboard('first{Enter}')
  await expect.poll(() => send.mock.calls.map(([{ text }]) => text)).toEqual(['first'])
  await userEvent.keyboard(' second')
  answered.resolve({ threadId })
  await expect.element(field).toHaveValue('second')
  expect(localStorage.getItem(localStorage.key(0) ?? '')).toBe('second')
})

it('keeps what is typed while the first message of a new thread is being sent', async () => {
  const answered = Promise.withResolvers<{ readonly threadId: ThreadId }>()
  send.mockReturnValueOnce(answered.promise)
  const { session } = await openComposer()
  session.updateUi(startThread)
  await expect.element(field).toHaveValue('')
  await userEvent.click(field)
  await userEvent.keyboard('first{Enter}')
  await expect.poll(() => send.mock.calls.length).toBe(1)
  await userEvent.keyboard(' second')
  answered.resolve({ threadId })
  await expect.element(field).toHaveValue('second')
  session.updateUi(startThread)
  await expect.element(field).toHaveValue('')
})

it('leaves the approval mode to the settings as long as it does not know them', async () => {
  const settings = Promise.withResolvers<never>()
  const shown = await renderInWindow(<ChatOfOpenThread />, { ...answers, 'settings.get': () => settings.promise }, [
    event(1, created),
  ])
  shown.session.updateUi(startThread)
  await expect.element(page.getByRole('button', { name: 'Approval mode: …' })).toBeVisible()
  await userEvent.click(field)
  await userEvent.keyboard('first{Enter}')
  await expect.poll(() => send.mock.calls.map(([{ approvalMode }]) => approvalMode)).toEqual([undefined])
})

it('scrolls a message that is higher than its share of the window', async () => {
  await openComposer()
  await userEvent.fill(field, Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n'))
  await expect.poll(() => box().scrollHeight > box().clientHeight).toBe(true)
  expect(box().clientHeight).toBeLessThanOrEqual(window.innerHeight * 0.4)
  await expect.element(page.getByRole('button', { name: 'Send' })).toBeInViewport({ ratio: 0.99 })
})

it('lists every command, and the skills with what they are for', async () => {
  await openComposer()
  await userEvent.keyboard('/')
  const commands = list.getByRole('group', { name: 'Commands' })
  await expect.poll(() => commands.getByRole('option').elements().length).toBe(15)
  const skill = list.getByRole('group', { name: 'Skills' }).getByRole('option')
  await expect.element(skill).toHaveTextContent(/\/Code-review.*How we review.*SKILL\.md/)
  await userEvent.keyboard('code')
  await expect.element(skill).toHaveAttribute('aria-selected', 'true')
  await userEvent.keyboard('{Enter}the diff{Enter}')
  await expect.poll(() => send.mock.calls.map(([{ text }]) => text)).toEqual(['/Code-review the diff'])
})

it('says of a command where it comes from, and shows what the agent will read', async () => {
  await openComposer()
  await userEvent.keyboard('/fi')
  const option = page.getByRole('group', { name: 'From files' }).getByRole('option')
  await expect.element(option).toHaveTextContent(/\/fix.*\[number\].*Fix an issue.*fix\.md/)
  await userEvent.keyboard('{Enter}12')
  await expect
    .element(page.getByText('/.claude/commands/fix.md · changes ask, except for write_file'))
    .toBeInTheDocument()
  await page.getByRole('button', { name: 'Preview' }).click()
  const dialog = page.getByRole('dialog', { name: 'What /fix tells the agent' })
  await expect.element(dialog.getByText('Fix it: /fix 12')).toBeInTheDocument()
  await expect.element(dialog.getByText('The thread’s own model answers.')).toBeInTheDocument()
})

it('keeps the text behind a command that is put before it', async () => {
  const { session } = await openComposer()
  await userEvent.keyboard('Fix the bug{Home}/')
  await expect.element(list).toBeVisible()
  await userEvent.keyboard('he')
  await expect.element(list.getByRole('option', { name: '/help' })).toHaveAttribute('aria-selected', 'true')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => session.store.getState().ui.overlay).toBe('keys')
  expect(box().value).toBe('Fix the bug')
  expect(localStorage.getItem(localStorage.key(0) ?? '')).toBe('Fix the bug')
})

it('walks the messages of the whole project with Up, and Down ends at the empty box', async () => {
  const { session } = await openComposer(
    event(2, userMessage('a', 'first of the open thread')),
    event(3, created, other),
    event(4, userMessage('b', 'of another thread'), other),
    event(5, userMessage('c', 'last of the open thread')),
  )
  session.updateUi((ui) => showThread(ui, threadId))
  await userEvent.click(field)
  const seen: string[] = []
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
    await userEvent.keyboard(`{${key}}`)
    seen.push(box().value)
  }
  expect(seen).toEqual([
    'last of the open thread',
    'first of the open thread',
    'of another thread',
    'of another thread',
    'first of the open thread',
    'last of the open thread',
    '',
  ])
  await userEvent.keyboard('my draft{Home}{ArrowUp}')
  expect(box().value).toBe('my draft')
  expect(localStorage.getItem(localStorage.key(0) ?? '')).toBe('my draft')
})

it('says how much of the context and of the budget is used, and opens the context', async () => {
  const { session } = await openComposer(
    event(2, { type: 'run.started', costLimit: 5 }),
    event(3, {
      type: 'usage',
      model: 'demo',
      usage: {
        modelCalls: 1,
        inputTokens: 40_000,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        cost: 1.25,
      },
    }),
  )
  session.store.setState({ info: { ...info, provider: { ...info.provider, models: [known] } } })
  const ring = page.getByRole('button', { name: 'Context: 20% full. Budget of this run: $1.25 of $5.00 (25%).' })
  await userEvent.click(ring)
  expect(session.store.getState().ui.overlay).toBe('context')
})

it('leads to the settings when a profile other than the built-in one has no key, and keeps the text', async () => {
  send.mockRejectedValue(new ORPCError('NO_KEY', { message: 'There is no key for the profile gate.' }))
  const { session } = await openComposer()
  const models = [{ ...known, profile: 'gate' }]
  session.store.setState({ info: { ...info, provider: { ...info.provider, models } } })
  await userEvent.fill(field, 'Go')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('There is no key for the profile gate.')).toBeVisible()
  await expect.element(field).toHaveValue('Go')
  await userEvent.click(page.getByRole('button', { name: 'Open Settings → Models' }))
  expect(session.store.getState().ui).toMatchObject({ route: 'settings', settingsSection: 'models' })
})

it('says what of the conversation another model does not get, before it is chosen', async () => {
  const { session } = await openComposer(event(2, userMessage('m1', 'Look')))
  const small = { ...known, id: 'gate/small', name: 'Small', profile: 'gate', provider: 'gate', can: deaf }
  session.store.setState({ info: { ...info, provider: { ...info.provider, models: [known, small] } } })
  await userEvent.click(page.getByRole('button', { name: /^Model:/ }))
  await userEvent.fill(page.getByRole('combobox', { name: 'Search models' }), 'small')
  await expect.element(page.getByText('It calls no tools, so it can only talk.')).toBeVisible()
})

it('offers what the model does with effort and thinking, and stores the choice for the thread', async () => {
  const { session } = await openComposer()
  expect(page.getByRole('button', { name: /^Effort/ }).query()).toBeNull()
  const able = { ...known, can: { ...deaf, efforts: ['low', 'high'] as const, thinking: 'optional' as const } }
  session.store.setState({ info: { ...info, provider: { ...info.provider, models: [able] } } })
  await userEvent.click(page.getByRole('button', { name: 'Effort: Usual' }))
  const efforts = page.getByRole('group', { name: 'Effort' })
  await expect.element(efforts.getByRole('radio', { name: /^Usual/ })).toBeChecked()
  expect(efforts.getByRole('radio').elements()).toHaveLength(3)
  await userEvent.click(efforts.getByRole('radio', { name: /^High/ }))
  await expect.poll(() => configure.mock.lastCall?.[0]).toMatchObject({ threadId, effort: 'high' })
  await userEvent.click(page.getByRole('group', { name: 'Thinking' }).getByRole('radio', { name: /^Off/ }))
  await expect.poll(() => configure.mock.lastCall?.[0]).toMatchObject({ threadId, thinking: false })
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByRole('button', { name: /^Effort/ })).toHaveFocus()
})

it('offers the efforts of an external agent, and no choice of its thinking', async () => {
  const { session } = await openComposer()
  const agent = { ...known, about: 'Another one.', efforts: ['low', 'max'] as const }
  session.store.setState({ info: { ...info, provider: { ...info.provider, models: [agent] } } })
  await userEvent.click(page.getByRole('button', { name: 'Effort: Usual' }))
  await userEvent.click(page.getByRole('group', { name: 'Effort' }).getByRole('radio', { name: /^Low/ }))
  await expect.poll(() => configure.mock.lastCall?.[0]).toMatchObject({ threadId, effort: 'low' })
  expect(page.getByRole('group', { name: 'Thinking' }).query()).toBeNull()
})

it('begins a new thread with the effort that was chosen last, where its model offers it', async () => {
  send.mockResolvedValue({ threadId })
  localStorage.setItem('coppice-models', JSON.stringify({ version: 1, used: [], effort: 'high', thinking: false }))
  const { session } = await openComposer()
  session.updateUi(startThread)
  const able = { ...known, id: 'other', can: { ...deaf, efforts: ['high'] as const } }
  session.store.setState({ info: { ...info, provider: { ...info.provider, models: [able] } } })
  await expect.element(page.getByRole('button', { name: 'Effort: High' })).toBeVisible()
  await userEvent.fill(field, 'Go')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => send.mock.lastCall?.[0]).toMatchObject({ model: 'other', effort: 'high', thinking: null })
})

it('warns before a message that makes the model read a long conversation again', async () => {
  const cached = { ...known, can: { ...deaf, caching: true }, price: { ...known.price, cacheWrite: 2.5 } }
  const { session } = await openComposer(
    event(2, agentReply('m2', 'Done.')),
    event(3, { type: 'usage', model: 'demo', usage: { ...noUsage, modelCalls: 1, inputTokens: 84_000 } }),
  )
  session.store.setState({ info: { ...info, provider: { ...info.provider, models: [cached] } } })
  await expect.element(page.getByText(/^This re-reads 84K tokens: about \$0\.21\./)).toBeVisible()
})

it('clips nothing in a narrow window', async () => {
  const { session } = await openComposer()
  session.store.setState({ info: { ...info, provider: { ...info.provider, models: [known] } } })
  for (const width of [360, 400, 520]) {
    await page.viewport(width, 700)
    const model = page.getByRole('button', { name: /^Model:/ }).element()
    await expect.poll(() => model.getBoundingClientRect().width).toBeGreaterThanOrEqual(90)
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width)
    expect(box().scrollHeight).toBeLessThanOrEqual(box().clientHeight)
    await expect.element(page.getByRole('button', { name: 'Send' })).toBeInViewport({ ratio: 0.99 })
  }
})

it('has the height of its text again when the pane beside it makes room', async () => {
  const { screen } = await openComposer()
  const pane = screen.container.firstElementChild as HTMLElement
  const lowest = box().clientHeight
  pane.style.width = '90px'
  await expect.poll(() => box().clientHeight).toBeGreaterThan(lowest)
  pane.style.width = '700px'
  await expect.poll(() => box().clientHeight).toBe(lowest)
})
