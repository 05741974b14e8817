import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Call } from '#shared/model/calls/call.ts'
import type { AskedByServer, QuestionField, ServerQuestion } from '#shared/model/calls/server-question.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { ServerQuestions } from './server-question.tsx'

const [threadId, callId] = ['t' as ThreadId, 'c' as ToolCallId]
const field = (name: string, more: Partial<QuestionField> = {}): QuestionField => ({
  ...{ name, title: name, description: '', required: false, kind: 'text', options: [], initial: null },
  ...more,
})

async function show(question: AskedByServer) {
  const asked = { ...question, ...{ id: 'q', server: 'inn', threadId, callId } } as ServerQuestion
  const elsewhere = { ...asked, id: 'other', callId: 'other' as ToolCallId, message: 'Not here.' }
  const answer = vi.fn()
  const opened = vi.spyOn(window, 'open').mockReturnValue(null)
  const call = { callId } as Call
  await renderInWindow(<ServerQuestions threadId={threadId} call={call} />, {
    'mcp.questions': () => [asked, elsewhere] as never,
    'mcp.answer': answer,
  })
  return { answer, opened }
}

const button = (name: string) => page.getByRole('button', { name })

it('sends what was filled in, by the kind of each field, and nothing for what was left', async () => {
  const options = ['wine', 'cake'].map((value) => ({ value, title: value.toUpperCase() }))
  const { answer } = await show({
    ...{ kind: 'form', message: 'For whom?' },
    fields: [
      field('Name', { required: true }),
      field('Guests', { kind: 'integer', initial: 2 }),
      field('Terrace', { kind: 'yes or no' }),
      field('Menu', { kind: 'one of', options }),
      field('Extras', { kind: 'some of', options }),
      field('Remark'),
    ],
  })
  await expect.element(page.getByRole('form', { name: 'Question of the server inn' })).toHaveTextContent('For whom?')
  expect(page.getByText('Not here.').elements()).toEqual([])
  await userEvent.fill(page.getByRole('textbox', { name: 'Name (needed)' }), 'Ada')
  await userEvent.selectOptions(page.getByRole('combobox', { name: 'Menu' }), 'CAKE')
  await userEvent.click(page.getByRole('group', { name: 'Extras' }).getByRole('checkbox', { name: 'WINE' }))
  await userEvent.click(button('Answer'))
  await vi.waitFor(() => expect(answer).toHaveBeenCalledOnce())
  const values = { Name: 'Ada', Guests: 2, Terrace: false, Menu: 'cake', Extras: ['wine'] }
  expect(answer.mock.calls[0]).toEqual([
    { projectId: expect.anything(), id: 'q', answer: { action: 'accept', values } },
  ])
})

it('shows a page whole, and opens it on a click alone', async () => {
  const { answer, opened } = await show({
    kind: 'address',
    message: 'Pay.',
    address: 'https://pay.example.org/\u202egro',
  })
  await expect.element(page.getByText('https://pay.example.org/\\u202egro')).toBeVisible()
  expect(opened).not.toHaveBeenCalled()
  await userEvent.click(button('Open the page'))
  expect(opened.mock.calls.map(([url]) => url)).toEqual(['https://pay.example.org/\u202egro'])
  expect(answer.mock.calls[0]?.[0]).toMatchObject({ answer: { action: 'accept', values: {} } })
})

it.each([
  ['Decline', 'decline'],
  ['Not now', 'cancel'],
])('with %s it answers %s', async (name, action) => {
  const { answer } = await show({ kind: 'form', message: 'Which?', fields: [] })
  await userEvent.click(button(name))
  await vi.waitFor(() => expect(answer.mock.calls[0]?.[0]).toMatchObject({ answer: { action } }))
})
