import type { ReactElement } from 'react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { SandboxInfo } from '#shared/contract/views/app.ts'
import type { SetupView } from '#shared/contract/views/setup.ts'
import type { SetupState } from '#shared/model/setup.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { SetupBar } from './setup-bar.tsx'
import { SetupScreen } from './setup-screen.tsx'

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
  ...{ setupHosts: [], commandHosts: [], includedFiles: [] },
  ...{ scripts: { archive: null, variables: {}, leftOut: [] }, accepted: { archive: null, variables: {} } },
  ...{ presets: { 'preset:npm': ['npm.example.com'] } },
}

interface RenderOptions {
  readonly sandbox?: SandboxInfo['state']
  readonly keepsPutAway?: boolean
  readonly element?: ReactElement
}

/** A window whose host shows one setup after the other, and remembers what the page asked for. */
async function render(first: Partial<SetupView>, then: Partial<SetupView> = {}, options: RenderOptions = {}) {
  if (!options.keepsPutAway) sessionStorage.clear()
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
      ['save', 'acceptScripts', 'decline', 'remove', 'allowHosts', 'showFiles', 'start', 'cancel'].map((name) => [
        `setup.${name}`,
        next(name),
      ]),
    ),
  }
  const { screen, session } = await renderInWindow(options.element ?? <SetupBar />, answers)
  session.store.setState({ info: { sandbox: { state: options.sandbox ?? 'on', reason: '' } } as never })
  return { screen, session, asked, button: (name: string) => screen.getByRole('button', { name, exact: true }) }
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
    .toEqual([
      [
        'save',
        {
          ...project,
          command: 'make all',
          inputs: ['Makefile'],
          hosts: ['a.org', 'preset:go'],
          archive: null,
          variables: {},
        },
      ],
    ])
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

test.each([
  ['off', 'Set up without a sandbox', 'It runs unconfined on your machine as you'],
  ['partial', 'Set up with the network open', 'it may reach the network'],
] as const)(
  'says what a setup can reach while the sandbox is %s, and its press names it',
  async (sandbox, name, warning) => {
    const { screen, asked, button } = await render({ proposals: proposals.slice(1) }, {}, { sandbox })
    const card = screen.getByRole('region', { name: 'Set up this project?' })
    await expect.element(card).toHaveTextContent(warning)
    await expect.element(card).not.toHaveTextContent('no network')
    await expect.element(button('Set up')).not.toBeInTheDocument()
    await button(name).click()
    await expect.poll(() => asked.map(([one]) => one)).toEqual(['save'])
  },
)

test('a command of several lines is shown, edited and saved as several lines', async () => {
  const command = 'make a\nmake b'
  const { screen, asked, button } = await render({ proposals: [{ ...proposals[1], command } as never] })
  await expect.element(screen.getByText('make a')).toHaveStyle({ whiteSpace: 'pre-wrap' })
  await button('Edit').click()
  await expect.element(screen.getByLabelText('Setup command')).toHaveValue(command)
  await screen.getByLabelText('Setup command').fill(`${command}\nmake c`)
  await button('Save and set up').click()
  await expect.poll(() => asked.map(([, input]) => input)).toMatchObject([{ command: `${command}\nmake c` }])
})

test('a host that cannot be granted is named at its field, and nothing is saved', async () => {
  const { screen, button } = await render({ proposals })
  await button('Edit').click()
  const hosts = screen.getByLabelText('Hosts it may reach')
  await hosts.fill('a.org, http://bad host')
  await expect.element(screen.getByRole('alert')).toHaveTextContent('"http://bad host" is an address.')
  await expect.element(hosts).toHaveAttribute('aria-invalid', 'true')
  await expect.element(button('Save and set up')).toBeDisabled()
  await hosts.fill('a.org')
  await expect.element(button('Save and set up')).toBeEnabled()
})

test('a setup can be removed, and one that the person never wants can be proposed again', async () => {
  const element = <SetupScreen />
  const definition = { command: 'npm ci', inputs: [], hosts: [] }
  const set = await render({ definition, origin: 'settings' }, { never: true }, { element })
  await set.button('Remove').click()
  await expect.element(set.screen.getByText('You want no setup for this project')).toBeInTheDocument()
  await set.button('Ask again').click()
  await expect
    .poll(() => set.asked)
    .toEqual([
      ['remove', project],
      ['remove', project],
    ])
})

test('hosts that are put away leave the proposal, and each project remembers what was put away', async () => {
  const both = { proposals, commandHosts: ['b.org'] }
  const first = await render(both)
  await first.button('Not now').click()
  await expect.element(first.button('Set up')).toBeInTheDocument()
  await first.button('Not now').click()
  await expect.element(first.button('Not now')).not.toBeInTheDocument()
  await first.screen.unmount()
  const { projectInfo } = first.session.store.getState()
  const other = await render(both, {}, { keepsPutAway: true })
  other.session.store.setState({ projectInfo: { ...projectInfo, id: 'other' } as never })
  await other.button('Not now').click()
  await expect.element(other.button('Set up')).toBeInTheDocument()
  other.session.store.setState({ projectInfo })
  await expect.element(other.button('Not now')).not.toBeInTheDocument()
})

test('a setup that a person cancelled is not said to have failed', async () => {
  const state: SetupState = {
    ...{ kind: 'failed', command: 'npm ci', at: 1, isCancelled: true, reason: 'It was cancelled.', lines: [] },
  }
  const { screen } = await render({ state })
  const bar = screen.getByRole('region', { name: 'Setup of this project' })
  await expect.element(bar).toHaveTextContent('The setup was cancelled. Commands run without it.')
  await expect.element(bar).not.toHaveTextContent('failed')
})

test('files that a project names for working copies are read by agents only after a press', async () => {
  const includedFiles = ['/.env', '/docs/\u202e.env'] as readonly string[] as readonly VirtualPath[]
  const { screen, asked, button } = await render({ includedFiles, proposals })
  const card = screen.getByRole('region', { name: 'This project names files that agents do not see' })
  await expect.element(card).toHaveTextContent('.env, "docs/\\u202e.env": .worktreeinclude names them')
  expect(asked).toEqual([])
  await button('Let agents read them').click()
  await expect.poll(() => asked).toEqual([['showFiles', { ...project, paths: includedFiles }]])
})

const scripts = {
  archive: { command: './down.sh', source: '/conductor.json' as VirtualPath },
  variables: { STAGE: 'dev' },
  leftOut: ['/.devcontainer.json: image'],
}

test('the card names the command after a branch and the variables, and both are accepted with the setup', async () => {
  const { screen, asked, button } = await render({ proposals, scripts })
  const card = screen.getByRole('region', { name: 'Set up this project?' })
  await expect
    .element(card)
    .toHaveTextContent('Once a branch is discarded, or its thread archived or deleted: ./down.sh from /conductor.json')
  await expect.element(card).toHaveTextContent('Variables of all commands: STAGE=dev')
  await expect.element(card).toHaveTextContent('Not used here: /.devcontainer.json: image')
  await button('Set up').click()
  const accepted = { archive: './down.sh', variables: { STAGE: 'dev' } }
  await expect.poll(() => asked).toMatchObject([['save', { command: 'npm ci', ...accepted }]])
})

test('without a setup to decide about they have a card of their own, by keyboard, and can be declined', async () => {
  const { screen, asked, button } = await render({ scripts }, { scripts })
  const card = screen.getByRole('region', { name: 'This project keeps more for other tools' })
  await expect.element(card).toHaveTextContent('./down.sh')
  await button('Never for this project').click()
  await expect.poll(() => asked).toEqual([['acceptScripts', { ...project, archive: null, variables: {} }]])
  const use = screen.getByRole('button', { name: 'Use it in this project' })
  await expect.element(use).toBeEnabled()
  use.element().focus()
  await userEvent.keyboard('{Enter}')
  const accepted = { archive: './down.sh', variables: { STAGE: 'dev' } }
  await expect.poll(() => asked.at(-1)).toEqual(['acceptScripts', { ...project, ...accepted }])
})

test('a variable that cannot be given is named, and nothing is saved', async () => {
  const { screen, asked, button } = await render({ proposals, scripts })
  await button('Edit').click()
  await screen.getByLabelText('Variables of commands').fill('STAGE=dev\nPATH=/x')
  await expect.element(screen.getByRole('alert')).toHaveTextContent('Not a variable that can be given: PATH=/x')
  await expect.element(button('Save and set up')).toBeDisabled()
  await screen.getByLabelText('Variables of commands').fill('STAGE=prod')
  await screen.getByLabelText('Command after a branch').fill('')
  await button('Save and set up').click()
  await expect.poll(() => asked).toMatchObject([['save', { archive: null, variables: { STAGE: 'prod' } }]])
})
