import type { ElectronApplication } from '@playwright/test'
import { expect, test } from '../support/window.ts'

// These drive what only Electron has. They run where its binary is installed: npm run e2e:desktop.

/** The desktop app of a test. Fails where the window is a browser's. */
function appOf(app: ElectronApplication | null): ElectronApplication {
  if (!app) throw new Error('This spec needs Electron. Run it with the project "desktop".')
  return app
}

const choose = (app: ElectronApplication, id: string): Promise<void> =>
  app.evaluate(({ Menu }, command) => Menu.getApplicationMenu()?.getMenuItemById(command)?.click(), id)

/** What the page of the first window holds, also after its process was replaced. */
const draftIn = (app: ElectronApplication): Promise<unknown> =>
  app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]
      ?.webContents.executeJavaScript('document.querySelector("textarea")?.value ?? ""')
      .catch(() => ''),
  )

test('The native menu runs the commands of the window', async ({ open }) => {
  const { page, app } = await open()
  await choose(appOf(app), 'about')
  await expect(page.getByRole('heading', { name: 'About', level: 2 })).toBeVisible()
  await page.getByRole('button', { name: 'Back' }).click()
  await choose(appOf(app), 'palette')
  await expect(page.getByRole('dialog', { name: 'Search or run a command' })).toBeVisible()
})

test('A new window opens on Home, and a project that another window shows stays there', async ({ open, project }) => {
  const { app } = await open()
  const arriving = appOf(app).waitForEvent('window')
  await choose(appOf(app), 'newWindow')
  const second = await arriving
  await expect(second.getByRole('button', { name: 'Try the demo' })).toBeVisible()
  await appOf(app).evaluate(({ app: electron }, folder) => {
    electron.emit('second-instance', {}, [], folder, { folder })
  }, project.folder)
  await expect.poll(() => appOf(app).windows().length).toBe(2)
  await expect(second.getByRole('button', { name: 'Try the demo' })).toBeVisible()
})

test('A page whose process ends comes back with what was typed', async ({ open }) => {
  const { page, app } = await open()
  await page.getByRole('textbox', { name: 'Message' }).fill('half a thought')
  await appOf(app).evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
  )
  await expect.poll(() => draftIn(appOf(app))).toBe('half a thought')
})

test('The frame of the window has the theme that a person chose', async ({ open }) => {
  const { page, app } = await open()
  const theme = (): Promise<string> => appOf(app).evaluate(({ nativeTheme }) => nativeTheme.themeSource)
  await expect.poll(theme).toBe('system')
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await expect.poll(theme).toBe('light')
})
