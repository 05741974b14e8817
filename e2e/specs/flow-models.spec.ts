import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type ApiRequest, taskOf } from '../model-server/scenario.ts'
import { seriousIn, violationsAtNight } from '../support/axe.ts'
import { keyboardOf } from '../support/keyboard.ts'
import { settled } from '../support/settled.ts'
import { expect, test } from '../support/window.ts'

/** Answers a test of a profile, and says which model was asked otherwise. */
function answerAs({ model, messages, tools = [] }: ApiRequest) {
  const isTest = tools.some(({ name }) => name === 'echo')
  if (isTest) return { calls: [{ name: 'echo', input: { text: 'coppice' } }] }
  if (JSON.stringify(messages).includes('Which colour has the square')) return { text: 'The square is red.' }
  return { text: `${model} did: ${taskOf({ model, messages }).slice(0, 40)}` }
}

async function openModels(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  const sections = page.getByRole('navigation', { name: 'Settings' })
  await sections.getByRole('button', { name: 'Models', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Profiles' })).toBeVisible()
}

const profile = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true })
const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })

test('A profile with a typed key is added, tested, and its model chosen for a task', async ({
  open,
  model,
  dataFolder,
}) => {
  const { page } = await open({ scenario: answerAs })
  await openModels(page)
  await page.getByRole('button', { name: 'Add profile' }).click()
  const form = page.getByRole('form', { name: 'New profile' })
  await form.getByLabel('Name of the profile').fill('gate')
  await form.getByRole('textbox', { name: 'Address' }).fill(`${model.url}/`)
  await form.getByLabel('Key', { exact: true }).fill('sk-typed-in-the-window')
  await form.getByRole('button', { name: 'Save profile' }).click()
  await expect(form).toHaveCount(0)
  await expect(profile(page, 'gate')).toContainText(/Not tested.*key for this session/)
  expect(readFileSync(join(dataFolder, 'settings.json'), 'utf8')).not.toContain('sk-typed')

  await page.getByRole('button', { name: 'Test gate' }).click()
  const result = page.getByRole('region', { name: 'Test of gate' })
  await expect(result).toContainText(/answers\./)
  await expect(result).toContainText(/Reply\s*Works/)
  await expect(result).toContainText(/Tools\s*Works/)
  await expect(result).toContainText(/Images\s*Works/)
  await expect(profile(page, 'gate')).toContainText('Works')

  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: /^Model: / }).click()
  await page.getByRole('combobox', { name: 'Search models' }).fill('gate')
  await page.getByRole('group', { name: 'gate' }).getByRole('option').first().click()
  await message(page).fill('Count the files')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText(/did: Count the files/).last()).toBeVisible()

  await page.getByRole('button', { name: /^Model: / }).click()
  await expect(page.getByRole('group', { name: 'Last used' }).getByRole('option')).toHaveCount(1)
})

test('The search over models needs no mouse, in a new thread and in one that goes on', async ({
  open,
  model,
  dataFolder,
}) => {
  const models = { small: { images: false, effort: ['low', 'high'], thinking: 'optional' }, large: {} }
  const gate = { base_url: model.url, auth: { scheme: 'none' }, models }
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ providers: { gate } }))
  const { page } = await open({ scenario: answerAs })
  await expect(message(page)).toBeVisible()
  const keyboard = await keyboardOf(page)
  const button = page.getByRole('button', { name: /^Model: / })
  const search = page.getByRole('combobox', { name: 'Search models' })

  await keyboard.use(button)
  await expect(search).toBeFocused()
  await keyboard.type('gate small')
  await expect(page.getByRole('option')).toHaveCount(2)
  await keyboard.press('Enter')
  await expect(button).toHaveAccessibleName('Model: small')
  await expect(button).toBeFocused()

  const effort = page.getByRole('button', { name: /^Effort: / })
  await keyboard.use(effort)
  const radios = page.getByRole('group', { name: 'Effort' })
  await keyboard.to(radios.getByRole('radio', { name: /^Usual/ }))
  await keyboard.press('ArrowDown', 'ArrowDown')
  await expect(radios.getByRole('radio', { name: /^High/ })).toBeChecked()
  await keyboard.press('Escape')
  await expect(effort).toHaveAccessibleName('Effort: High')

  await keyboard.to(message(page), 'Shift+Tab')
  await keyboard.type('First')
  await keyboard.press('Enter')
  await expect(page.getByText('small did: First').last()).toBeVisible()
  const asked = model.requests.at(-1) as unknown as { readonly output_config?: { readonly effort?: string } }
  expect(asked.output_config?.effort).toBe('high')

  await keyboard.use(button)
  await keyboard.type('large')
  await expect(page.getByText('The conversation goes on as it is.')).toBeVisible()
  await keyboard.press('Enter')
  await expect(button).toHaveAccessibleName('Model: large')
  await expect(effort).toHaveCount(0)
  await keyboard.to(message(page), 'Shift+Tab')
  await keyboard.type('Second')
  await keyboard.press('Enter')
  await expect(page.getByText(/large did:/).last()).toBeVisible()
  await expect(page.getByText('by small')).toBeVisible()
  keyboard.expectNothingPointed()
})

test('The chat says where a model was overloaded and another one took over', async ({ open, model, dataFolder }) => {
  const gate = { base_url: model.url, auth: { scheme: 'none' }, models: { busy: {}, free: {} } }
  writeFileSync(
    join(dataFolder, 'settings.json'),
    JSON.stringify({ providers: { gate }, model: 'gate/busy', fallback: ['gate/free'] }),
  )
  const body = JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Too many requests' } })
  const { page } = await open({
    scenario: (request) =>
      request.model === 'busy'
        ? { fault: { kind: 'status', status: 529, body, headers: { 'retry-after': '0' } } }
        : answerAs(request),
  })
  await message(page).fill('Count')
  await message(page).press('Enter')
  const note = page.getByRole('article', { name: 'Another model answers' })
  await expect(note).toContainText('busy could not answer. free answers until this run ends.', { timeout: 20_000 })
  await expect(page.getByText('free did: Count').last()).toBeVisible()
  await expect(page.getByText('by free')).toBeVisible()
  await note.getByText('Why').click()
  await expect(note).toContainText(/Too many requests|overloaded/i)
})

test('What goes wrong with a profile is said in words, and nothing that was typed is lost', async ({
  open,
  dataFolder,
}) => {
  const proxy = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Sign in</title></html>')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  writeFileSync(
    join(dataFolder, 'settings.json'),
    JSON.stringify({ providers: { lost: { preset: 'no-such-server' } }, fallback: ['gone/m1'] }),
  )
  const { page } = await open({ key: false })
  await openModels(page)
  await expect(page.getByText('The settings file has problems')).toBeVisible()
  await expect(page.getByText(/lost names the preset "no-such-server"/)).toBeVisible()
  await expect(page.getByText('No profile lists this model')).toBeVisible()

  await page.getByRole('button', { name: 'Add profile' }).click()
  const form = page.getByRole('form', { name: 'New profile' })
  await form.getByLabel('Name of the profile').fill('proxy')
  await form.getByRole('textbox', { name: 'Address' }).fill('127.0.0.1:9')
  await form.getByLabel('Key', { exact: true }).fill('sk-kept')
  await form.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(form.getByRole('alert')).toContainText('It begins with http:// or https://')
  await form.getByRole('textbox', { name: 'Address' }).fill(address)
  await form.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(form.getByRole('alert')).toBeVisible()
  await expect(form.getByLabel('Key', { exact: true })).toHaveValue('sk-kept')

  await form.getByRole('radio', { name: /^A command/ }).check()
  await form.getByLabel('Command', { exact: true }).fill('exit 3')
  await form.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(form.getByRole('alert')).toContainText(/command/i)
  await expect(form.getByLabel('Command', { exact: true })).toHaveValue('exit 3')
  proxy.close()

  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await page.getByRole('button', { name: /^Model: / }).click()
  await page.getByRole('combobox', { name: 'Search models' }).fill('gone/m1')
  await page.keyboard.press('Enter')
  await message(page).fill('Go on')
  await message(page).press('Enter')
  await expect(page.getByRole('alert')).toContainText('there is no profile "gone"')
  await expect(message(page)).toHaveValue('Go on')
})

test('Servers on this machine are looked for only when asked, and none is an answer too', async ({ open }) => {
  const { page } = await open()
  await openModels(page)
  // Whoever runs this may have such a server.
  const found = page.getByText(/^(No server answers|Servers) on this machine$/)
  await expect(found).toHaveCount(0)
  await page.getByRole('button', { name: 'Find servers on this machine' }).click()
  await expect(found).toBeVisible()
})

test('axe finds nothing serious in the models of the settings and in the menus of the composer', {
  tag: '@nightly',
}, async ({ open, model, dataFolder }) => {
  const models = { small: { images: false, effort: ['low', 'high'], thinking: 'optional' } }
  const gate = { base_url: model.url, auth: { scheme: 'none' }, models }
  writeFileSync(
    join(dataFolder, 'settings.json'),
    JSON.stringify({
      providers: { gate, open: { preset: 'openrouter' } },
      model: 'gate/small',
      fallback: ['gate/small'],
    }),
  )
  const { page } = await open({ scenario: answerAs })
  await openModels(page)
  await page.getByRole('button', { name: 'Test gate' }).click()
  await expect(page.getByRole('region', { name: 'Test of gate' })).toContainText(/Tools\s*Works/)
  await page.getByRole('button', { name: /^Models of gate/ }).click()
  await page.getByRole('button', { name: 'Edit small' }).click()
  await page.getByRole('button', { name: 'Add profile' }).click()
  await page.getByRole('button', { name: 'Save profile' }).click()
  await expect(page.getByText('Give it a name.')).toBeVisible()
  const problems = await inEveryLook(page)
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: /^Model: / }).click()
  await expect(page.getByRole('listbox', { name: 'Models' })).toBeVisible()
  problems.push(...(await inEveryLook(page)))
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Effort: / }).click()
  await expect(page.getByRole('group', { name: 'Thinking' })).toBeVisible()
  problems.push(...(await inEveryLook(page)))
  expect(problems).toEqual([])
})

/** The findings of axe in both themes, wide and narrow. Leaves the window wide and light. */
async function inEveryLook(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const width of [400, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await settled(page)
      const violations = await violationsAtNight(page)
      found.push(...seriousIn({ violations }).map((line) => `${width} ${colorScheme}: ${line}`))
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  }
  return found
}
