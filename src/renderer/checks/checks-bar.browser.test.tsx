import { expect, test } from 'vitest'
import type { ChecksView } from '#shared/contract/checks.ts'
import { checkNamed, checksViewOf } from '../parts/checks/checks.testkit.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { ChecksBar } from './checks-bar.tsx'
import { ChecksScreen } from './checks-screen.tsx'

const proposals = [
  { ...checkNamed('test'), run: 'npm test', source: '/package.json' },
  { ...checkNamed('lint'), run: 'npm run lint', source: '/package.json', required: false },
]
const project = { projectId: 'project' }

/** A window whose host shows these checks, and no proposal once a person answered. */
async function render(view: Partial<ChecksView>, element = <ChecksBar />) {
  sessionStorage.clear()
  const asked: unknown[] = []
  const answers = {
    'checks.list': () => checksViewOf([], asked.length === 0 ? view : { proposals: [] }),
    'checks.accept': (input: unknown) => void asked.push(input),
  }
  const { screen } = await renderInWindow(element, answers as object)
  return { screen, asked, button: (name: string) => screen.getByRole('button', { name, exact: true }) }
}

test('the card names the commands and their files, and stores them only when a person takes them', async () => {
  const { screen, asked, button } = await render({ proposals })
  const card = screen.getByRole('region', { name: 'Check this project’s branches?' })
  await expect.element(card).toHaveTextContent('npm test from /package.json')
  expect(asked).toEqual([])
  await button('Use these checks').click()
  const checks = [
    { name: 'test', run: 'npm test', required: true },
    { name: 'lint', run: 'npm run lint', required: false },
  ]
  await expect.poll(() => asked).toEqual([{ ...project, checks }])
  await expect.element(card).not.toBeInTheDocument()
})

test('a command can be changed and a check left out, and an empty command is named at once', async () => {
  const { screen, asked, button } = await render({ proposals })
  await button('Edit checks').click()
  await screen.getByRole('checkbox', { name: 'Use lint' }).click()
  const command = screen.getByRole('textbox', { name: 'Command of test' })
  await command.fill(' ')
  await expect.element(screen.getByRole('alert')).toHaveTextContent('Write the command of test')
  await expect.element(button('Use this check')).toBeDisabled()
  await command.fill('npm test -- --quick ')
  await button('Use this check').click()
  await expect
    .poll(() => asked)
    .toEqual([{ ...project, checks: [{ name: 'test', run: 'npm test -- --quick', required: true }] }])
})

test('the card is put away for now, or for ever', async () => {
  const now = await render({ proposals })
  await now.button('Not now').click()
  await expect.element(now.button('Not now')).not.toBeInTheDocument()
  expect(now.asked).toEqual([])
  await now.screen.unmount()
  const ever = await render({ proposals })
  await ever.button('Never for this project').click()
  await expect.poll(() => ever.asked).toEqual([{ ...project, checks: [] }])
  await expect.element(ever.button('Not now')).not.toBeInTheDocument()
})

test('the settings list each check with its conditions, and what is wrong with others', async () => {
  const checks = [{ ...checkNamed('test'), paths: ['src/**'] }]
  const problems = ['settings.json, line 4: the check "lint" has no command.']
  const { screen } = await render({ checks, problems }, <ChecksScreen />)
  const list = screen.getByRole('list', { name: 'Checks' })
  await expect.element(list).toHaveTextContent('npm run test')
  await expect
    .element(list)
    .toHaveTextContent('required · on branches, before merges · when src/** changed · at most 10 m 00 s')
  await expect.element(screen.getByText(problems[0] ?? '')).toBeInTheDocument()
})
