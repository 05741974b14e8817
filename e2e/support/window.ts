import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  _electron,
  type BrowserContext,
  test as base,
  type ElectronApplication,
  expect,
  type Page,
} from '@playwright/test'
import type { CommandApproval } from '#shared/model/settings.ts'
import { type ModelServer, startModelServer } from '../model-server/model-server.ts'
import type { Scenario } from '../model-server/scenario.ts'
import { environment, root } from './coppice.ts'
import { folderHash } from './folder-hash.ts'
import { padJournal } from './padded-journal.ts'
import { createWarmHosts, type WarmHosts } from './warm-hosts.ts'

export interface Opened {
  readonly page: Page
  /** The desktop app around the page; null in a browser. */
  readonly app: ElectronApplication | null
  /** Kills the process as a crash would, and starts it again with the same data. */
  restart(): Promise<Page>
}

export interface Fixtures {
  /** A copy of the fixture project. A test fails if its hash changes, unless the test calls `mayChange`. */
  readonly project: { readonly folder: string; mayChange(): void }
  readonly model: ModelServer
  readonly dataFolder: string
  /** When commands are approved, written to the settings of the data folder; null for as the mode says. */
  readonly commands: CommandApproval | null
  /** Opens the app. `folder: null` starts at Home; `key: false` starts without a key. */
  readonly open: (options?: {
    readonly folder?: string | null
    readonly key?: boolean
    readonly scenario?: Scenario
  }) => Promise<Opened>
}

interface Web {
  readonly context: BrowserContext
  readonly hosts: WarmHosts
  /** Every host of the worker listens here in turn, because the browser keeps compiled scripts by origin. */
  readonly port: number
}

/** Shared by all tests of one worker; null if the window is the desktop's own. */
interface WorkerFixtures {
  readonly web: Web | null
}

const viewport = { width: 1440, height: 900 }
const fixtureProject = join(root, 'e2e/fixtures/ledger')

export const test = base.extend<Fixtures, WorkerFixtures>({
  // A browser that keeps its profile opens a page with half the work of a browser with a new profile for each test.
  web: [
    async ({ playwright, launchOptions }, use, { project }) => {
      if (project.name === 'desktop') return use(null)
      using hosts = createWarmHosts()
      // Drawing every frame of a spinner in software takes a twentieth of the run. The spec in Firefox has them move.
      const options = { ...launchOptions, viewport, reducedMotion: 'reduce' as const }
      const context = await playwright.chromium.launchPersistentContext('', options)
      await use({ context, hosts, port: await freePort() })
      await context.close()
    },
    { scope: 'worker' },
  ],
  commands: [null, { option: true }],
  dataFolder: async ({ commands }, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-e2e-data-'))
    if (commands !== null) writeFileSync(join(folder, 'settings.json'), JSON.stringify({ approvals: { commands } }))
    await use(folder)
    rmSync(folder, { recursive: true, force: true })
  },
  // biome and Playwright both require the empty pattern. It says that this fixture needs no other.
  project: async ({}, use) => {
    const parent = mkdtempSync(join(tmpdir(), 'coppice-e2e-'))
    const folder = join(parent, 'ledger')
    cpSync(fixtureProject, folder, { recursive: true })
    const before = folderHash(folder)
    let guarded = true
    await use({
      folder,
      mayChange: () => {
        guarded = false
      },
    })
    if (guarded) expect(folderHash(folder), 'the project folder was changed').toBe(before)
    rmSync(parent, { recursive: true, force: true })
  },
  model: async ({}, use) => {
    await using server = await startModelServer(() => ({ text: 'No scenario was given.' }))
    await use(server)
  },
  open: async ({ web, project, model, dataFolder }, use) => {
    const cleanups: (() => Promise<void>)[] = []
    const errors: string[] = []
    const watched = (started: Running): Running => {
      started.page.on('pageerror', (error) => errors.push(error.stack || `${error.name}: ${error.message}`))
      return started
    }
    await use(async ({ folder = project.folder, key = true, scenario } = {}) => {
      if (scenario) model.use(scenario)
      if (folder !== null) padJournal(dataFolder, folder)
      const env = {
        ...(key && { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: model.url }),
        COPPICE_DATA_DIR: dataFolder,
      }
      const start = () => (web ? startWeb(env, folder, web) : startDesktop(env, folder))
      let running = watched(await start())
      cleanups.push(async () => {
        await running.stop('SIGTERM')
        if (web) await forget(web.context)
      })
      return {
        page: running.page,
        app: running.app,
        async restart() {
          await running.stop('SIGKILL')
          running = watched(await start())
          return running.page
        },
      }
    })
    for (const cleanup of cleanups) await cleanup()
    expect(errors, 'the page threw what nobody caught').toEqual([])
  },
})

/**
 * Begins a new thread in the same window, for a case that needs nothing else of its own: opening a window costs as much as
 * half a case. `scenario` is what the model follows from now on.
 */
export async function beginThread(page: Page, model?: ModelServer, scenario?: Scenario): Promise<void> {
  if (scenario) model?.use(scenario)
  await page.getByRole('button', { name: 'New thread' }).first().click()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeEmpty()
}

interface Running {
  readonly page: Page
  readonly app: ElectronApplication | null
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

async function startWeb(
  env: Readonly<Record<string, string>>,
  folder: string | null,
  { context, hosts, port }: Web,
): Promise<Running> {
  const args = ['serve', ...(folder === null ? [] : [folder]), '--port', String(port), '--no-open']
  const [child, page] = await Promise.all([hosts.start(args, env), context.newPage()])
  const url = await urlOf(child)
  await Promise.all(
    context
      .pages()
      .filter(isBlank)
      .map((other) => other !== page && other.close()),
  )
  await page.goto(url)
  return { page, app: null, stop: (signal) => ended(child, signal) }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const isBlank = (page: Page): boolean => page.url() === 'about:blank'

/** Everything a page can store, without the compiled scripts. */
const storageTypes = 'cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage,websql'

/** Leaves only an empty page of a test to the next one. Without any page, the browser would end. */
async function forget(context: BrowserContext): Promise<void> {
  const blank = await context.newPage()
  const session = await context.newCDPSession(blank)
  const pages = context.pages().filter((page) => page !== blank)
  const origins = new Set(pages.filter((page) => !isBlank(page)).map((page) => new URL(page.url()).origin))
  await Promise.all(pages.map((page) => page.close()))
  for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes })
  await context.clearCookies()
  await context.clearPermissions()
  await session.detach()
}

async function startDesktop(env: Readonly<Record<string, string>>, folder: string | null): Promise<Running> {
  const app = await _electron.launch({
    args: [root, ...(folder === null ? [] : [folder]), ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    env: environment({ ...env, ...(process.env.DISPLAY && { DISPLAY: process.env.DISPLAY }) }) as Record<
      string,
      string
    >,
    ...(process.env.COPPICE_BROWSER && { executablePath: process.env.COPPICE_BROWSER }),
  })
  const child = app.process()
  return {
    page: await app.firstWindow(),
    app,
    stop: (signal) => (signal === 'SIGKILL' ? ended(child, signal) : app.close()),
  }
}

/** The address that a started `coppice serve` prints, with its token. */
export function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (text: string) => {
      output += text
      const url = /http:\/\/\S+#token=\S+/.exec(output)?.[0]
      if (url) resolve(url)
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    child.on('exit', (code) => reject(new Error(`coppice serve ended with ${code}: ${output}`)))
  })
}

function ended(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.on('exit', () => resolve())
    child.kill(signal)
  })
}

export { expect }
