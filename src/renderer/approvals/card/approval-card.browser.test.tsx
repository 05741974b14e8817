import { type ReactElement, useState } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ActionRequest, Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { InterruptId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { armingDelay } from '#shared/tools/card.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { callId, threadId } from '../../state/store/entries.testkit.ts'
import { ApprovalCard } from './approval-card.tsx'
import { QuestionCard } from './question-card.tsx'

const command: ActionRequest = {
  callId: callId('c1'),
  name: 'execute',
  args: { command: 'npm test', timeout: 60 },
  description: 'Runs a command.',
  rule: 'commands ask',
  risk: 'low',
}
const write: ActionRequest = { ...command, name: 'write_file', args: { file_path: '/a', content: 'x' } }

const onDecide = vi.fn<(decision: Decision) => void>()
const card = page.getByRole('group', { name: 'Approval: execute by main' })
const approve = page.getByRole('button', { name: 'Approve', exact: true })
const editBox = page.getByRole('textbox', { name: 'Command to run instead' })

// A card ignores its keys for a moment. Only timers and what they measure are faked, so that no test depends on how fast it runs.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => {
  vi.useRealTimers()
  onDecide.mockReset()
})

function interruptOf(request: ActionRequest): Interrupt {
  return {
    id: 'i' as InterruptId,
    threadId,
    agent: 'main',
    action_requests: [request],
    review_configs: [
      { callId: request.callId, action_name: request.name, allowed_decisions: ['approve', 'edit', 'reject'] },
    ],
  }
}

/** The card in its pane, as a new object each time, like after an event. */
function pane(request: ActionRequest, position = '1 of 1'): ReactElement {
  return (
    <section data-region aria-label="Chat" tabIndex={-1}>
      <ApprovalCard
        interrupt={interruptOf(request)}
        request={{ ...request }}
        position={position}
        busy={false}
        onDecide={onDecide}
      />
    </section>
  )
}

async function showCard(
  element: ReactElement,
  answers: Parameters<typeof renderInWindow>[1] = {},
): ReturnType<typeof renderInWindow> {
  const shown = await renderInWindow(element, { 'approvals.preview': () => ({ kind: 'arguments' }), ...answers })
  shown.session.updateUi((ui) => ({ ...ui, focusCall: command.callId }))
  await expect.element(page.getByRole('group', { name: /^Approval: / })).toHaveFocus()
  return shown
}

async function arm(): Promise<void> {
  vi.advanceTimersByTime(armingDelay)
  await expect.element(approve).toBeEnabled()
}

it('ignores its keys until a person has had time to look', async () => {
  await showCard(pane(command))
  vi.advanceTimersByTime(armingDelay - 1)
  await userEvent.keyboard('y')
  await expect.element(approve).toBeDisabled()
  expect(onDecide).not.toHaveBeenCalled()
  await arm()
  await userEvent.keyboard('y')
  expect(onDecide.mock.calls).toEqual([[{ type: 'approve', callId: 'c1' }]])
})

it('takes its own keys as text while a person edits the command', async () => {
  await showCard(pane(command))
  await arm()
  await userEvent.keyboard('e')
  await expect.element(editBox).toHaveFocus()
  await expect.element(editBox).toHaveValue('npm test')
  await userEvent.keyboard('{End} -- yenl')
  await expect.element(editBox).toHaveValue('npm test -- yenl')
  expect(onDecide).not.toHaveBeenCalled()
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  const args = { command: 'npm test -- yenl', timeout: 60 }
  expect(onDecide.mock.calls).toEqual([[{ type: 'edit', callId: 'c1', args }]])
})

it('keeps an edit, the focus and the caret when events arrive', async () => {
  const { screen } = await showCard(pane(command))
  await arm()
  await userEvent.keyboard('e')
  await userEvent.keyboard('{Home}CI=1 ')
  await screen.rerender(pane(command, '2 of 3'))
  await expect.element(card).toHaveTextContent('2 of 3')
  await userEvent.keyboard('DEBUG=1 ')
  await expect.element(editBox).toHaveFocus()
  await expect.element(editBox).toHaveValue('CI=1 DEBUG=1 npm test')
})

it('says that edited arguments are not JSON, and does not approve them', async () => {
  await showCard(pane(write))
  await arm()
  await userEvent.keyboard('e')
  const box = page.getByRole('textbox', { name: 'Arguments as JSON' })
  await expect.element(box).toHaveFocus()
  await userEvent.keyboard('{Control>}{End}{/Control},{Control>}{Enter}{/Control}')
  await expect.element(page.getByRole('alert')).toHaveTextContent('This is not a JSON object.')
  await expect.element(box).toBeInvalid()
  await expect.element(approve).toBeDisabled()
  expect(onDecide).not.toHaveBeenCalled()
  await userEvent.keyboard('{Backspace}')
  await expect.element(box).toBeValid()
  await expect.element(approve).toBeEnabled()
})

it('takes its own keys as text in the reason, and rejects on Enter', async () => {
  await showCard(pane(command))
  await arm()
  await userEvent.click(page.getByRole('textbox', { name: 'Reason, or words to the agent (optional)' }))
  await userEvent.keyboard('not yet, only lint')
  expect(onDecide).not.toHaveBeenCalled()
  await userEvent.keyboard('{Enter}')
  expect(onDecide.mock.calls).toEqual([[{ type: 'reject', callId: 'c1', message: 'not yet, only lint' }]])
})

it('does not hear the keys of its dialog, and gets the focus back from it', async () => {
  await showCard(pane(command), { 'approvals.proposeRules': () => ({ proposals: [], note: null }) })
  await arm()
  await userEvent.keyboard('l')
  const dialog = page.getByRole('dialog', { name: 'Always allow' })
  await expect.element(dialog.getByText('No rule can allow this call')).toBeVisible()
  vi.useRealTimers()
  await expect.poll(() => dialog.element().contains(document.activeElement)).toBe(true)
  await userEvent.keyboard('yn')
  expect(onDecide).not.toHaveBeenCalled()
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.poll(() => card.element().contains(document.activeElement)).toBe(true)
  await userEvent.keyboard('n{Enter}')
  expect(onDecide.mock.calls).toEqual([[{ type: 'reject', callId: 'c1' }]])
})

it('asks for a reason when N rejects, and goes back to the card on Escape', async () => {
  await showCard(pane(command))
  await arm()
  const reason = page.getByRole('textbox', { name: 'Reason, or words to the agent (optional)' })
  await userEvent.keyboard('n')
  await expect.element(reason).toHaveFocus()
  await expect.element(reason).toHaveAttribute('placeholder', 'Enter rejects, with or without a reason. Esc goes back.')
  await userEvent.keyboard('{Escape}')
  await expect.element(card).toHaveFocus()
  await userEvent.keyboard('nnot now{Enter}')
  expect(onDecide.mock.calls).toEqual([[{ type: 'reject', callId: 'c1', message: 'not now' }]])
})

it('asks for a reason when N rejects a call whose edit is shown, and keeps the edit', async () => {
  await showCard(pane(command))
  await arm()
  await userEvent.keyboard('e')
  await expect.element(editBox).toHaveFocus()
  await userEvent.keyboard('{End} --fix')
  card.element().focus()
  await userEvent.keyboard('nby hand')
  const reason = page.getByRole('textbox', { name: 'Reason, or words to the agent (optional)' })
  await expect.element(reason).toHaveFocus()
  await expect.element(reason).toHaveValue('by hand')
  expect(onDecide).not.toHaveBeenCalled()
  await userEvent.keyboard('{Escape}e')
  await expect.element(editBox).toHaveValue('npm test --fix')
  await userEvent.keyboard('{Escape}n{Enter}')
  expect(onDecide.mock.calls).toEqual([[{ type: 'reject', callId: 'c1', message: 'by hand' }]])
})

it('leaves the edit on Escape, as if there had been none', async () => {
  await showCard(pane(command))
  await arm()
  await userEvent.keyboard('e')
  await expect.element(editBox).toHaveFocus()
  await userEvent.keyboard(' --fix{Escape}')
  await expect.element(editBox).not.toBeInTheDocument()
  await expect.element(card).toHaveFocus()
  await userEvent.keyboard('y')
  expect(onDecide.mock.calls).toEqual([[{ type: 'approve', callId: 'c1' }]])
})

it('keeps the edited text when the edit is left and begun again', async () => {
  await showCard(pane(command))
  await arm()
  await userEvent.keyboard('e')
  await expect.element(editBox).toHaveFocus()
  await userEvent.keyboard('{End} --fix{Escape}')
  await expect.element(editBox).not.toBeInTheDocument()
  await userEvent.keyboard('e')
  await expect.element(editBox).toHaveValue('npm test --fix')
  await userEvent.click(page.getByRole('button', { name: 'Back to what was asked for' }))
  await expect.element(editBox).toHaveValue('npm test')
})

it('still has what was typed when the card comes back, and leaves the focus where it is', async () => {
  const { screen } = await showCard(pane(command))
  await arm()
  await userEvent.keyboard('nnot now{Escape}e')
  await expect.element(editBox).toHaveFocus()
  await userEvent.keyboard('{End} --fix')
  await screen.rerender(<p>Elsewhere</p>)
  await screen.rerender(pane(command))
  await expect.element(editBox).toHaveValue('npm test --fix')
  await expect.element(editBox).not.toHaveFocus()
  await arm()
  await userEvent.click(page.getByRole('button', { name: 'Reject', exact: true }))
  expect(onDecide.mock.calls).toEqual([[{ type: 'reject', callId: 'c1', message: 'not now' }]])
})

it('answers several questions together, by keyboard alone', async () => {
  const onDecide = vi.fn()
  const questions = [
    { question: 'Which rounding?', options: ['Half up', 'Half even'] },
    { question: 'Which files?', options: ['a.ts', 'b.ts'], multiple: true },
  ]
  const ask: ActionRequest = { ...command, name: 'ask_user', args: { questions } }
  await showCard(
    <QuestionCard interrupt={interruptOf(ask)} request={ask} position="1 of 1" busy={false} onDecide={onDecide} />,
  )
  const send = page.getByRole('button', { name: 'Answer' })
  await expect.element(send).toBeDisabled()
  await page.getByRole('radio', { name: 'Half up' }).click()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(page.getByRole('radio', { name: 'Half even' })).toBeChecked()
  const files = page.getByRole('group', { name: 'Which files?' })
  await userEvent.keyboard('{Tab}{Tab} {Tab} {Tab}c.ts')
  await expect.element(files.getByRole('checkbox', { name: 'b.ts' })).toBeChecked()
  await expect.element(files.getByRole('textbox', { name: 'Other' })).toHaveValue('c.ts')
  await expect.element(send).toBeEnabled()
  await userEvent.keyboard('{Enter}')
  const message = 'Which rounding?\n- Half even\n\nWhich files?\n- a.ts\n- b.ts\n- c.ts'
  await expect.poll(() => onDecide.mock.calls).toEqual([[{ type: 'respond', callId: ask.callId, message }]])
})

it('shows previews of options, and finds one of two hundred by keyboard', async () => {
  const onDecide = vi.fn()
  const options = [
    { label: 'Half up', preview: '- a\n+ b', preview_as: 'diff' },
    { label: 'Half even', preview: '# As banks do', preview_as: 'markdown' },
    ...Array.from({ length: 198 }, (_, at) => `Way ${at}`),
  ]
  const ask: ActionRequest = { ...command, name: 'ask_user', args: { question: 'Which rounding?', options } }
  await showCard(
    <QuestionCard interrupt={interruptOf(ask)} request={ask} position="1 of 1" busy={false} onDecide={onDecide} />,
  )
  await expect.element(page.getByRole('region', { name: 'Preview of Half up' })).toHaveTextContent('+ b')
  await userEvent.fill(page.getByRole('searchbox', { name: 'Search options' }), 'half')
  await userEvent.keyboard('{Enter}{Tab}{ArrowDown}')
  await expect.element(page.getByRole('heading', { name: 'As banks do' })).toBeVisible()
  expect(page.getByRole('radio').elements()).toHaveLength(2)
  await userEvent.fill(page.getByRole('searchbox', { name: 'Search options' }), 'way 197')
  await expect.element(page.getByText('2 of 200')).toBeVisible()
  await page.getByRole('radio', { name: 'Way 197' }).click()
  vi.advanceTimersByTime(armingDelay)
  await page.getByRole('button', { name: 'Answer' }).click()
  await expect.poll(() => onDecide.mock.calls).toEqual([[{ type: 'respond', callId: ask.callId, message: 'Way 197' }]])
})

it('still has the answer to a question when the card comes back', async () => {
  const question: ActionRequest = { ...command, name: 'ask_user', args: { question: 'Which?' } }
  const card = (
    <QuestionCard
      interrupt={interruptOf(question)}
      request={question}
      position="1 of 1"
      busy={false}
      onDecide={onDecide}
    />
  )
  const { screen } = await renderInWindow(card)
  await userEvent.fill(page.getByRole('textbox'), 'The second')
  await screen.rerender(<p>Elsewhere</p>)
  await screen.rerender(card)
  await expect.element(page.getByRole('textbox')).toHaveValue('The second')
})

it('says who wants what, and how risky it is for which reason', async () => {
  const { screen } = await showCard(pane({ ...command, riskReason: 'sandboxed and offline' }, '1 of 3'))
  await expect.element(card).toHaveTextContent(/main wants to run a command· 1 of 3Low risk: sandboxed and offline/)
  await screen.rerender(pane({ ...command, risk: 'high', riskReason: 'it changes something outside: git push' }))
  await expect.element(card).toHaveTextContent('High risk: it changes something outside: git push')
})

it('has a keyboard that decides one call when a key is pressed twice', async () => {
  const shown = await showCard(pane(command))
  await arm()
  shown.session.updateUi((ui) => ({ ...ui, walkCall: command.callId }))
  await expect.element(approve).toBeDisabled()
  await userEvent.keyboard('y')
  expect(onDecide).not.toHaveBeenCalled()
  await arm()
})

function PaneOfOneCard(): ReactElement {
  const [decided, setDecided] = useState(false)
  return (
    <section data-region aria-label="Chat" tabIndex={-1}>
      {!decided && (
        <ApprovalCard
          interrupt={interruptOf(command)}
          request={command}
          position="1/1"
          busy={false}
          onDecide={() => setDecided(true)}
        />
      )}
    </section>
  )
}

it('takes the focus again when its list removes it and draws it again before it is at rest', async () => {
  const { screen, session } = await showCard(pane(command))
  const empty = <section data-region aria-label="Chat" tabIndex={-1} />
  await screen.rerender(empty)
  await expect.element(page.getByRole('region', { name: 'Chat' })).toHaveFocus()
  await screen.rerender(pane(command))
  await expect.element(card).toHaveFocus()
  vi.advanceTimersByTime(1_000)
  await expect.poll(() => session.store.getState().ui.focusCall).toBeNull()
  await screen.rerender(empty)
  await screen.rerender(pane(command))
  await expect.element(page.getByRole('region', { name: 'Chat' })).toHaveFocus()
})

it('leaves the focus to its pane when it was decided', async () => {
  await showCard(<PaneOfOneCard />)
  await arm()
  await userEvent.click(page.getByRole('button', { name: 'Reject', exact: true }))
  await expect.element(card).not.toBeInTheDocument()
  await expect.element(page.getByRole('region', { name: 'Chat' })).toHaveFocus()
})

it('names the files that a command line does not show', async () => {
  const scripts = ['/package.json', '/a\u202egnp.sh'] as VirtualPath[]
  await showCard(pane({ ...command, changedBefore: ['/before.txt' as VirtualPath], scripts }))
  const before = page.getByRole('region', { name: 'Changed by the same reply before this runs:' })
  await expect.element(before).toHaveTextContent('/before.txt')
  const used = page.getByRole('region', { name: 'It uses files that agents changed:' })
  await expect.element(used).toHaveTextContent('/package.json/a\\u202egnp.sh')
})

it('says that a hook gave the call other arguments, and which ones the agent had sent', async () => {
  await showCard(pane({ ...command, changed: { by: 'the hook guard', given: { command: 'npm run odd' } } }))
  await expect.element(card).toHaveTextContent('Changed by the hook guard. The agent had sent:')
  await expect.element(card).toHaveTextContent('npm run odd')
})

it('sends no reason that it does not show, and keeps it for later', async () => {
  await showCard(pane(command))
  await arm()
  await userEvent.fill(page.getByRole('textbox', { name: /^Reason/ }), 'quickly')
  await userEvent.click(page.getByRole('button', { name: 'Edit', exact: true }))
  await expect.element(editBox).toBeVisible()
  await userEvent.click(page.getByRole('button', { name: 'Edit', exact: true }))
  await expect.element(page.getByRole('textbox', { name: /^Reason/ })).toHaveValue('quickly')
  await userEvent.click(page.getByRole('button', { name: 'Edit', exact: true }))
  await userEvent.click(approve)
  expect(onDecide.mock.calls).toEqual([[{ type: 'approve', callId: 'c1' }]])
})

it('keeps a typed answer when an option is pressed', async () => {
  const ask = { ...command, name: 'ask_user', args: { question: 'Which?', options: ['A', 'B'] } }
  const asks = {
    ...interruptOf(ask),
    review_configs: [{ callId: ask.callId, action_name: ask.name, allowed_decisions: ['respond'] as const }],
  }
  await showCard(<QuestionCard interrupt={asks} request={ask} position="1 of 1" busy={false} onDecide={onDecide} />)
  vi.advanceTimersByTime(armingDelay)
  const field = page.getByRole('textbox', { name: 'Your answer' })
  await userEvent.fill(field, 'only if it is cheap')
  await userEvent.click(page.getByRole('button', { name: 'A', exact: true }))
  await expect.element(field).toHaveValue('A\nonly if it is cheap')
  expect(onDecide).not.toHaveBeenCalled()
})

it('grants hosts to all commands of the project with one press, and this command still waits', async () => {
  const update = vi.fn(() => ({}) as never)
  const { session } = await renderInWindow(pane(command), { 'settings.update': update })
  session.store.setState({ info: { sandbox: { state: 'on', reason: '' } } as never })
  await userEvent.click(page.getByRole('button', { name: 'Let it reach hosts…' }))
  const field = page.getByRole('textbox', { name: 'Hosts it may reach (none unless you name them)' })
  await userEvent.fill(field, '*.com')
  const always = page.getByRole('button', { name: /^Always allow (this|these) host/ })
  await expect.element(always).not.toBeInTheDocument()
  await userEvent.fill(field, 'a.example, *.b.example:443')
  await expect.element(always).toHaveTextContent('Always allow these hosts in this project')
  await userEvent.click(always)
  await expect.element(page.getByRole('status').filter({ hasText: 'All commands of this project' })).toBeVisible()
  const grantHosts = { projectId: 'project', hosts: ['a.example', '*.b.example:443'] }
  expect(update).toHaveBeenCalledExactlyOnceWith({ grantHosts })
  expect(onDecide).not.toHaveBeenCalled()
})

it('has the answers of an external agent by its own words, by keyboard, beside ours', async () => {
  const answers = [
    { id: 'acceptEdits', name: 'Yes, and accept edits', allows: true, remembered: true },
    { id: 'default', name: 'Yes', allows: true, remembered: false },
    { id: 'plan', name: 'No, keep planning', allows: false, remembered: false },
  ]
  await showCard(pane({ ...command, name: 'agent_command', answers }))
  await arm()
  await userEvent.fill(page.getByRole('textbox', { name: /^Reason/ }), 'Not yet')
  page.getByRole('button', { name: 'Its own answers' }).element().focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('menuitem', { name: /^Yes, and accept edits.*may not ask again/ })).toBeVisible()
  await userEvent.keyboard('No{Enter}')
  expect(onDecide).toHaveBeenCalledExactlyOnceWith({
    ...{ type: 'reject', callId: command.callId, answer: 'plan', message: 'Not yet' },
  })
})

it('grants no hosts to text that is typed into a process, because they would have no effect', async () => {
  const typed: ActionRequest = { ...command, name: 'process_input', args: { id: 'process_0', text: 'npm test' } }
  const { screen, session } = await showCard(pane(command))
  session.store.setState({ info: { sandbox: { state: 'on', reason: '' } } as never })
  const grant = page.getByRole('button', { name: 'Let it reach hosts…' })
  await expect.element(grant).toBeVisible()
  await screen.rerender(pane(typed))
  await expect.element(page.getByRole('group', { name: 'Approval: process_input by main' })).toBeVisible()
  expect(grant.elements()).toEqual([])
})
