import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { byTask } from '../model-server/scenario.ts'
import { evil, notebook, pdf, png, svg } from '../support/sample-files.ts'
import { settled } from '../support/settled.ts'
import { expectNothingActive, watchPage } from '../support/watch-page.ts'
import { expect, test } from '../support/window.ts'

const markdown = `# Title\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n${evil}\n\n[click](javascript:alert(1)) ![x](http://evil.test/d.png)\n`
const table = `name,=cmd|' /C calc'!A0\n"${evil.replaceAll('"', '""')}",2\n`

const file = (page: Page, path: string) => page.getByRole('region', { name: `Changes of ${path}`, exact: true })

test('Pictures, notebooks, tables, JSON, Markdown, PDF and binary files are shown as what they are, and nothing in them acts', async ({
  open,
  project,
}) => {
  test.setTimeout(240_000)
  project.mayChange()
  const write = (name: string, content: string | Buffer) => writeFileSync(join(project.folder, name), content)
  write('picture.png', png(20, 10, 40))
  write('drawing.svg', svg)
  write('book.ipynb', notebook('x = 1'))
  write('table.csv', 'name,count\na,1\n')
  write('data.json', '{"a": 1}')
  write('page.md', '# Old\n')
  write('broken.bin', Buffer.from([0, 1, 2, 3]))
  const { page } = await open({ scenario: byTask({ main: [{ calls: [writing()] }, { text: 'Done.' }] }) })
  const seen = watchPage(page)
  await page.getByRole('textbox', { name: 'Message' }).fill('main')
  await page.getByRole('button', { name: 'Send' }).click()
  await page
    .getByRole('group', { name: 'Approval: execute by main' })
    .getByRole('button', { name: 'Keep', exact: true })
    .click()
  await expect(page.getByText('Done.', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Review changes' }).click()

  const show = async (path: string) => {
    await page.getByRole('row', { name: path, exact: true }).click()
    return file(page, path)
  }
  const picture = await show('/picture.png')
  await expect(picture).toContainText('20 × 10 px')
  await expect(picture).toContainText('30 × 12 px')
  await picture.getByRole('button', { name: 'One over the other' }).click()
  await picture.getByRole('slider', { name: 'Show the new one' }).fill('80')
  await expect(picture).toContainText('80 %')

  const drawing = await show('/drawing.svg')
  await expect(drawing.getByRole('img').first()).toBeVisible()
  await expect(drawing).toContainText('50 × 30 px')
  await drawing.getByRole('button', { name: 'Source of /drawing.svg' }).click()
  await expect(drawing).toContainText('onload="alert(1)"')

  const book = await show('/book.ipynb')
  await expect(book).toContainText('x = 2')
  await expect(book).toContainText('1 cell did not change')
  await book.getByRole('button', { name: '3 outputs' }).click()
  await expect(book).toContainText('printed <script>')
  await expect(book).toContainText('text/html is not shown')

  for (const [path, text] of [
    ['/table.csv', 'onerror=alert(1)'],
    ['/data.json', '2 keys'],
    ['/page.md', 'onerror=alert(1)'],
  ] as const) {
    const shown = await show(path)
    await shown.getByRole('button', { name: `Preview of ${path}` }).click()
    await expect(shown).toContainText(text)
  }
  await expect((await show('/paper.pdf')).getByRole('img', { name: 'Page 1' })).toBeVisible()
  await expect(await show('/damaged.pdf')).toContainText('This PDF cannot be read.')
  const binary = await show('/broken.bin')
  await expect(binary).toContainText('SHA-256')
  await expect(binary).toContainText('5 bytes')
  for (const name of ['paper.pdf', 'picture.png', 'drawing.svg', 'book.ipynb', 'broken.bin']) {
    await page.getByRole('treeitem', { name: new RegExp(name.replace('.', '\\.')) }).click()
    const panel = page.getByRole('tabpanel', { name })
    await expect(
      panel.getByRole('img').or(panel.getByText('SHA-256')).or(panel.getByText('x = 2')).first(),
    ).toBeVisible()
  }
  await settled(page)
  // Requests are sent in order, so any forbidden one was sent before this one.
  await page.evaluate(async () => (await fetch('/')).text())
  expect(seen).toEqual([])
  await expectNothingActive(page)
})

/** Writes all files in one call. */
function writing() {
  const bytes = (data: Buffer | string) => Buffer.from(data).toString('base64')
  const files = {
    'picture.png': bytes(png(30, 12, 200)),
    'drawing.svg': bytes(svg.replace('width="40"', 'width="50"')),
    'book.ipynb': bytes(notebook('x = 2')),
    'table.csv': bytes(table),
    'data.json': bytes(JSON.stringify({ a: evil, __proto__: null, b: [1, { c: null }] })),
    'page.md': bytes(markdown),
    'paper.pdf': bytes(pdf),
    'damaged.pdf': bytes('%PDF-1.4 \0 damaged'),
    'broken.bin': bytes(Buffer.from([0, 1, 2, 3, 4])),
  }
  const commands = Object.entries(files).map(([name, base64]) => `echo ${base64} | base64 -d > ${name}`)
  return { name: 'execute', input: { command: commands.join(' && ') } }
}
