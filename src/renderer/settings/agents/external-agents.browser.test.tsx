import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { ExternalAgents } from './external-agents.tsx'

const claude = {
  ...{ name: 'claude', title: 'Claude Code', command: 'claude-agent-acp', program: '/usr/bin/claude-agent-acp' },
  ...{ hosts: ['api.anthropic.com'], home: ['~/.claude'], install: 'npm install', isDefined: true },
}

async function render(logins: readonly { text: string; command: string | null }[] | null) {
  const trial = { name: 'Claude Code', version: '2', protocolVersion: 1, logins }
  const window = await renderInWindow(<ExternalAgents onAdded={() => undefined} />, {
    'extensions.knownAgents': () => [claude],
    ...({ 'extensions.tryAgent': () => trial } as object),
  })
  await page.getByRole('button', { name: 'Test Claude Code' }).click()
  return window
}

it('an agent that is not logged in offers the person their own terminal, with its command typed and not run', async () => {
  const { session } = await render([
    { text: 'Use a subscription', command: 'claude-agent-acp --cli auth login' },
    { text: 'Use a key', command: null },
  ])
  await expect.element(page.getByText(/is not logged in. It offers: Use a subscription; Use a key/)).toBeVisible()
  await page.getByRole('button', { name: 'Log in in a terminal' }).click()
  const typed = 'claude-agent-acp --cli auth login'
  expect(session.store.getState().ui).toMatchObject({ route: 'workspace', bottom: true, typed })
})

it('an agent that works offers no login', async () => {
  await render(null)
  await expect.element(page.getByText(/Claude Code 2 works/)).toBeVisible()
  await expect.element(page.getByRole('button', { name: /Log in/ })).not.toBeInTheDocument()
})

it('adds an agent of a registry file with one press, and names what it leaves out', async () => {
  const asked: (readonly [string, unknown])[] = []
  const found = { ...claude, name: 'gemini', title: 'Gemini CLI', command: 'npx -y gemini', home: [], isDefined: false }
  await renderInWindow(<ExternalAgents onAdded={() => void asked.push(['added', null])} />, {
    'extensions.knownAgents': () => [],
    'extensions.readRegistry': () => ({ agents: [found], problems: ['Junie has no program for linux-x86_64.'] }),
    'extensions.addRegistryAgent': (input: unknown) => void asked.push(['add', input]),
  } as object)
  const text = '{"agents":[]}'
  await page
    .getByLabelText('Import from a registry file…')
    .last()
    .upload(new File([text], 'registry.json'))
  await expect.element(page.getByText('Junie has no program for linux-x86_64.')).toBeVisible()
  await page.getByRole('button', { name: 'Add Gemini CLI' }).click()
  await expect
    .poll(() => asked)
    .toEqual([
      ['add', { name: 'gemini', text }],
      ['added', null],
    ])
})
