import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type Answer, type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { type Screen, walk, walkTimeout } from '../support/looks.ts'
import { notebook, pdf, png, svg } from '../support/sample-files.ts'
import { expect, test } from '../support/window.ts'

const tasks = Array.from({ length: 12 }, (_, index) => `Translate page ${index}`)
const todos = ['completed', 'in_progress', 'pending', 'failed'].map((status) => ({
  content: `A ${status} task`,
  status,
}))

const refused = (status: number, type: string, message: string): Answer => ({
  fault: { kind: 'status', status, body: JSON.stringify({ type: 'error', error: { type, message } }) },
})

/** What the model answers to a message with this word, and the title of the card. */
const failures: Readonly<Record<string, readonly [Answer, title: string]>> = {
  unauthorised: [refused(401, 'authentication_error', 'invalid x-api-key'), 'The key was refused'],
  poor: [refused(400, 'invalid_request_error', 'Your credit balance is too low.'), 'The credit of this key is used up'],
  forbidden: [refused(403, 'permission_error', 'Not for you.'), 'This key may not do that'],
  unknown: [refused(404, 'not_found_error', 'No such model.'), 'The provider does not know this model'],
  lengthy: [refused(413, 'request_too_large', 'prompt is too long'), 'The conversation is too long for the model'],
  strange: [refused(400, 'invalid_request_error', 'messages.4: wrong'), 'The provider refused the request'],
  rude: [{ text: 'No.', stopReason: 'refusal' }, 'The model refused to continue'],
  endless: [{ text: 'And so', stopReason: 'max_tokens' }, 'The reply was cut at its longest allowed length'],
}

const scenario: Scenario = (request) => {
  const said = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
  const failure = Object.entries(failures).find(([word]) => said.includes(word))
  if (failure) return failure[1][0]
  if (said.includes('overloaded')) return { fault: { kind: 'status', status: 529, headers: { 'retry-after': '600' } } }
  const task = taskOf(request)
  const turn = turnOf(request)
  if (task === tasks[2]) return refused(400, 'invalid_request_error', 'messages.4: wrong')
  if (tasks.includes(task))
    return turn === 0
      ? { calls: [{ name: 'write_file', input: { file_path: `/pages/${tasks.indexOf(task)}.txt`, content: task } }] }
      : { text: 'Translated.' }
  if (turn > 0) return { text: 'The batch is through.' }
  return {
    calls: [
      { name: 'write_todos', input: { todos } },
      { name: 'batch_task', id: 'batch', input: { tasks } },
    ],
  }
}

const files = {
  'book.ipynb': notebook('x = 1'),
  'table.csv': 'name,count\na,1\nb,2\n',
  'data.json': '{"a": [1, {"b": null}], "c": "text"}',
  'page.md': '# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n```js\nlet x = 1\n```\n',
  'picture.png': png(20, 10, 40),
  'drawing.svg': svg,
  'paper.pdf': Buffer.from(pdf),
  'damaged.pdf': '%PDF-1.4 damaged',
  'values.bin': Buffer.from([0, 1, 2, 3]),
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

const tabPanel = '[role=tabpanel]'

/** The file in a tab of its own. `shown` says when its viewer is there. */
const viewer = (name: keyof typeof files, shown: (page: Page) => Promise<unknown>): Screen => [
  `viewer of ${name}`,
  async (page) => {
    await page.getByRole('treeitem', { name, exact: true }).click()
    await page.getByRole('tabpanel', { name }).waitFor()
    const preview = page.getByRole('button', { name: 'Preview', exact: true })
    if (['table.csv', 'data.json', 'page.md'].includes(name)) await preview.click()
    await shown(page)
  },
  tabPanel,
]
const says = (text: string) => (page: Page) => page.locator(tabPanel).getByText(text).first().waitFor()
const shows = (page: Page) => page.locator(tabPanel).getByRole('img').first().waitFor()

const screensOfWork: readonly Screen[] = [
  [
    'key form',
    async (page) => {
      await page.getByRole('button', { name: 'Open without them' }).click()
      await say(page, 'main')
      await page.getByLabel('API key').waitFor()
    },
  ],
]

const screensOfBatch: readonly Screen[] = [
  ['end card', (page) => page.getByRole('button', { name: 'Review branches' }).waitFor()],
  [
    'batch',
    async (page) => {
      await page.getByRole('button', { name: 'Open batch' }).first().click()
      await expect(page.getByRole('table', { name: 'Tasks' })).toContainText('Translate page 11')
    },
  ],
  ['board', (page) => page.getByRole('tab', { name: 'Board' }).click()],
  [
    'context',
    async (page) => {
      await page.getByRole('button', { name: /^Context .* show what the model sees/ }).click()
      await page.getByRole('region', { name: 'Exact request' }).waitFor()
    },
  ],
  [
    'viewer of book.ipynb, whole window',
    async (page) => {
      await page.keyboard.press('Escape')
      await page.getByRole('treeitem', { name: 'book.ipynb' }).click()
      await says('x = 1')(page)
    },
  ],
  viewer('table.csv', (page) => page.getByRole('cell', { name: 'b', exact: true }).waitFor()),
  viewer('data.json', says('2 keys')),
  viewer('page.md', (page) => page.getByRole('heading', { name: 'Title' }).waitFor()),
  viewer('picture.png', shows),
  viewer('drawing.svg', shows),
  viewer('paper.pdf', shows),
  viewer('damaged.pdf', says('This PDF cannot be read.')),
  viewer('values.bin', says('SHA-256')),
  ...[
    ['unauthorised', 'poor', 'forbidden', 'unknown'],
    ['lengthy', 'strange', 'rude', 'endless'],
  ].map(
    (words): Screen => [
      `error cards: ${words.join(', ')}`,
      async (page) => {
        await page.getByRole('tab', { name: 'Chat' }).click()
        for (const word of words) {
          await say(page, word)
          await page
            .getByTestId('chat')
            .getByText(failures[word]?.[1] ?? '', { exact: true })
            .waitFor()
        }
      },
      tabPanel,
    ],
  ),
  [
    'error card: trying again',
    async (page) => {
      await say(page, 'overloaded')
      await page.getByRole('region', { name: 'Trying again' }).waitFor()
    },
    tabPanel,
  ],
]

test('axe finds nothing serious in batches, plans, contexts, viewers, error cards and the key form', {
  tag: '@nightly',
}, async ({ open, project, model }) => {
  test.setTimeout(walkTimeout)
  project.mayChange()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project.folder, name), content)
  const { page } = await open({ key: false, scenario })
  const found = [...(await walk(page, screensOfWork, project.folder))]
  await page.getByLabel('API key').fill('sk-test')
  await page.getByLabel('Base URL').fill(model.url)
  await page.getByRole('button', { name: 'Save and run' }).click()
  found.push(...(await walk(page, screensOfBatch, project.folder)))
  expect(found).toEqual([])
})
