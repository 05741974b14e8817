import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastResults, type Scenario, turnOf } from '../model-server/scenario.ts'
import { settled } from '../support/settled.ts'
import { expectNothingActive, watchPage } from '../support/watch-page.ts'
import { expect, test } from '../support/window.ts'

// These are about calls that ask before they run.
test.use({ commands: 'before' })

/**
 * Content with which a model, a file or a program may try to control the page. `http://evil.test` must never get a
 * request.
 */
const corpus = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="http://evil.test/pixel.png">',
  '![pixel](http://evil.test/markdown.png)',
  '![data](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+PC9zdmc+)',
  '[click](javascript:alert(1))',
  '[click](data:text/html,<script>alert(1)</script>)',
  '<a href="javascript:alert(1)">link</a>',
  '<svg onload=alert(1)><use href="http://evil.test/a.svg#a"/></svg>',
  '<iframe src="http://evil.test"></iframe><object data="http://evil.test"></object><embed src="http://evil.test">',
  '<link rel=stylesheet href="http://evil.test/a.css"><style>@import "http://evil.test/b.css"; body { display: none }</style>',
  '<form action="http://evil.test"><input autofocus onfocus=alert(1)></form>',
  '<details open ontoggle=alert(1)>x</details>',
  '<video><source onerror=alert(1)></video><audio src=x onerror=alert(1)></audio>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
  '```html\n<script>alert(1)</script>\n```',
  '```mermaid\ngraph TD; A["<img src=x onerror=alert(1)>"]; click A href "javascript:alert(1)"\n```',
  '$$\\href{javascript:alert(1)}{x}$$',
  '<http://evil.test/auto> https://evil.test/bare',
  '"><script>alert(1)</script>',
  "'-alert(1)-'",
  '\u202e<script>alert(1)</script>\u001b[2J\u200b',
].join('\n\n')

const fileName = '<img src=x onerror=alert(1)>.md'

const scenario: Scenario = (request) => {
  if (turnOf(request) > 1) return { text: `${corpus}\n\nEnd of the corpus. ${[...lastResults(request).keys()].length}` }
  if (turnOf(request) > 0)
    return {
      calls: [
        {
          name: 'execute',
          id: 'hostile',
          input: { command: `echo '${corpus.replaceAll("'", '')}'`, [fileName]: corpus },
        },
      ],
    }
  return {
    text: corpus,
    calls: [
      { name: 'write_todos', input: { todos: [{ content: corpus, status: 'pending' }] } },
      { name: 'read_file', input: { file_path: `/${fileName}` } },
      { name: 'write_file', input: { file_path: `/docs/${fileName}`, content: corpus } },
      { name: 'edit_file', input: { file_path: '/README.md', old_string: 'accounts', new_string: corpus } },
    ],
  }
}

test('Content of a model, a file or a program never runs, navigates, or loads anything', async ({ open, project }) => {
  project.mayChange()
  mkdirSync(join(project.folder, 'docs'), { recursive: true })
  writeFileSync(join(project.folder, fileName), corpus)
  const { page } = await open({ scenario })
  const seen = watchPage(page)
  await page.getByRole('textbox', { name: 'Message' }).fill(corpus)
  await page.getByRole('button', { name: 'Send' }).click()
  const card = page.getByRole('group', { name: 'Approval: execute by main' })
  await expect(card).toContainText('<script>alert(1)</script>')
  await card.getByRole('button', { name: 'Edit' }).click()
  await card.getByRole('button', { name: 'Edit' }).click()
  await card.getByRole('button', { name: 'Approve' }).click()
  const conversation = page.getByRole('list', { name: 'Conversation' })
  // Opening and closing the card's box can leave the list anywhere, so this scrolls to the end.
  await conversation.hover()
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 10_000)
      return page.getByText('End of the corpus.').isVisible()
    })
    .toBe(true)
  const press = (elements: readonly (HTMLElement | SVGElement)[]) => {
    for (const element of elements) if (element instanceof HTMLElement) element.click()
  }
  await conversation.getByRole('button', { expanded: false }).evaluateAll(press)
  await page.keyboard.press('Escape')
  await conversation.getByRole('button', { name: /evil/ }).evaluateAll(press)

  await page.getByRole('treeitem', { name: fileName }).first().click()
  await expect(page.locator('.cm-content')).toContainText('alert(1)')
  await page.getByRole('tab', { name: 'Changes' }).click()
  for (const path of ['/README.md', `/docs/${fileName}`]) {
    await page.getByRole('row', { name: path, exact: true }).click()
    await expect(page.getByRole('region', { name: `Changes of ${path}` })).toContainText('onerror')
  }
  await page.getByRole('button', { name: 'Export patch' }).click()
  await expect(page.getByRole('dialog')).toContainText('diff --git')
  await settled(page)
  // Requests are sent in order, so any forbidden one was sent before this one.
  await page.evaluate(async () => (await fetch('/')).text())

  expect(seen).toEqual([])
  await expectNothingActive(page)
})
