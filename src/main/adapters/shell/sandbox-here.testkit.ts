import type { SandboxState } from '#core/ports/shell.ts'
import { openSandbox } from './open-sandbox.ts'

/** The sandbox of this machine. Says that the tests of `what` are skipped where it is not on. */
export async function sandboxHere(what: string): Promise<SandboxState> {
  await using sandbox = await openSandbox([])
  const { state, reason } = sandbox.state
  if (state !== 'on') console.warn(`SKIPPED: ${what} in the sandbox, which is ${state} here: ${reason}`)
  return sandbox.state
}
