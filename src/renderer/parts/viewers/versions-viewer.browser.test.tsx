import { afterEach, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { cleanup, render } from 'vitest-browser-react'
import type { FileVersion } from '#shared/contract/views/files.ts'
import { VersionsViewer } from './versions-viewer.tsx'
import type { ViewerKind } from './viewer-kind.ts'

afterEach(cleanup)

function version(text: string): FileVersion {
  return { size: text.length, hash: text.slice(0, 9), base64: btoa(text) }
}

function show(kind: ViewerKind, before: string | null, after: string): Promise<unknown> {
  const versions = { before: before === null ? null : version(before), after: version(after) }
  return render(<VersionsViewer path="/file" kind={kind} versions={versions} />)
}

it('shows JSON as it is written: long numbers, and keys that stand there twice', async () => {
  await show('json', null, '{"id": 12345678901234567890, "rate": 0.10, "id": 1}')
  await expect.element(page.getByText('12345678901234567890')).toBeVisible()
  await expect.element(page.getByText('0.10')).toBeVisible()
  await expect.element(page.getByRole('button', { name: '3 keys' })).toBeVisible()
  expect(page.getByText('double', { exact: true }).elements()).toHaveLength(2)
})

it('renders only what is in sight of 40,000 values, and folds and unfolds them', async () => {
  const rows = Array.from({ length: 200 }, (_, row) => Array.from({ length: 200 }, (_, column) => row * 200 + column))
  await show('json', null, JSON.stringify(rows))
  await expect.element(page.getByText('199', { exact: true })).not.toBeInTheDocument()
  await expect.element(page.getByRole('button', { name: '0: 200 items' })).toBeVisible()
  expect(document.querySelectorAll('[data-index]').length).toBeLessThan(100)
  await page.getByRole('button', { name: '0: 200 items' }).click()
  await expect.element(page.getByRole('button', { name: '1: 200 items' })).toBeVisible()
})

it('says how many columns a wide table has, and how many of them it shows', async () => {
  const line = Array.from({ length: 150 }, (_, index) => `c${index}`).join(',')
  await show('table', null, `${line}\n${line}\n${line}\n${line}\n`)
  await expect.element(page.getByText('3 rows × 150 columns, the first 100 shown')).toBeVisible()
})

it('says what changed in a notebook whose cells stayed the same', async () => {
  const book = (version: string) =>
    JSON.stringify({ cells: [{ cell_type: 'code', source: 'x' }], metadata: { kernelspec: { display_name: version } } })
  await show('notebook', book('3.9'), book('3.11'))
  await expect.element(page.getByText('Metadata changed: kernel 3.9 → 3.11.')).toBeVisible()
  await expect.element(page.getByText('1 cell did not change.')).toBeVisible()
})

it('shows a PDF before and after', async () => {
  const pdf = (width: number) =>
    `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} 100]>>endobj
trailer<</Root 1 0 R>>`
  await show('pdf', pdf(200), pdf(300))
  await expect.element(page.getByRole('img', { name: 'Before: Page 1' })).toBeVisible()
  await expect.element(page.getByRole('img', { name: 'After: Page 1' })).toBeVisible()
})
