import type { Page } from '@playwright/test'
import { byTask } from '../model-server/scenario.ts'
import { examine } from '../support/axe.ts'
import { type Screen, walk, walkTimeout } from '../support/looks.ts'
import { settled } from '../support/settled.ts'
import { expect, test } from '../support/window.ts'

// These are about calls that ask before they run.
test.use({ commands: 'before' })

const script = byTask({
  main: [
    {
      text: '# Plan\n\nA [link](https://example.com), `code`, and\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x = 1\n```',
      calls: [
        {
          name: 'write_todos',
          input: {
            todos: [
              { content: 'Look', status: 'completed' },
              { content: 'Change', status: 'in_progress' },
            ],
          },
        },
        { name: 'read_file', input: { file_path: '/nothing-there.js' } },
        { name: 'write_file', input: { file_path: '/docs/guide.md', content: '# Guide of the workspace\n' } },
        { name: 'write_file', input: { file_path: '/memories/style.md', content: 'Indent with tabs\n' } },
      ],
    },
    { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'writer', name: 'writer' }] } }] },
    { calls: [{ name: 'write_file', input: { file_path: '/docs/guide.md', content: '# Another guide\n' } }] },
    {
      calls: [
        { name: 'execute', input: { command: 'echo hello' } },
        { name: 'ask_user', input: { question: 'Which?', options: ['This', 'That'] } },
      ],
    },
  ],
  writer: [
    { calls: [{ name: 'write_file', input: { file_path: '/docs/guide.md', content: '# Guide of the writer\n' } }] },
  ],
})

const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click()
const pressEscape = (page: Page) => page.keyboard.press('Escape')

/** The screens of a task and the settings, in the order of a visit. */
const screens: readonly Screen[] = [
  ['home', (page) => page.getByRole('button', { name: 'Try the demo' }).waitFor()],
  ['folder dialog', (page) => page.getByRole('button', { name: 'Open folder' }).click()],
  [
    'trust card',
    async (page, folder) => {
      await page.getByRole('textbox', { name: 'Folder path' }).fill(folder)
      await page.getByRole('button', { name: 'Open this folder' }).click()
      await page.getByRole('button', { name: 'Open without them' }).waitFor()
    },
  ],
  [
    'approvals',
    async (page) => {
      await page.getByRole('button', { name: 'Open without them' }).click()
      await page.getByRole('textbox', { name: 'Message' }).fill('main')
      await page.getByRole('button', { name: 'Send' }).click()
      const question = page.getByRole('group', { name: /Approval: ask_user/ })
      await expect(question.getByRole('button', { name: 'This' }), 'a card arms its buttons').toBeEnabled()
      const command = page.getByRole('group', { name: /Approval: execute/ })
      await expect(command.getByRole('button', { name: 'Approve' })).toBeEnabled()
    },
  ],
  [
    'approval being edited',
    (page) =>
      page
        .getByRole('group', { name: /execute/ })
        .getByRole('button', { name: 'Edit' })
        .click(),
    '[role=tabpanel]',
  ],
  ['opened tool row', (page) => page.getByRole('button', { name: /nothing-there/ }).click(), '[role=tabpanel]'],
  ['mode menu', (page) => page.getByRole('button', { name: /Approval mode/ }).click(), '[role=menu]'],
  [
    'message menu',
    async (page) => {
      await pressEscape(page)
      await page.getByRole('button', { name: 'Actions for “main”' }).click()
    },
    '[role=menu]',
  ],
  [
    'rewind',
    async (page) => {
      await page.getByRole('menuitem', { name: 'Rewind to before this' }).click()
      await page.getByText('would leave the conversation').waitFor()
    },
    '[role=dialog]',
  ],
  [
    'branches',
    async (page) => {
      await pressEscape(page)
      await tab('Branches')(page)
      await page.getByLabel('Branch graph').waitFor()
    },
  ],
  [
    'conflict',
    async (page) => {
      await page.getByRole('row', { name: '/docs/guide.md' }).getByRole('button', { name: 'Merge' }).click()
      await page.getByText('Conflict 1 of 1').waitFor()
    },
  ],
  ['whole files of a conflict', (page) => page.getByText('Whole files').click(), '[role=tabpanel]'],
  [
    'thread menu',
    async (page) => {
      await page
        .getByRole('navigation', { name: 'Threads' })
        .getByRole('button', { name: 'main', exact: true })
        .click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    },
    '[role=menu]',
  ],
  [
    'thread search',
    async (page) => {
      await pressEscape(page)
      await page.getByRole('searchbox', { name: 'Search threads' }).fill('plan')
      await page.locator('mark').first().waitFor()
    },
  ],
  [
    'history',
    async (page) => {
      await page.getByRole('searchbox', { name: 'Search threads' }).fill('')
      await page.getByRole('button', { name: /^Project menu/ }).click()
      await page.getByRole('menuitem', { name: 'History' }).click()
      await page.getByRole('combobox', { name: 'What is listed in the history' }).waitFor()
    },
  ],
  ['changes', tab('Changes')],
  ['changes selected', (page) => page.getByRole('checkbox', { name: 'Select all' }).check(), '[role=tabpanel]'],
  [
    'comments on a change',
    async (page) => {
      await page.getByRole('button', { name: /^Comment on change 1/ }).click()
      await page.getByRole('textbox', { name: 'Comment' }).fill('Why?')
      await page.getByRole('button', { name: 'Add comment' }).click()
      await page.getByRole('button', { name: 'Show comments' }).click()
      await page.getByRole('button', { name: /^Comment on change 1/ }).click()
      await page.getByRole('textbox', { name: 'Comment' }).waitFor()
    },
    '[role=tabpanel]',
  ],
  ['side by side', (page) => page.getByRole('button', { name: 'Split' }).click(), '[role=tabpanel]'],
  [
    'export',
    async (page) => {
      await page.getByRole('button', { name: 'Export patch' }).click()
      await page.getByText('diff --git').first().waitFor()
    },
    '[role=dialog]',
  ],
  [
    'apply',
    async (page) => {
      await pressEscape(page)
      await page.getByRole('button', { name: 'Apply to disk' }).click()
      await page.getByRole('button', { name: /^Apply \d/ }).waitFor()
    },
    '[role=dialog]',
  ],
  [
    'file',
    async (page) => {
      await pressEscape(page)
      await page.getByRole('treeitem', { name: 'check.sh' }).click()
      await page.locator('.cm-content').waitFor()
    },
  ],
  ['terminal', (page) => page.getByRole('button', { name: 'Terminal' }).click()],
  [
    'palette',
    async (page) => {
      await page.getByRole('button', { name: 'Search or run a command' }).click()
      await page.getByRole('dialog').waitFor()
    },
    '[role=dialog]',
  ],
  [
    'keys',
    async (page) => {
      await pressEscape(page)
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
      await page.getByRole('dialog').waitFor()
    },
    '[role=dialog]',
  ],
  [
    'settings',
    async (page) => {
      await pressEscape(page)
      await page.getByRole('button', { name: 'Settings' }).click()
    },
  ],
  [
    'settings: file',
    async (page) => {
      await page.getByRole('button', { name: 'Show the file' }).click()
      await page.getByRole('textbox', { name: 'settings.json' }).waitFor()
    },
  ],
  [
    'settings: new server',
    async (page) => {
      await page.getByRole('button', { name: 'MCP servers' }).click()
      await page.getByRole('button', { name: 'New server' }).click()
    },
  ],
  ...[
    'Permissions',
    'Agents',
    'Usage',
    'Storage',
    'Memory',
    'Appearance',
    'Keyboard',
    'Notifications',
    'Import and export',
    'Doctor',
  ].map((name) => [`settings: ${name}`, (page: Page) => page.getByRole('button', { name }).click()] as const),
  [
    'memory',
    async (page) => {
      await page.getByRole('button', { name: 'Memory', exact: true }).click()
      await page.getByRole('button', { name: 'style.md', exact: true }).click()
      await page.getByRole('button', { name: 'Version 1' }).click()
      await page.getByLabel('Changes of version 1').waitFor()
    },
  ],
  [
    'memory import',
    async (page) => {
      await page.getByRole('button', { name: 'All memories' }).click()
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await page.getByRole('button', { name: 'Use this folder' }).waitFor()
    },
    '[role=dialog]',
  ],
]

/** Screens whose component tests end with axe in both themes. */
const inComponents = new Set([
  'approvals',
  'approval being edited',
  'branches',
  'conflict',
  'whole files of a conflict',
  'thread search',
  'apply',
  'palette',
])

test('axe finds nothing serious on any screen, light or dark', async ({ open, project }) => {
  test.setTimeout(walkTimeout)
  const { page } = await open({ folder: null, scenario: script })
  expect(await walk(page, screens, project.folder, inComponents)).toEqual([])
})

/** Elements that reach beyond the right edge of the page, as HTML. Elements in a scrolling box may do so. */
function sticksOut(): readonly string[] {
  const width = document.documentElement.clientWidth
  const scrolls = (element: Element): boolean =>
    element.parentElement !== null &&
    (/auto|scroll/.test(getComputedStyle(element.parentElement).overflowX) || scrolls(element.parentElement))
  return [...document.querySelectorAll('button, input, textarea, h1, h2, p')]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
    .filter((element) => element.getBoundingClientRect().right > width + 1 && !scrolls(element))
    .map((element) => element.outerHTML.slice(0, 120))
}

test('Everything can be reached at 320 pixels', { tag: '@nightly' }, async ({ open, project }) => {
  test.slow()
  const { page } = await open({ folder: null, scenario: script })
  await page.setViewportSize({ width: 320, height: 640 })
  const found: string[] = []
  const look = async (name: string) => {
    await settled(page)
    const scroll = await page.evaluate(() => document.documentElement.scrollWidth)
    if (scroll > 320) found.push(`${name}: the page is ${scroll} wide`)
    found.push(...(await page.evaluate(sticksOut)).map((html) => `${name}: ${html}`))
  }
  const narrow = new Set([
    'home',
    'folder dialog',
    'trust card',
    'approvals',
    'approval being edited',
    'opened tool row',
  ])
  for (const [name, go] of screens.filter(([each]) => narrow.has(each))) {
    await go(page, project.folder)
    await look(name)
  }
  const card = page.getByRole('group', { name: /execute/ })
  for (const name of ['Approve', 'Edit', 'Reject']) await expect(card.getByRole('button', { name })).toBeVisible()
  await tab('Branches')(page)
  const row = page.getByRole('row', { name: '/docs/guide.md' })
  for (const name of ['Merge', 'Force', 'Discard']) {
    const box = await row.getByRole('button', { name }).boundingBox()
    expect((box?.x ?? 999) + (box?.width ?? 0), name).toBeLessThanOrEqual(320)
  }
  await look('branches')
  await row.getByRole('button', { name: 'Merge' }).click()
  await look('conflict')
  await tab('Changes')(page)
  await look('changes')
  for (const name of ['Export patch', 'Apply to disk']) {
    await page.getByRole('button', { name }).click()
    await look(name)
    await pressEscape(page)
  }
  await page.getByRole('button', { name: 'Inspector' }).click()
  for (const name of ['Todo', 'Agents', 'Approvals']) await expect(page.getByRole('region', { name })).toBeVisible()
  await look('inspector')
  await pressEscape(page)
  await expect(page.getByRole('region', { name: 'Todo' })).toHaveCount(0)
  await page.getByRole('button', { name: /^Project menu/ }).click()
  await page.getByRole('menuitem', { name: 'History' }).click()
  await look('history')
  await page.getByRole('button', { name: 'Threads and files' }).click()
  await look('threads')
  await pressEscape(page)
  await page.getByRole('button', { name: 'Settings' }).click()
  await look('settings')
  await page.getByRole('button', { name: 'Show the file' }).click()
  await look('settings: file')
  for (const name of ['MCP servers', 'Notifications', 'Import and export', 'Doctor']) {
    await page.getByRole('button', { name, exact: true }).click()
    await look(`settings: ${name}`)
  }
  await page.getByRole('button', { name: 'Memory', exact: true }).click()
  await look('memory')
  await page.getByRole('button', { name: 'style.md', exact: true }).click()
  await look('one memory')
  expect(found).toEqual([])
})

test('A page of 1280 pixels zoomed to 200 % does not scroll sideways', { tag: '@nightly' }, async ({
  open,
  project,
}) => {
  const { page } = await open({ folder: null, scenario: script })
  await page.setViewportSize({ width: 640, height: 400 })
  const found: string[] = []
  const look = async (name: string) => {
    const scroll = await page.evaluate(() => document.documentElement.scrollWidth)
    if (scroll > 640) found.push(`${name}: the page is ${scroll} wide`)
    found.push(...(await page.evaluate(sticksOut)).map((html) => `${name}: ${html}`))
  }
  const zoomed = new Set(['home', 'trust card', 'approvals', 'approval being edited'])
  for (const [name, go] of screens.filter(([each]) => zoomed.has(each) || each === 'folder dialog')) {
    await go(page, project.folder)
    await look(name)
  }
  for (const name of ['Branches', 'Changes']) {
    await tab(name)(page)
    await look(name)
  }
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Show the file' }).click()
  await page.getByRole('textbox', { name: 'settings.json' }).waitFor()
  await look('settings')
  expect(found).toEqual([])
})

test('All text stands out in high contrast, set by the system or by the person, light and dark', {
  tag: '@nightly',
}, async ({ open }) => {
  const { page } = await open()
  const enhanced = async () => {
    await settled(page)
    const enhancedContrast = ['color-contrast-enhanced']
    const { violations } = await examine(page, (axe) => axe.withRules(enhancedContrast).exclude('[disabled]'))
    const muted = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement)
      return style.getPropertyValue('--muted') === style.getPropertyValue('--text')
    })
    return { muted, violations: violations.flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 160))) }
  }
  const asExpected = { muted: true, violations: [] }
  const schemes = ['light', 'dark'] as const
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', contrast: 'more' })
    expect(await enhanced(), `set by the system, ${colorScheme}`).toEqual(asExpected)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', contrast: 'no-preference' })
  expect((await enhanced()).muted, 'not set').toBe(false)
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Appearance', exact: true }).click()
  await page.getByRole('radio', { name: 'High' }).check()
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', contrast: 'no-preference' })
    expect(await enhanced(), `set by the person, ${colorScheme}`).toEqual(asExpected)
  }
  await page.reload()
  await page.getByRole('button', { name: 'Settings' }).waitFor()
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', contrast: 'no-preference' })
    expect(await enhanced(), `after a reload, ${colorScheme}`).toEqual(asExpected)
  }
})

test('Nothing moves for a person who asked for less motion', { tag: '@nightly' }, async ({ open }) => {
  const { page } = await open({ scenario: () => ({ text: 'word '.repeat(2000), pauseMs: 30 }) })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.getByRole('textbox', { name: 'Message' }).fill('Talk')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible()
  await expect(page.getByText('word word').first()).toBeVisible()
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ playState }) => playState === 'running')
      .map(({ effect }) => (effect as KeyframeEffect).target?.outerHTML.slice(0, 120)),
  )
  expect(moving).toEqual([])
})
