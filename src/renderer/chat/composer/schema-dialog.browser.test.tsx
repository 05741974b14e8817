import { ORPCError } from '@orpc/client'
import { beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { JsonObject } from '#shared/base/json.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { SchemaDialog } from './schema-dialog.tsx'

const checkOutputSchema = vi.fn<(input: { readonly schema: JsonObject }) => Promise<void>>()
const choose = vi.fn<(schema: JsonObject | null) => void>()
const field = page.getByRole('textbox', { name: 'JSON Schema' })
const use = page.getByRole('button', { name: 'Use this schema' })

beforeEach(() => {
  checkOutputSchema.mockReset().mockResolvedValue()
  choose.mockReset()
})

async function openDialog(schema: JsonObject | null = null): Promise<void> {
  const dialog = <SchemaDialog schema={schema} onChoose={choose} onClose={() => undefined} />
  await renderInWindow(dialog, { 'threads.checkOutputSchema': checkOutputSchema })
}

it('names the place of an error at once and leads there', async () => {
  await openDialog()
  await expect.element(use).toBeDisabled()
  await userEvent.fill(field, '{\n  "type": "object",\n  title: "x"\n}')
  await expect
    .element(page.getByRole('status'))
    .toHaveTextContent('Expected a name in double quotes (line 3, column 3).')
  await userEvent.click(page.getByRole('button', { name: 'Show where' }))
  await expect.element(field).toHaveFocus()
  expect((field.element() as HTMLTextAreaElement).selectionStart).toBe(24)
  await userEvent.fill(field, '[]')
  await expect.element(page.getByRole('status')).toHaveTextContent('A schema is a JSON object.')
  await expect.element(use).toBeDisabled()
})

it('refuses a schema that the host cannot check with', async () => {
  checkOutputSchema.mockRejectedValueOnce(new ORPCError('BAD_REQUEST', { message: 'Unknown type: "nope".' }))
  await openDialog()
  await userEvent.fill(field, '{"type": "nope"}')
  await expect.element(page.getByRole('status')).toHaveTextContent('Unknown type: "nope".')
  await expect.element(use).toBeDisabled()
})

it('takes the example, or a schema from a file', async () => {
  await openDialog()
  await userEvent.click(page.getByRole('button', { name: 'Insert an example' }))
  await expect.element(page.getByRole('status')).toHaveTextContent('This schema can be used.')
  const input = document.querySelector('input[type=file]')
  if (!input) throw new Error('There is no box for a file')
  await userEvent.upload(page.elementLocator(input), new File(['{"type": "array"}'], 'schema.json'))
  await expect.element(field).toHaveValue('{"type": "array"}')
  await expect.element(use).toBeEnabled()
  await userEvent.click(use)
  expect(choose).toHaveBeenCalledWith({ type: 'array' })
})

it('goes back to answers in words', async () => {
  await openDialog({ type: 'array' })
  await expect.element(field).toHaveValue('{\n  "type": "array"\n}')
  await userEvent.click(page.getByRole('button', { name: 'Answer in words' }))
  expect(choose).toHaveBeenCalledWith(null)
})
