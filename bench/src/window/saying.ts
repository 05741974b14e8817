import type { Page } from '@playwright/test'
import type { StreamServer } from './stream-server.ts'
import { textOf } from './token-stream.ts'

const tokensPerSecond = 5_000
let said = 0

/**
 * Makes the agent of the open thread write `length` characters. The returned function waits until the page shows all
 * of them.
 */
export async function say(page: Page, server: StreamServer, length: number): Promise<() => Promise<void>> {
  said += 1
  const end = `End of speech ${said}.`
  server.answer(() => ({ text: `${textOf('mixed', length)}\n\n${end}`, perSecond: tokensPerSecond }))
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('Say much')
  await message.press('Enter')
  return () => page.getByText(end).first().waitFor({ state: 'attached', timeout: 300_000 })
}
