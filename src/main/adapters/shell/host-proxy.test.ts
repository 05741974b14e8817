import { readdirSync, readFileSync } from 'node:fs'
import { SandboxManager } from '@anthropic-ai/sandbox-runtime'
import { expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { systemProgram } from '../system/system-programs.ts'
import { keepProxies, openProxyPass } from './host-proxy.ts'

/** The proxies start only where bubblewrap is, too. */
const hasPrograms =
  process.platform === 'linux' && ['socat', 'bwrap'].every((name) => systemProgram(name).startsWith('/'))

/** Process numbers of the relays that this process started and that still run. */
function relays(): readonly number[] {
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('UNIX-LISTEN:'))
}

/** How a start ends that a signal meets when its relay runs. On a busy machine it may have ended before. */
async function startMetByASignal(): Promise<'opened' | 'cancelled'> {
  await using _holder = keepProxies()
  const opening = openProxyPass([], { kind: 'unknown' }).then(
    (pass) => {
      pass[Symbol.dispose]()
      return 'opened' as const
    },
    () => 'cancelled' as const,
  )
  await eventually(() => expect(relays()).toHaveLength(1), { interval: 1 })
  // This is what the runtime's own handler of a signal does.
  await SandboxManager.reset()
  return await opening
}

// Mutation: leave the relays of a folder alone in `leave`.
it.runIf(hasPrograms)('leaves no relay when a signal ends the app while the proxies start', async () => {
  const ends: string[] = []
  while (!ends.includes('cancelled') && ends.length < 50) {
    ends.push(await startMetByASignal())
    await eventually(() => expect(relays()).toEqual([]))
  }
  expect(ends.at(-1)).toBe('cancelled')
})

it.runIf(hasPrograms)('starts no proxies once the last holder has ended them', async () => {
  const holder = keepProxies()
  using pass = await openProxyPass([], { kind: 'unknown' })
  expect(pass.refused()).toEqual([])
  await holder[Symbol.asyncDispose]()
  await expect(openProxyPass([], { kind: 'unknown' })).rejects.toThrow('closing')
  expect(relays()).toEqual([])
})
