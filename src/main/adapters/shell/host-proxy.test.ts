import { readdirSync, readFileSync } from 'node:fs'
import { SandboxManager } from '@anthropic-ai/sandbox-runtime'
import { expect, it, vi } from 'vitest'
import { systemProgram } from '../system/system-programs.ts'
import { keepProxies, openProxyPass } from './host-proxy.ts'

const hasSocat = process.platform === 'linux' && systemProgram('socat').startsWith('/')

/** Process numbers of the relays that this process started and that still run. */
function relays(): readonly number[] {
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('UNIX-LISTEN:'))
}

it.runIf(hasSocat)('leaves no relay when a signal ends the app while the proxies start', async () => {
  const holder = keepProxies()
  const opening = openProxyPass([], { kind: 'unknown' }).then(
    () => 'opened',
    () => 'cancelled',
  )
  await vi.waitFor(() => expect(relays()).toHaveLength(1), { interval: 1 })
  // This is what the runtime's own handler of a signal does.
  await SandboxManager.reset()
  expect(await opening).toBe('cancelled')
  await holder[Symbol.asyncDispose]()
  await vi.waitFor(() => expect(relays()).toEqual([]))
})

it.runIf(hasSocat)('starts no proxies once the last holder has ended them', async () => {
  const holder = keepProxies()
  using pass = await openProxyPass([], { kind: 'unknown' })
  expect(pass.refused()).toEqual([])
  await holder[Symbol.asyncDispose]()
  await expect(openProxyPass([], { kind: 'unknown' })).rejects.toThrow('closing')
  expect(relays()).toEqual([])
})
