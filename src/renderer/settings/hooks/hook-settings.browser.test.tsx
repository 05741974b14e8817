import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { HookListView, HookView } from '#shared/contract/views/hooks.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { HookSettings } from './hook-settings.tsx'

const own: HookView = {
  ...{ hash: 'a', event: 'PreToolUse', matcher: 'Bash', condition: 'Bash(git *)', command: '~/bin/guard' },
  ...{ source: 'home', file: '/home/me/.claude/settings.json', where: 'machine', state: 'on' },
  ...{ problem: null, timeoutMs: 60_000, inBackground: false, once: false },
}
const ofProject: HookView = {
  ...own,
  ...{ hash: 'b', event: 'PostToolUse', matcher: 'Edit|Write', condition: null, command: 'sh format.sh' },
  ...{ source: 'project', file: '/.claude/settings.json', where: 'sandbox', state: 'waits' },
}

async function show(list: HookListView, commands: object = {}): Promise<void> {
  await renderInWindow(<HookSettings text="" />, { 'hooks.list': () => list, ...commands })
}

it('says what each hook runs and where, and approves one of the project by keyboard', async () => {
  const approved: unknown[] = []
  await show(
    { hooks: [own, ofProject], problems: [] },
    {
      'hooks.approve': (input: unknown) => {
        approved.push(input)
        return { hooks: [], problems: [] }
      },
    },
  )
  const mine = page.getByRole('listitem', { name: 'PreToolUse: ~/bin/guard' })
  await expect.element(mine).toHaveTextContent('Runs on this machine')
  await expect.element(mine).toHaveTextContent('Bash, if Bash(git *)')
  const theirs = page.getByRole('listitem', { name: 'PostToolUse: sh format.sh' })
  await expect.element(theirs).toHaveTextContent('Waits for you')
  const approve = page.getByRole('button', { name: 'Approve: PostToolUse: sh format.sh' })
  await expect.element(approve).toBeVisible()
  approve.element().focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => approved).toMatchObject([{ hash: 'b', approved: true }])
})

it('names what is not used, and what went wrong', async () => {
  await show({
    hooks: [{ ...own, state: 'off', problem: 'It ended with exit code 1.' }],
    problems: ['settings.json: hooks.Odd: Coppice asks no hooks at this moment.'],
  })
  await expect.element(page.getByText('Some hooks are not used')).toBeVisible()
  await expect.element(page.getByText('Last time: It ended with exit code 1.')).toBeVisible()
  await expect.element(page.getByRole('button', { name: /^Switch on/ })).toBeVisible()
})

it('says where hooks are written when there are none', async () => {
  await show({ hooks: [], problems: [] })
  await expect.element(page.getByText('No hooks are defined')).toBeVisible()
})
