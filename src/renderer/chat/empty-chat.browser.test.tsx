import { expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { draftKey, readDraft } from '../state/preferences/draft.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { EmptyChat } from './empty-chat.tsx'

it('offers tasks of the project, which go into the message box to be changed', async () => {
  const { screen } = await renderInWindow(<EmptyChat />, {
    'files.find': async () => ['/src/billing.ts'] as VirtualPath[],
    'files.read': async () => ({ kind: 'text', text: '{"scripts":{"test":"x"}}', size: 1, truncated: false }),
  })
  await screen.getByRole('button', { name: 'Find why npm test fails' }).click()
  expect(readDraft(localStorage, draftKey('project', null))).toContain('Run `npm test`.')
  await expect.element(screen.getByRole('button', { name: 'Explain src/billing.ts' })).toBeVisible()
})
