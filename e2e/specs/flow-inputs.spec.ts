import { pdfOf } from '../../src/main/adapters/pdf/pdf-document.testkit.ts'
import { lastResults, type Scenario, turnOf } from '../model-server/scenario.ts'
import { examine } from '../support/axe.ts'
import { expect, test } from '../support/window.ts'

const scenario: Scenario = (request) => {
  if (turnOf(request) > 0) return { text: `I read: ${[...lastResults(request).values()].join(' ')}` }
  return {
    calls: ['/inputs/sales.csv', '/inputs/report.pdf.txt'].map((file_path) => ({
      name: 'read_file',
      input: { file_path },
    })),
  }
}

test('9: A person attaches a table and a PDF, sees where they are, and the agent reads them', async ({
  open,
  model,
}) => {
  const { page } = await open({ scenario })
  const field = page.getByRole('textbox', { name: 'Message' })
  const attached = page.getByRole('list', { name: 'Attached files' })
  await field.fill('Compare the numbers')

  // What cannot be read is refused with a reason, and nothing typed is lost.
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add to the message' }).click()
  await page.getByRole('menuitem', { name: 'Attach files…' }).click()
  await (await chooser).setFiles([
    { name: 'scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdfOf([])) },
    { name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{"a" 1}') },
    { name: 'sales.csv', mimeType: 'text/csv', buffer: Buffer.from('month,total\nMay,3\nJune,4\n') },
  ])
  await expect(page.getByText('scan.pdf: This PDF holds no text')).toBeVisible()
  await expect(page.getByText('broken.json: It is not JSON: Expected ":" in line 1, column 6.')).toBeVisible()
  await expect(attached).toContainText('2 columns, 2 rows, separated by commas')
  await expect(field).toHaveValue('Compare the numbers')

  const again = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Add to the message' }).click()
  await page.getByRole('menuitem', { name: 'Attach files…' }).click()
  await (await again).setFiles([
    { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdfOf(['Total 42'])) },
    { name: 'wrong.txt', mimeType: 'text/plain', buffer: Buffer.from('wrong') },
  ])
  await expect(attached).toContainText('1 page')
  await page.getByRole('button', { name: 'Remove wrong.txt' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
  const { violations } = await examine(page)
  expect(violations.map(({ id }) => id)).toEqual([])

  await page.getByRole('button', { name: 'Send' }).click()
  await expect(attached).toHaveCount(0)
  const given = page.getByRole('list', { name: 'Input files' })
  await expect(given).toContainText('/inputs/sales.csv')
  await expect(given).toContainText('/inputs/report.pdf.txt')
  await given.getByText('/inputs/sales.csv').click()
  await expect(given).toContainText('- month: May, June')
  await expect(page.getByText(/I read: .*June,4.*Total 42/s)).toBeVisible()
  expect(JSON.stringify(model.requests[0]?.messages)).not.toContain('wrong')

  // An edited message keeps its inputs.
  await page.getByRole('button', { name: 'Actions for “Compare the numbers”' }).click()
  await page.getByRole('menuitem', { name: 'Edit and send again' }).click()
  const edit = page.getByRole('textbox', { name: 'Edited message' })
  await expect(edit).toHaveValue('Compare the numbers')
  await edit.fill('Sum them up')
  await page.getByRole('button', { name: 'Send again' }).click()
  await expect(page.getByText('Sum them up')).toBeVisible()
  await expect(given).toContainText('/inputs/sales.csv')
})
