import { expect, test } from 'vitest'
import type { SetupView } from '#shared/contract/views/setup.ts'
import type { SetupState } from '#shared/model/setup.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { SetupBar } from './setup-bar.tsx'

const proposals = [
  {
    command: 'npm ci',
    inputs: ['package-lock.json'],
    hosts: ['preset:npm'],
    source: '/package-lock.json' as VirtualPath,
  },
  { command: 'make deps', inputs: ['Makefile'], hosts: [], source: '/conductor.json' as VirtualPath },
]
const nothing: SetupView = {
  ...{ state: { kind: 'none' }, definition: null, origin: null, proposals: [], never: false },
  ...{ setupHosts: [], commandHosts: [], presets: { 'preset:npm': ['npm.example.com'] } },
}

/** A window whose host shows one setup after the other, and remembers what the page asked for. */
async function render(first: Partial<SetupView>, then: Partial<SetupView> = {}) {
  sessionStorage.clear()
  const asked: (readonly [string, unknown])[] = []
  let view = { ...nothing, ...first }
  const next = (name: string) => (input: unknown) => {
    asked.push([name, input])
    view = { ...nothing, ...then }
    return view
  }
  const answers = {
    'setup.view': () => view,
    'setup.output': () => ({ text: 'all of it\n' }),
    ...Object.fromEntries(
      ['save', 'decline', 'allowHosts', 'start', 'cancel'].map((name) => [`setup.${name}`, next(name)]),
    ),
  }
  const { screen } = await renderInWindow(<SetupBar />, answers)
  return { screen, asked, button: (name: string) => screen.getByRole('button', { name, exact: true }) }
}

const project = { projectId: 'project' }

test('a proposal says what would run, where it may reach and where it comes from, and runs it when accepted', async () => {
  const { screen, asked, button } = await render({ proposals })
  const card = screen.getByRole('region', { name: 'Set up this project?' })
  await expect.element(card).toHaveTextContent('npm ci from /package-lock.json, may reach npm.example.com')
  expect(asked).toEqual([])
  await button('Set up').click()
  await expect
    .poll(() => asked)
    .toEqual([['save', { ...project, command: 'npm ci', inputs: ['package-lock.json'], hosts: ['preset:npm'] }]])
  await expect.element(card).not.toBeInTheDocument()
})

test('a proposal can be changed, or replaced by another one', async () => {
  const { screen, asked, button } = await render({ proposals })
  await button('Edit').click()
  await screen.getByLabelText('Proposal').selectOptions('make deps')
  await screen.getByLabelText('Setup command').fill('make all')
  await screen.getByLabelText('Hosts it may reach').fill('a.org, preset:go,')
  await button('Save and set up').click()
  await expect
    .poll(() => asked)
    .toEqual([['save', { ...project, command: 'make all', inputs: ['Makefile'], hosts: ['a.org', 'preset:go'] }]])
})

test('a proposal is put away for now, or for ever', async () => {
  const now = await render({ proposals })
  await now.button('Not now').click()
  await expect.element(now.button('Set up')).not.toBeInTheDocument()
  expect(now.asked).toEqual([])
  const ever = await render({ proposals }, { proposals, never: true })
  await ever.button('Never for this project').click()
  await expect.element(ever.button('Set up')).not.toBeInTheDocument()
  expect(ever.asked).toEqual([['decline', project]])
})

test('a setup that runs can be cancelled, and one that failed says why and can be tried again', async () => {
  const failed: SetupState = { kind: 'failed', command: 'npm ci', at: 1, reason: 'It failed.', lines: ['last line'] }
  const running: SetupState = { kind: 'running', command: 'npm ci', startedAt: Date.now(), lines: ['so far'] }
  const { screen, asked, button } = await render({ state: running }, { state: failed })
  await expect.element(screen.getByText(/^Setting up: npm ci/)).toBeInTheDocument()
  await button('Cancel').click()
  await expect.element(screen.getByText(/It failed\.\s+last line/)).toBeInTheDocument()
  await button('Output').click()
  await expect.element(screen.getByText('all of it')).toBeInTheDocument()
  await button('Try again').click()
  await expect.poll(() => asked.map(([name]) => name)).toEqual(['cancel', 'start'])
})

test('hosts that a project proposes are allowed only by the person, and exactly those that were shown', async () => {
  const { screen, asked, button } = await render({ setupHosts: ['a.org'], commandHosts: ['b.org'] })
  await expect.element(screen.getByRole('region', { name: 'This project proposes hosts' })).toHaveTextContent('a.org')
  expect(asked).toEqual([])
  await button('Allow for this project').click()
  await expect.poll(() => asked).toEqual([['allowHosts', { ...project, hosts: ['a.org', 'b.org'] }]])
})
