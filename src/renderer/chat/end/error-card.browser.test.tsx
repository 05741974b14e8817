import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { noUsage } from '#shared/model/models/usage.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import type { RunEnd } from '../../state/store/timeline.ts'
import { ErrorCause } from './error-card.tsx'

/** Mutation: go on before the host is allowed. */
it('lets an external agent reach a host that it was kept from, and goes on', async () => {
  const asked: (readonly [string, unknown])[] = []
  const end = {
    ...{ status: 'failed', reason: 'model_error', message: 'No host.', cause: 'hosts_refused', usage: noUsage },
    refusedHosts: ['models.dev', 'opencode.ai:443'],
  } as unknown as RunEnd
  const thread = { id: 'thread', model: 'agent/opencode', agentType: 'main' } as ThreadState
  await renderInWindow(<ErrorCause thread={thread} end={end} last />, {
    'extensions.allowHosts': (input: unknown) => void asked.push(['allow', input]),
    'threads.continue': (input: unknown) => void asked.push(['continue', input]),
  } as object)
  await expect.element(page.getByRole('button', { name: 'Allow models.dev and continue' })).toBeVisible()
  await page.getByRole('button', { name: 'Allow opencode.ai:443 and continue' }).click()
  await expect
    .poll(() => asked)
    .toEqual([
      ['allow', { name: 'opencode', hosts: ['opencode.ai:443'] }],
      ['continue', { projectId: 'project', threadId: 'thread' }],
    ])
})
