import type { ChildProcess } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { type ModelServer, startModelServer } from '../model-server/model-server.ts'
import type { Scenario } from '../model-server/scenario.ts'
import { environment, root, startCoppice } from './coppice.ts'
import { folderHash } from './folder-hash.ts'

export interface Opened {
  readonly page: Page
  /** Kills the process as a crash would, and starts it again on the same data. */
  restart(): Promise<Page>
}

export interface Fixtures {
  /** A copy of the fixture project; its hash is the same before and after unless a test says `mayChange`. */
  readonly project: { readonly folder: string; mayChange(): void }
  readonly model: ModelServer
  readonly dataFolder: string
  /** Opens the app; `folder: null` starts at Home, `key: false` without a key. */
  readonly open: (options?: {
    readonly folder?: string | null
    readonly key?: boolean
    readonly scenario?: Scenario
  }) => Promise<Opened>
}

const fixtureProject = join(root, 'e2e/fixtures/ledger')

export const test = base.extend<Fixtures>({
  // biome and Playwright both want the empty pattern: it names the fixtures this one needs, none.
  dataFolder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-e2e-data-'))
    await use(folder)
    rmSync(folder, { recursive: true, force: true })
  },
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
  open: async ({ browser, project, model, dataFolder }, use, testInfo) => {
    const cleanups: (() => Promise<void>)[] = []
    await use(async ({ folder = project.folder, key = true, scenario } = {}) => {
      if (scenario) model.use(scenario)
      const env = {
        ...(key && { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: model.url }),
        COPPICE_DATA_DIR: dataFolder,
      }
      const start = testInfo.project.name === 'desktop' ? startDesktop : startWeb
      const context =
        testInfo.project.name === 'desktop'
          ? undefined
          : await browser.newContext({ viewport: { width: 1440, height: 900 } })
      let running = await start(env, folder, context)
      cleanups.push(async () => {
        await running.stop('SIGTERM')
        await context?.close()
      })
      return {
        page: running.page,
        async restart() {
          await running.stop('SIGKILL')
          running = await start(env, folder, context)
          return running.page
        },
      }
    })
    for (const cleanup of cleanups) await cleanup()
  },
})

interface Running {
  readonly page: Page
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

async function startWeb(
  env: Readonly<Record<string, string>>,
  folder: string | null,
  context?: BrowserContext,
): Promise<Running> {
  const child = startCoppice(['serve', ...(folder === null ? [] : [folder]), '--port', '0', '--no-open'], env)
  const url = await urlOf(child)
  if (!context) throw new Error('The web shell needs a browser')
  const page = await context.newPage()
  await page.goto(url)
  return { page, stop: (signal) => ended(child, signal) }
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
    stop: (signal) => (signal === 'SIGKILL' ? ended(child, signal) : app.close()),
  }
}

function urlOf(child: ChildProcess): Promise<string> {
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
