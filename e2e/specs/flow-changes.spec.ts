import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JSHandle, Locator, Page } from '@playwright/test'
import { byTask, type Scenario } from '../model-server/scenario.ts'
import { walkTo } from '../support/walk-to.ts'
import { beginThread, expect, test } from '../support/window.ts'

const numbered = (count: number, word = 'line') => Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`)
const edit = (file_path: string, old_string: string, new_string: string) => ({
  name: 'edit_file',
  input: { file_path, old_string, new_string },
})

async function run(page: Page, task: string, said = 'Done.'): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(task)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText(said, { exact: true })).toBeVisible()
}

const row = (page: Page, path: string) => page.getByRole('row', { name: path, exact: true })
const diffOf = (page: Page, path: string) => page.getByRole('region', { name: `Changes of ${path}` })

/** Makes three changes in one long file, and changes a few small files. */
const reviewed: Scenario = byTask({
  main: [
    { calls: [{ name: 'write_file', input: { file_path: '/src/deep/note.md', content: '# Note\n' } }] },
    { calls: [10, 50, 90].map((line) => edit('/long.txt', `line ${line}\n`, `changed ${line}\n`)) },
    { calls: [edit('/README.md', '# Ledger', '# Accounts')] },
    { text: 'Done.' },
  ],
})

test('G and H. By keyboard alone: undo one change, select, export, apply, take the apply back', async ({
  open,
  project,
}) => {
  project.mayChange()
  writeFileSync(join(project.folder, 'long.txt'), numbered(100).join(''))
  const { page } = await open({ scenario: reviewed })
  await run(page, 'main')
  await walkTo(page, page.getByRole('tab', { name: 'Chat' }), 'Shift+Tab')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await walkTo(page, row(page, '/src/deep/note.md'))
  for (const key of ['End', ' ', 'Home', 'ArrowLeft', 'ArrowRight', 'ArrowDown', 'End']) await page.keyboard.press(key)
  await expect(row(page, '/long.txt')).toBeFocused()
  await expect(row(page, '/long.txt')).toHaveAttribute('aria-selected', 'true')
  const undoFirst = page.getByRole('button', { name: 'Undo change 1 of /long.txt' })
  await expect(undoFirst).toBeVisible()
  await page.keyboard.press('j')
  await walkTo(page, undoFirst)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('group', { name: 'Change 2 of 2' })).toBeVisible()

  const dialog = page.getByRole('dialog')
  await walkTo(page, page.getByRole('button', { name: 'Export patch' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('1 of 3')).toBeVisible()
  await page.keyboard.press('Escape')
  await walkTo(page, page.getByRole('button', { name: 'Apply to disk' }))
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('button', { name: 'Apply 1 file' })).toBeEnabled()
  await walkTo(page, dialog.getByRole('checkbox', { name: 'All files' }))
  await page.keyboard.press(' ')
  await walkTo(page, dialog.getByRole('button', { name: 'Apply 3 files' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('No changes', { exact: true })).toBeVisible()
  await walkTo(page, dialog.getByRole('button', { name: 'Undo apply' }))
  expect(readFileSync(join(project.folder, 'long.txt'), 'utf8')).toContain('line 10\n')
  expect(readFileSync(join(project.folder, 'long.txt'), 'utf8')).toContain('changed 50\n')
  await page.keyboard.press('Enter')
  await expect(row(page, '/long.txt')).toBeVisible()
  expect(readFileSync(join(project.folder, 'long.txt'), 'utf8')).toBe(numbered(100).join(''))
})

test('Changes: a tree of files; one file is undone change by change, some are selected, and the layout is kept', async ({
  open,
  model,
  project,
}) => {
  const { page } = await open()
  await test.step('Changes: a tree of files; one file is undone change by change, and some files are selected', async () => {
    project.mayChange()
    writeFileSync(join(project.folder, 'long.txt'), numbered(100).join(''))
    await beginThread(page, model, reviewed)
    await run(page, 'main')
    await page.getByRole('tab', { name: 'Changes' }).click()
    const tree = page.getByRole('treegrid', { name: 'Changed files' })
    await expect(tree.getByRole('row')).toHaveCount(4)
    await expect(row(page, '/long.txt')).toContainText('Modified · main')

    await row(page, '/src/deep').click()
    await expect(row(page, '/src/deep/note.md')).toHaveCount(0)
    await row(page, '/src/deep').press('ArrowRight')
    await row(page, '/src/deep').press(']')
    await expect(row(page, '/src/deep/note.md')).toBeFocused()
    await page.keyboard.press(']')
    await page.keyboard.press(']')
    await expect(row(page, '/long.txt')).toBeFocused()

    const diff = diffOf(page, '/long.txt')
    await expect(page.getByRole('group', { name: 'Change 1 of 3' })).toBeVisible()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await expect(page.getByRole('group', { name: 'Change 2 of 3' })).toBeFocused()
    await expect(diff).not.toContainText('line 30')
    await diff.getByRole('button', { name: 'Show 33 unchanged lines' }).first().click()
    await expect(diff).toContainText('line 30')
    await page
      .getByRole('group', { name: 'Change 2 of 3' })
      .getByRole('button', { name: /^Undo change 2/ })
      .click()
    await expect(page.getByRole('group', { name: 'Change 2 of 2' })).toBeVisible()
    await expect(diff).not.toContainText('changed 50')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect(page.getByRole('group', { name: 'Change 3 of 3' })).toBeVisible()

    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await expect(page.getByText('3 selected')).toBeVisible()
    await row(page, '/README.md').press(' ')
    await page.getByRole('checkbox', { name: 'Select /long.txt' }).uncheck()
    await expect(page.getByText('1 selected')).toBeVisible()
    await page.getByRole('checkbox', { name: 'Select /long.txt' }).check()
    await expect(page.getByText('2 selected')).toBeVisible()
    await page.getByRole('button', { name: 'Export patch' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText('2 of 3')).toBeVisible()
    await expect(dialog).not.toContainText('+# Accounts')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Apply to disk' }).click()
    await dialog.getByRole('button', { name: 'Apply 2 files' }).click()
    await expect(dialog).toContainText('1 file stays in the workspace')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expect(readFileSync(join(project.folder, 'long.txt'), 'utf8')).toContain('changed 50\n')
    await expect(tree.getByRole('row')).toHaveCount(1)
    await row(page, '/README.md').press(' ')
    await page.getByRole('button', { name: 'Revert selected' }).click()
    await expect(page.getByText('No changes', { exact: true })).toBeVisible()
  })

  await test.step('The chosen layout of a comparison is kept', async () => {
    const scenario = byTask({ main: [{ calls: [edit('/README.md', '# Ledger', '# Accounts')] }, { text: 'Done.' }] })
    await beginThread(page, model, scenario)
    await run(page, 'main')
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page.getByRole('button', { name: 'Split' }).click()
    await page.reload()
    await expect(page.getByRole('button', { name: 'Split' })).toHaveAttribute('aria-pressed', 'true')
    await expect(diffOf(page, '/README.md')).toContainText('# Accounts')
  })
})

test('A file that changes on disk is marked, reported to the agent, compared and taken', async ({
  open,
  project,
  model,
}) => {
  project.mayChange()
  const scenario = byTask({
    main: [
      {
        calls: [
          { name: 'read_file', input: { file_path: '/docs/guide.md' } },
          edit('/README.md', '# Ledger', '# Mine'),
        ],
      },
      { text: 'Done.' },
      { text: 'Told.' },
    ],
  })
  const { page } = await open({ scenario })
  await run(page, 'main')
  await page.getByRole('tab', { name: 'Changes' }).click()
  await expect(row(page, '/README.md')).not.toContainText('Changed on disk')
  const readme = join(project.folder, 'README.md')
  writeFileSync(readme, readFileSync(readme, 'utf8').replace('# Ledger', '# Yours'))
  writeFileSync(join(project.folder, 'docs/guide.md'), 'Other\n')

  await expect(row(page, '/README.md')).toContainText('Changed on disk')
  const files = page.getByRole('tree', { name: 'Project files' })
  await expect(files.getByRole('treeitem', { name: /README\.md/ })).toContainText('Changed on disk')
  await files.getByRole('treeitem', { name: 'docs' }).click()
  await expect(files.getByRole('treeitem', { name: /guide\.md/ })).toContainText('Changed on disk')

  await page.getByRole('button', { name: 'Export patch' }).click()
  await expect(page.getByRole('dialog')).toContainText('1 file has changed on disk since')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Join both' }).click()
  await expect(page.getByText('Incoming (on disk)')).toBeVisible()
  await page.getByRole('button', { name: 'Back to the changes' }).click()
  await page.getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByText('Incoming (on disk)')).toBeVisible()
  const result = page.locator('.cm-content')
  await result.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText('Written by hand')
  await expect(result.locator('.cm-line')).toHaveText(['Written by hand'])
  await page.getByRole('tab', { name: 'Chat' }).click()
  await page.reload()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByRole('button', { name: 'Compare' }).click()
  await expect(result, 'what was typed is a draft').toContainText('Written by hand')
  await page.getByRole('button', { name: 'Incoming', exact: true }).click()
  await page.getByRole('button', { name: 'Keep what I typed' }).click()
  await expect(result).toContainText('Written by hand')
  await page.getByRole('button', { name: 'Incoming', exact: true }).click()
  await page.getByRole('button', { name: 'Replace it' }).click()
  await expect(result).toContainText('# Yours')
  await page.getByRole('button', { name: 'Both', exact: true }).click()
  await page.getByRole('button', { name: 'Save result' }).click()
  await expect(row(page, '/README.md')).not.toContainText('Changed on disk')
  await expect(diffOf(page, '/README.md')).toContainText('# Yours')

  writeFileSync(readme, 'All new\n')
  await page.getByRole('button', { name: 'Take the disk’s version' }).click()
  await expect(page.getByText('No changes', { exact: true })).toBeVisible()
  await page.getByRole('tab', { name: 'Chat' }).click()
  await run(page, 'Go on', 'Told.')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('/docs/guide.md was changed')
})

/** A file of 50,000 lines that was changed in a thousand places, and one in which every line was replaced. */
const huge: Scenario = byTask({
  main: [
    {
      calls: [
        {
          name: 'run_js_code',
          input: {
            code: `const text = await fs.read('/huge.ts')
              await fs.write('/huge.ts', text.replace(/^line (\\d*[05]0)$/gm, 'changed $1'))
              await fs.write('/gone.ts', (await fs.read('/gone.ts')).replaceAll('old', 'new'))`,
          },
        },
      ],
    },
    { text: 'Done.' },
  ],
})

interface LongestTask {
  /**
   * Milliseconds on the clock, from the page's own list of long tasks. On a busy machine this includes other
   * programs.
   */
  readonly clock: number
  /** Milliseconds of the page's own thread. */
  readonly own: number
}

/** Starts the page's own list of long tasks, and checks that the list sees a task made for it. */
async function watchLongTasks(page: Page): Promise<JSHandle<number[]>> {
  const tasks = await page.evaluateHandle(() => {
    const durations: number[] = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) durations.push(duration)
    }).observe({ type: 'longtask' })
    setTimeout(() => {
      const end = performance.now() + 70
      while (performance.now() < end);
    })
    return durations
  })
  await expect.poll(async () => (await tasks.jsonValue()).length, { message: 'a long task is seen' }).toBeGreaterThan(0)
  await tasks.evaluate((durations) => durations.splice(0))
  return tasks
}

/** The longest task of the page during `work`. On the clock it is 0 if no task took 50 ms. */
async function longestTask(page: Page, work: () => Promise<void>): Promise<LongestTask> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The page has no browser that can be traced')
  const tasks = await watchLongTasks(page)
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly TraceEvent[] }
  const pages = new Set(traceEvents.filter(isPageThread).map(threadOf))
  const own = traceEvents.filter((event) => event.name === 'RunTask' && pages.has(threadOf(event)))
  expect(own.length, 'tasks are traced').toBeGreaterThan(100)
  return { clock: Math.max(0, ...(await tasks.jsonValue())), own: Math.max(...own.map(({ tdur = 0 }) => tdur / 1000)) }
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of the thread's own time. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

const isPageThread = ({ name, args }: TraceEvent): boolean => name === 'thread_name' && args.name === 'CrRendererMain'
const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`

/** Scrolls to a part of a file in the list and waits until its rows are there. */
async function scrollTo(diff: Locator, part: number): Promise<void> {
  await diff.evaluate((element, at) => {
    const list = element.closest('[data-review]')
    if (!(element instanceof HTMLElement) || !list) throw new Error('The file is not in a list.')
    list.scrollTo({ top: element.offsetTop + (element.offsetHeight - list.clientHeight) * at })
  }, part)
  const isInTheMiddle = (element: Element): boolean => {
    const { left, top, height } = (element.closest('[data-review]') ?? element).getBoundingClientRect()
    return document.elementFromPoint(left + 120, top + height / 2)?.closest('[data-row-at]') != null
  }
  await expect.poll(() => diff.evaluate(isInTheMiddle), { message: `a row is shown at ${part}` }).toBe(true)
}

/** Milliseconds that this page takes to sort 20,000 lines, at best. A slow machine takes longer for everything. */
function paceOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const times = Array.from({ length: 9 }, () => {
      const from = performance.now()
      Array.from({ length: 20_000 }, (_, index) => `line ${(index * 7_919) % 20_011}`).sort()
      return performance.now() - from
    })
    return Math.min(...times)
  })
}

test('Comparisons of 50,000 lines do not block the page', { tag: '@nightly' }, async ({ open, project }) => {
  test.skip(test.info().project.name !== 'web', 'the browser of the desktop shell is not traced')
  project.mayChange()
  writeFileSync(join(project.folder, 'huge.ts'), numbered(50_000).join(''))
  writeFileSync(join(project.folder, 'gone.ts'), numbered(25_000, 'old').join(''))
  const { page } = await open({ scenario: huge })
  await run(page, 'main')
  await page.getByRole('tab', { name: 'Changes' }).click()
  await row(page, '/gone.ts').waitFor()
  const longest = await longestTask(page, async () => {
    for (const path of ['/huge.ts', '/gone.ts']) {
      await row(page, path).click()
      if (path === '/gone.ts') await expect(diffOf(page, path)).toContainText('Large change: 50,000 lines.')
      // A busy machine may not compare the first one in time either.
      const compute = diffOf(page, path).getByRole('button', { name: 'Compute anyway' })
      await expect(compute.or(diffOf(page, path).getByRole('group').first())).toBeVisible()
      if (await compute.isVisible()) await compute.click()
      for (const layout of ['Unified', 'Split']) {
        const diff = diffOf(page, path)
        await expect(diff.getByRole('group').first()).toBeVisible()
        await page.getByRole('button', { name: layout }).click()
        for (const part of [0.25, 0.5, 0.75, 1, 0]) await scrollTo(diff, part)
      }
    }
  })
  console.info(`longest task: ${longest.clock} ms on the clock, ${longest.own.toFixed(1)} ms of the page's own thread`)
  const limit = Math.max(100, 12 * (await paceOf(page)))
  expect(longest.own, "the longest task, in milliseconds of the page's own thread").toBeLessThan(limit)
})
