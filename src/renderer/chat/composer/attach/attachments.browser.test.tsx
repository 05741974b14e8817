import { ORPCError } from '@orpc/client'
import { useRef } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { InputCheck } from '#shared/contract/views/threads.ts'
import { useApp } from '../../../state/hooks/hooks.tsx'
import { renderInWindow } from '../../../state/session/test-window.testkit.tsx'
import { created, event, threadId } from '../../../state/store/entries.testkit.ts'
import { activeThread } from '../../../state/store/selectors.ts'
import { Composer } from '../composer.tsx'

interface Sent {
  readonly text: string
  readonly images?: readonly { readonly mediaType: string }[] | undefined
  readonly inputs?: readonly { readonly name: string; readonly data: string }[] | undefined
}

const send = vi.fn<(input: Sent) => Promise<{ readonly threadId: typeof threadId }>>()
const checkInput = vi.fn<(input: { readonly name: string; readonly data: string }) => Promise<InputCheck>>()

const field = page.getByRole('textbox', { name: 'Message' })
const list = page.getByRole('list', { name: 'Attached files' })
const csv = () => new File(['a,b\n1,2\n'], 'data.csv', { type: 'text/csv' })

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

beforeEach(async () => {
  localStorage.clear()
  await new Promise((resolve) => {
    indexedDB.deleteDatabase('coppice-attached').onsuccess = resolve
  })
  send.mockReset().mockResolvedValue({ threadId })
  checkInput.mockReset().mockResolvedValue({ kind: 'csv', about: '2 columns, 1 row' })
})

function OpenComposer() {
  const thread = useApp(activeThread)
  return <Composer thread={thread} typing={useRef(false)} keyForm={() => null} tryDemo={null} />
}

function openComposer(): ReturnType<typeof renderInWindow> {
  return renderInWindow(<OpenComposer />, { 'threads.send': send, 'threads.checkInput': checkInput }, [
    event(1, created),
  ])
}

/** Files as they come from the clipboard or from a drop. */
function transferOf(...files: readonly File[]): DataTransfer {
  const data = new DataTransfer()
  for (const file of files) data.items.add(file)
  return data
}

const choose = (...files: File[]) => userEvent.upload(page.elementLocator(inputElement()), files)

function inputElement(): Element {
  const input = document.querySelector('input[type=file]')
  if (!input) throw new Error('There is no box for files')
  return input
}

it('shows a chosen file with kind, size and shape, and sends it with the text', async () => {
  await openComposer()
  await expect.element(page.getByRole('button', { name: 'Add to the message' })).toBeVisible()
  await choose(csv())
  await expect.element(list).toHaveTextContent('data.csvTable · 8 B · 2 columns, 1 row')
  await userEvent.fill(field, 'Sum it up')
  await userEvent.click(page.getByRole('button', { name: 'Send' }))
  await expect.element(list).not.toBeInTheDocument()
  expect(send.mock.calls[0]?.[0]).toMatchObject({
    text: 'Sum it up',
    inputs: [{ name: 'data.csv', data: btoa('a,b\n1,2\n') }],
  })
})

it('takes a file off again, and sends a file without a text', async () => {
  await openComposer()
  await choose(csv(), new File(['x'], 'notes.txt'))
  await userEvent.click(page.getByRole('button', { name: 'Remove data.csv' }))
  await expect.element(list).not.toHaveTextContent('data.csv')
  await userEvent.click(page.getByRole('button', { name: 'Send' }))
  await expect
    .poll(() => send.mock.calls.map(([{ inputs }]) => inputs?.map(({ name }) => name)))
    .toEqual([['notes.txt']])
})

it('refuses an unusable file with the reason and keeps the text', async () => {
  checkInput.mockRejectedValueOnce(new ORPCError('BAD_REQUEST', { message: 'scan.pdf: This PDF holds no text.' }))
  await openComposer()
  await userEvent.fill(field, 'Read this')
  await choose(new File(['%PDF-'], 'scan.pdf'), csv())
  await expect.element(page.getByRole('alert')).toHaveTextContent('scan.pdf: This PDF holds no text.')
  await expect.element(list).toHaveTextContent('data.csv')
  await expect.element(field).toHaveValue('Read this')
})

it('does not send while a file that is still being read is refused', async () => {
  const answer = Promise.withResolvers<InputCheck>()
  checkInput.mockReturnValueOnce(answer.promise)
  await openComposer()
  await userEvent.fill(field, 'Read this')
  await choose(csv())
  await expect.element(list).toHaveTextContent('Reading data.csv…')
  await userEvent.click(page.getByRole('button', { name: 'Send' }))
  answer.reject(new ORPCError('BAD_REQUEST', { message: 'data.csv: The file is empty.' }))
  await expect.element(page.getByRole('alert')).toHaveTextContent('The file is empty.')
  expect(send).not.toHaveBeenCalled()
  await expect.element(field).toHaveValue('Read this')
})

it('takes pasted and dropped files, and refuses large ones before they are sent', async () => {
  await openComposer()
  await userEvent.click(field)
  const paste = new ClipboardEvent('paste', { bubbles: true, clipboardData: transferOf(csv()) })
  field.element().dispatchEvent(paste)
  await expect.element(list).toHaveTextContent('data.csv')
  const large = new File([new Uint8Array(21 * 1024 * 1024)], 'large.csv')
  const drop = { bubbles: true, cancelable: true, dataTransfer: transferOf(large, new File(['y'], 'b.txt')) }
  document.body.dispatchEvent(new DragEvent('dragover', drop))
  await expect.element(page.getByText('Drop files to attach them')).toBeVisible()
  document.body.dispatchEvent(new DragEvent('drop', drop))
  await expect.element(list).toHaveTextContent(/data\.csv.*b\.txt/)
  await expect.element(page.getByRole('alert')).toHaveTextContent('large.csv: Attached files may have 20 MB together.')
  await expect.poll(() => checkInput.mock.calls.length).toBe(2)
})

it('shows a pasted image with its name and size, takes it off, and sends one without a text', async () => {
  await openComposer()
  await userEvent.click(field)
  const png = Uint8Array.from(atob(onePixel), (sign) => sign.charCodeAt(0))
  const paste = (name: string) =>
    field.element().dispatchEvent(
      new ClipboardEvent('paste', {
        bubbles: true,
        clipboardData: transferOf(new File([png], name, { type: 'image/png' })),
      }),
    )
  paste('shot.png')
  paste('other.png')
  await expect.element(list).toHaveTextContent(/shot\.pngImage · 70 B.*other\.png/)
  await expect.poll(() => list.element().querySelectorAll('img').length).toBe(2)
  await userEvent.click(page.getByRole('button', { name: 'Remove shot.png' }))
  await expect.element(list).not.toHaveTextContent('shot.png')
  await userEvent.click(page.getByRole('button', { name: 'Send' }))
  await expect
    .poll(() => send.mock.calls.map(([{ images }]) => images))
    .toEqual([[{ type: 'image', mediaType: 'image/png', data: onePixel }]])
})

it('shares what is attached with the other windows on the thread, until it is sent', async () => {
  await openComposer()
  await openComposer()
  const lists = () =>
    page
      .getByRole('list', { name: 'Attached files' })
      .elements()
      .map(({ textContent }) => textContent)
  await choose(csv())
  await expect.poll(lists).toEqual([expect.stringContaining('data.csv'), expect.stringContaining('data.csv')])
  await userEvent.click(page.getByRole('button', { name: 'Send' }).last())
  await expect.poll(lists).toEqual([])
})

it('keeps a file in the draft of its thread when the person leaves before it is read', async () => {
  const answer = Promise.withResolvers<InputCheck>()
  checkInput.mockReturnValueOnce(answer.promise)
  const { screen } = await openComposer()
  await choose(csv())
  await expect.element(list).toHaveTextContent('Reading data.csv…')
  await screen.unmount()
  await openComposer()
  answer.resolve({ kind: 'csv', about: '2 columns, 1 row' })
  await expect.element(list).toHaveTextContent('data.csvTable')
})
