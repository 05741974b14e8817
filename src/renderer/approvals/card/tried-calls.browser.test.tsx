import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { CallPreviewView, FileDiff } from '#shared/contract/views/files.ts'
import type { Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { CallEffects } from '#shared/model/calls/outcome.ts'
import type { InterruptId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { armingDelay, type TriedRequest } from '#shared/tools/card.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { callId, created, event, messageId, threadId } from '../../state/store/entries.testkit.ts'
import { ApprovalCard } from './approval-card.tsx'

const path = (text: string): VirtualPath => text as VirtualPath
const output = [...Array(40).keys()].map((line) => `line ${line}`).join('\n')

const effects: CallEffects = {
  exit_code: 0,
  output: `${output}\nkey=abcdef`,
  changes: { written: [path('/a.ts'), path('/b.ts')], deleted: [path('/c.ts')], renamed: [] },
  hosts_refused: ['registry.example'],
  duration_ms: 1200,
  ignored_changes: 0,
  secrets: [[output.length + 5, output.length + 11]],
}
const request: TriedRequest = {
  ...{ callId: callId('c1'), name: 'execute', args: { command: 'npm run build' }, description: '' },
  ...{ rule: 'commands', risk: 'low', effects },
}
const onDecide = vi.fn<(decision: Decision) => void>()
const card = page.getByRole('group', { name: / by main$/ })
const button = (name: string) => card.getByRole('button', { name, exact: true })

// A card ignores its keys for a moment. Only timers and what they measure are faked, so that no test depends on how fast it runs.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => {
  vi.useRealTimers()
  onDecide.mockReset()
  answerPreview.mockReset().mockReturnValue(preview)
})

function fileDiff(at: string, lines: readonly string[]): FileDiff {
  const change = { path: path(at), kind: 'modify', added: 1, removed: 0, binary: false }
  const hunks = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines }]
  return { path: path(at), change, hunks, truncated: false, fingerprint: null } as unknown as FileDiff
}

const preview: CallPreviewView = {
  ...{ kind: 'files', more: 0, foldersOnly: false, problem: null },
  files: [fileDiff('/a.ts', ['+one']), fileDiff('/b.ts', ['+two'])],
}

function interruptOf(shown: TriedRequest): Interrupt {
  return {
    ...{ id: 'i' as InterruptId, threadId, agent: 'main', action_requests: [shown] },
    review_configs: [
      { callId: shown.callId, action_name: shown.name, allowed_decisions: ['approve', 'edit', 'reject'] },
    ],
  }
}

const answerPreview = vi.fn((_: unknown): CallPreviewView => preview)

async function showCard(shown: TriedRequest = request): ReturnType<typeof renderInWindow> {
  const shownIn = await renderInWindow(
    <ApprovalCard interrupt={interruptOf(shown)} request={shown} position="1 of 1" busy={false} onDecide={onDecide} />,
    { 'approvals.preview': answerPreview },
  )
  shownIn.session.updateUi((ui) => ({ ...ui, focusCall: shown.callId }))
  await expect.element(card).toHaveFocus()
  vi.advanceTimersByTime(armingDelay)
  await expect.element(button('Keep')).toBeEnabled()
  return shownIn
}

it('says how the run ended, shows the end of its output, and marks its secrets', async () => {
  await showCard()
  await expect.element(card).toHaveTextContent(/main ran a command – look at what it did.*Exit 0· 1.2 s/)
  await expect.element(card.getByText('line 39')).toBeVisible()
  await expect.element(card.getByText('line 0')).not.toBeInTheDocument()
  await userEvent.click(button('Show 29 earlier lines'))
  await expect.element(card.getByText('line 0')).toBeVisible()
  await expect.element(card.getByTitle('Looks like a key or a token')).toHaveTextContent('abcdef')
  await expect.element(card.getByText(/Keep shows it to the model/)).toBeVisible()
})

it('keeps by its key, drops with a reason, and is never kept by a key typed in the reason', async () => {
  await showCard()
  await userEvent.keyboard('nyes, but not now{Enter}')
  expect(onDecide.mock.calls).toEqual([[{ type: 'reject', callId: 'c1', message: 'yes, but not now' }]])
  onDecide.mockReset()
  await userEvent.clear(card.getByRole('textbox'))
  await userEvent.keyboard('{Escape}y')
  expect(onDecide.mock.calls).toEqual([[{ type: 'approve', callId: 'c1' }]])
})

it('keeps some of the files, and never none', async () => {
  await showCard()
  await expect.element(card.getByText('one')).toBeVisible()
  await userEvent.keyboard('f')
  await userEvent.click(card.getByRole('checkbox', { name: 'Keep /b.ts' }))
  await expect.element(button('Keep 2 of 3 files')).toBeEnabled()
  await userEvent.click(button('Keep 2 of 3 files'))
  expect(onDecide.mock.calls).toEqual([[{ type: 'approve', callId: 'c1', paths: ['/c.ts', '/a.ts'] }]])
  await userEvent.click(card.getByRole('checkbox', { name: 'Keep /a.ts' }))
  await userEvent.click(card.getByRole('checkbox', { name: 'Keep /c.ts' }))
  await expect.element(button('Keep 0 of 3 files')).toBeDisabled()
  await expect.element(card.getByRole('alert')).toHaveTextContent('Choose at least one file, or drop it.')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  expect(onDecide).toHaveBeenCalledTimes(1)
})

it('runs again what a person edited, and with the hosts that it could not reach', async () => {
  await showCard()
  const again = { type: 'edit', callId: 'c1', hold: true }
  await userEvent.click(button('Allow registry.example and run again'))
  expect(onDecide.mock.calls).toEqual([[{ ...again, args: request.args, hosts: ['registry.example'] }]])
  await card.element().dispatchEvent(new KeyboardEvent('keydown', { key: 'e', bubbles: true }))
  const box = card.getByRole('textbox', { name: 'Command to run instead' })
  await userEvent.fill(box, 'npm test')
  await userEvent.click(button('Run again'))
  expect(onDecide.mock.lastCall).toEqual([{ ...again, args: { command: 'npm test' } }])
})

it('says why it is shown again, and how a command failed', async () => {
  await showCard({ ...request, effects: { ...effects, exit_code: null, ran_again: 'The run before it was dropped.' } })
  await expect.element(card).toHaveTextContent('The run before it was dropped.')
  await expect.element(card).toHaveTextContent('Ended by a signal')
})

/** A change of a file that was tried. */
const edit: TriedRequest = {
  ...{ ...request, name: 'write_file', args: { file_path: '/a.ts', content: 'one' } },
  effects: {
    ...{ ...effects, exit_code: null, output: 'Wrote /a.ts.', secrets: [], hosts_refused: [] },
    changes: { written: [path('/a.ts')], deleted: [], renamed: [] },
  },
}

it('keeps an edit as it was tried, and drops it with a reason', async () => {
  await showCard(edit)
  await expect.element(card.getByText('one')).toBeVisible()
  expect(answerPreview.mock.lastCall?.[0]).not.toHaveProperty('args')
  await userEvent.keyboard('y')
  expect(onDecide.mock.calls).toEqual([[{ type: 'approve', callId: 'c1' }]])
  onDecide.mockReset()
  await userEvent.keyboard('nno{Enter}')
  expect(onDecide.mock.calls).toEqual([[{ type: 'reject', callId: 'c1', message: 'no' }]])
})

it('shows what an edited edit would do while it is typed, and keeps that', async () => {
  await showCard(edit)
  await userEvent.keyboard('e')
  const box = card.getByRole('textbox', { name: 'Arguments as JSON' })
  await expect.element(box).toHaveFocus()
  const args = { file_path: '/a.ts', content: 'another' }
  answerPreview.mockReturnValue({ ...preview, files: [fileDiff('/a.ts', ['+another'])] })
  await userEvent.fill(box, JSON.stringify(args))
  vi.advanceTimersByTime(250)
  await expect.element(card.getByText('another', { exact: true })).toBeVisible()
  expect(answerPreview.mock.lastCall?.[0]).toHaveProperty('args', args)
  await userEvent.fill(box, '{')
  vi.advanceTimersByTime(250)
  await expect.element(button('Keep')).toBeDisabled()
  await expect.element(card.getByText('another', { exact: true })).toBeVisible()
  await userEvent.fill(box, JSON.stringify(args))
  await userEvent.click(button('Keep'))
  expect(onDecide.mock.calls).toEqual([[{ type: 'edit', callId: 'c1', args }]])
})

it('fills Edit rather than Keep for a command that failed', async () => {
  const content = [{ type: 'tool_call' as const, callId: callId('c1'), name: 'execute', input: request.args }]
  const filled = () =>
    card
      .getByRole('button')
      .elements()
      .flatMap((one) => (one.classList.contains('bg-accent-solid') ? [one.textContent] : []))
  const noChange = { written: [], deleted: [], renamed: [] }
  for (const [shown, expected] of [
    [request, 'Keep'],
    [{ ...request, effects: { ...effects, exit_code: 1 } }, 'Edit and run again'],
    [edit, 'Keep'],
    [{ ...edit, effects: { ...edit.effects, changes: noChange } }, 'Keep'],
  ] as const) {
    const { receive, screen } = await showCard(shown)
    receive(
      event(1, created),
      event(2, {
        type: 'message',
        message: { role: 'assistant', messageId: messageId('m'), content, stopReason: 'tool_use' },
      }),
      event(3, { type: 'interrupt.raised', interrupt: interruptOf(shown) }),
    )
    await expect.poll(filled).toEqual([expected])
    await screen.unmount()
  }
})
