// `npm run screens`: draws the real app with its demo, and with a project full of work. Saves a contact sheet of every
// screen, in both themes and four widths, to test-results/sheets, and the pictures of the documentation, at twice the
// pixels, to docs/screens. With `--film` it makes only the moving picture of the README. With `--check` it saves nothing
// and fails for each picture that is older than its screen.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, expect as expectAtOnce } from '@playwright/test'
import sharp from 'sharp'
import { settled } from '../e2e/support/settled.ts'
import { findBrowser } from './find-browser.mjs'
import { fullVisit, openFullProject } from './full-project.ts'
import { filmDemo } from './moving-picture.mjs'
import { firstChange, looksDifferent, outlineOf } from './picture-age.ts'
import { serveApp } from './serve-app.ts'
import { root, tool } from './steps.mjs'

const [isFilm, isCheck] = ['--film', '--check'].map((word) => process.argv.includes(word))
const [pictures = join(root, 'docs/screens')] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
/** What each picture's screen said when it was taken. */
const outlinesFile = join(pictures, 'outlines.json')
const outlines = isCheck ? JSON.parse(readFileSync(outlinesFile, 'utf8')) : {}
/** One sentence for each picture that is older than its screen. */
const old = []
/** The demo may take this long on a busy machine. */
const expect = expectAtOnce.configure({ timeout: 60_000 })
const sheets = join(root, 'test-results/sheets')
const usual = { width: 1280, height: 800 }
const sizes = [{ width: 400, height: 800 }, { width: 768, height: 1024 }, usual, { width: 1920, height: 1080 }]
const themes = ['light', 'dark']
/** Pictures that the README and the guide show. */
const documented = new Set([
  'changes-dark',
  'chat-dark',
  'chat-light',
  'comments-light',
  'full-branches-dark',
  'full-chat-light',
  'full-conflict-light',
  'export-light',
  'history-dark',
  'memory-light',
  'rewind-light',
  'settings-file-light',
  'terminal-light',
])

const tab = (page, name) => page.getByRole('tab', { name }).click()
const closeDialog = async (page) => {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** The screens in the order of a first visit. Each entry goes to its screen from the previous one. */
const visit = [
  ['home', (page) => page.getByRole('button', { name: 'Try the demo' }).waitFor()],
  [
    'trust',
    async (page, { project }) => {
      await page.getByRole('button', { name: 'Open folder' }).click()
      await page.getByRole('textbox', { name: 'Folder path' }).fill(project)
      await page.getByRole('button', { name: 'Open this folder' }).click()
      await page.getByRole('button', { name: 'Open without them' }).waitFor()
    },
  ],
  [
    'chat',
    async (page) => {
      await page.getByRole('button', { name: 'Project menu' }).click()
      await page.getByRole('menuitem', { name: 'Home' }).click()
      await page.getByRole('button', { name: 'Try the demo' }).click()
      await page.getByRole('button', { name: 'Send' }).click()
      const card = page.getByRole('group', { name: 'Approval: execute by main' })
      await expect(card.getByRole('button', { name: 'Keep' }), 'a card arms its buttons').toBeEnabled()
    },
  ],
  ['approval-edit', (page) => page.getByRole('button', { name: 'Edit and run again' }).click()],
  [
    'done',
    async (page) => {
      await page.getByRole('button', { name: 'Edit and run again' }).click()
      await page.getByRole('button', { name: 'Keep', exact: true }).click()
      await page.getByRole('button', { name: 'Review changes' }).waitFor()
    },
  ],
  [
    'terminal',
    async (page) => {
      await page.keyboard.press('Control+`')
      await page.getByRole('tab', { name: 'Agent output' }).click()
      await page.getByText('Exit code').first().waitFor()
    },
  ],
  [
    'rewind',
    async (page) => {
      await page.getByRole('region', { name: 'Terminal' }).getByRole('button', { name: 'Hide' }).click()
      await page.getByRole('button', { name: 'Rewind' }).last().click()
      const dialog = page.getByRole('dialog')
      await dialog
        .getByRole('button', { name: /README\.md/ })
        .first()
        .click()
      await dialog.getByRole('button', { name: 'Unified' }).waitFor()
    },
  ],
  [
    'branches',
    async (page) => {
      await closeDialog(page)
      await tab(page, 'Branches')
    },
  ],
  [
    'conflict',
    async (page) => {
      await page.getByRole('tree', { name: 'Branch tree' }).getByRole('treeitem', { name: 'docs', exact: true }).click()
      await page.getByRole('row', { name: '/README.md' }).getByRole('button', { name: 'Merge' }).click()
      await page.getByText('Conflict 1 of').waitFor()
    },
  ],
  ['changes', (page) => tab(page, 'Changes')],
  [
    'comments',
    async (page) => {
      await page.locator('[data-line]').last().click()
      await page.getByRole('textbox', { name: 'Comment' }).fill('Say why in a sentence.')
      await page.getByRole('button', { name: 'Add comment' }).click()
      await page.getByText('Comment added').waitFor({ state: 'hidden' })
    },
  ],
  [
    'file',
    async (page) => {
      await page.getByRole('treeitem', { name: 'README.md' }).click()
      await page.locator('.cm-content').waitFor()
    },
  ],
  [
    'export',
    async (page) => {
      await tab(page, 'Changes')
      await page.getByRole('button', { name: 'Export patch' }).click()
      await page.getByText('diff --git').first().waitFor()
    },
  ],
  [
    'apply',
    async (page) => {
      await closeDialog(page)
      await page.getByRole('button', { name: 'Apply to disk' }).click()
      await page.getByRole('button', { name: /^Apply \d/ }).waitFor()
    },
  ],
  [
    'palette',
    async (page) => {
      await closeDialog(page)
      await page.keyboard.press('ControlOrMeta+K')
      await page.getByRole('dialog').waitFor()
    },
  ],
  [
    'settings',
    async (page) => {
      await closeDialog(page)
      await page.getByRole('button', { name: 'Settings' }).click()
      await page.getByRole('heading', { name: 'Models' }).waitFor()
    },
  ],
  [
    'settings-file',
    async (page) => {
      await page.getByRole('button', { name: 'Show the file' }).click()
      await page.getByRole('textbox', { name: 'settings.json' }).waitFor()
    },
  ],
  [
    'memory',
    async (page) => {
      await page.getByRole('button', { name: 'Memory', exact: true }).click()
      await page.getByRole('button', { name: 'New note' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('conventions/money.md')
      const text = page.getByRole('textbox', { name: 'Text' })
      for (const line of ['Amounts are integers, in cents.\n', 'Rounding: half to even.\n']) {
        await text.fill(`${await text.inputValue()}${line}`)
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByRole('region', { name: 'Versions' }).getByText('Current').waitFor()
      }
      await page.getByRole('button', { name: 'Version 2' }).click()
      await page.getByLabel('Changes of version 2').waitFor()
    },
  ],
  [
    'history',
    async (page) => {
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('button', { name: 'Back' }).click()
      await page.getByRole('button', { name: 'Project menu' }).click()
      await page.getByRole('menuitem', { name: 'History' }).click()
      await page.getByRole('list', { name: 'What was taken away' }).waitFor()
    },
  ],
]

/** The demo, and a project to look at before it. */
async function openDemo(folder) {
  const project = join(folder, 'ledger')
  cpSync(join(root, 'e2e/fixtures/ledger'), project, { recursive: true })
  return { ...(await serveApp(join(folder, 'data'))), project }
}

/** Returns the pictures of each screen of a visit in one theme, in the order of `sizes`. */
async function takePictures(browser, theme, visit, open) {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-screens-'))
  const app = await open(folder)
  const context = await browser.newContext({
    viewport: usual,
    deviceScaleFactor: 2,
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  page.on('console', (message) => {
    if (message.type() === 'error') process.stderr.write(`${theme}: ${message.text()}\n`)
  })
  const taken = new Map()
  try {
    await page.goto(app.url)
    for (const [name, go] of visit) {
      await go(page, app)
      taken.set(name, await takeSizes(page, `${name}-${theme}`))
      process.stdout.write(`${name}-${theme}\n`)
    }
  } finally {
    await context.close()
    await app.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return taken
}

async function takeSizes(page, name) {
  const shots = []
  for (const size of isCheck ? [usual] : sizes) {
    await page.setViewportSize(size)
    await settled(page)
    shots.push(await page.screenshot({ type: 'jpeg', quality: 90, scale: 'css' }))
    if (size === usual && documented.has(name)) await savePicture(page, name)
  }
  await page.setViewportSize(usual)
  await settled(page)
  return shots
}

/** With at most 256 colours, which is a third of the bytes and cannot be told apart here. */
async function savePicture(page, name) {
  const file = join(pictures, `${name}.png`)
  const [bytes, outline] = [await page.screenshot({ scale: 'device' }), await outlineOf(page)]
  if (isCheck) {
    const change = firstChange(outlines[name], outline)
    if (change) old.push(`${name} is older than its screen, which says ${change}`)
    else if (await looksDifferent(file, bytes)) old.push(`${name} looks like another screen`)
    return
  }
  outlines[name] = outline
  await sharp(bytes).png({ palette: true, quality: 90, effort: 8 }).toFile(file)
}

/** One row for each theme, and in it one picture for each width, all of the same height. */
async function saveSheet(page, name, rows) {
  const image = (bytes) => `<img src="data:image/jpeg;base64,${bytes.toString('base64')}">`
  const style = 'body{margin:8px;background:#888;width:max-content}img{height:480px;margin:4px;display:inline-block}'
  const lines = rows.map((shots) => `<div>${shots.map(image).join('')}</div>`)
  await page.setContent(`<style>${style}</style>${lines.join('')}`)
  const path = join(sheets, `${name}.jpg`)
  await page.locator('body').screenshot({ path, type: 'jpeg', quality: 60 })
}

if (tool('electron-vite', ['build', '--logLevel', 'warn']) !== 0) process.exit(1)
const executablePath = findBrowser({ whole: true })
if (!executablePath) process.exit(1)
mkdirSync(sheets, { recursive: true })
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath, args: [...asRoot, '--disable-gpu'] })
if (!isCheck) await filmDemo(browser, join(pictures, 'demo.webp'))
const visits = [
  [visit, openDemo],
  [fullVisit, openFullProject],
]
for (const [screens, open] of isFilm ? [] : visits) {
  const taken = []
  for (const theme of themes) taken.push(await takePictures(browser, theme, screens, open))
  if (isCheck) continue
  const sheet = await browser.newPage({ viewport: { width: 2400, height: 1100 } })
  for (const [name] of screens)
    await saveSheet(
      sheet,
      name,
      taken.map((shots) => shots.get(name)),
    )
  await sheet.close()
}
await browser.close()
if (!isCheck && !isFilm) writeFileSync(outlinesFile, `${JSON.stringify(outlines, null, 2)}\n`)
for (const line of old) process.stderr.write(`${line}\n`)
if (old.length > 0) process.exitCode = 1
