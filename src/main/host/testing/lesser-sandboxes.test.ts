import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'
import { systemProgram } from '#adapters/system/system-programs.ts'
import { openCommandsWorld } from './commands-world.testkit.ts'

/**
 * Machines on which the sandbox is partial or off, played by programs in the place of bubblewrap. What it is worth is what was seen,
 * and the words for a person name the true cause.
 */

const { state } = await sandboxHere('machines with a lesser sandbox')
const real = systemProgram('bwrap')
const refuses = 'bwrap: setting up uid map: Permission denied'
const machines = {
  'the network cannot be cut off': [
    `words=(); for word; do [ "$word" = --unshare-net ] || words+=("$word"); done; exec ${real} "\${words[@]}"`,
    'partial',
    'bubblewrap keeps files apart, but this system does not let it cut off the network. Every command asks.',
  ],
  'its network is refused': [
    `for word; do [ "$word" != --unshare-net ] || exit 1; done; exec ${real} "$@"`,
    'partial',
    'bubblewrap keeps files apart, but this system does not let it cut off the network. Every command asks.',
  ],
  'it makes no namespaces': [
    `if [ "$*" = --version ]; then echo 1; else echo '${refuses}' >&2; exit 1; fi`,
    'off',
    `bubblewrap cannot make namespaces here: ${refuses} (user namespaces`,
  ],
  'it does not run': [
    "printf 'no lib\\033[1m.so\\n' >&2; exit 127",
    'off',
    'is installed (FOLDER/bwrap), but does not run here: no lib\\u{001b}[1m.so. Every',
  ],
  'it says nothing': ['exit 1', 'off', 'is installed (FOLDER/bwrap), but does not run here. Every'],
  'it is not there': [
    null,
    'off',
    'bubblewrap is not installed (on Debian: apt install bubblewrap socat). Every command asks.',
  ],
} as const

const folder = mkdtempSync(join(tmpdir(), 'coppice-lesser-'))
const served: string[] = []
const server = createServer((request, response) => {
  served.push(request.url ?? '')
  response.end('reached')
})
beforeAll(async () => void (await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))))
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})
const port = () => (server.address() as AddressInfo).port

describe.runIf(state === 'on')('where', () => {
  // Mutation: let `probeSandbox` not look at the network, call all of it not installed, or leave out `words`.
  it.each(Object.entries(machines))(
    '%s, the sandbox says so, and believes nothing that it did not see',
    async (_, [script, kind, reason]) => {
      const bubblewrap = join(folder, 'bwrap')
      rmSync(bubblewrap, { force: true })
      if (script !== null) {
        writeFileSync(bubblewrap, `#!/bin/bash\n${script}\n`)
        chmodSync(bubblewrap, 0o755)
      }
      await using world = await openCommandsWorld({ sandbox: await openSandbox([], { bubblewrap }) })
      expect(world.shell.sandbox()).toEqual({
        state: kind,
        reason: expect.stringContaining(reason.replace('FOLDER', folder)),
      })
      expect(await world.sandbox.holdNetwork()).toBe(null)
      const { changes } = await world.run(`echo two > src/a.txt; touch ${world.place('outside')}`)
      expect(changes.map(({ path }) => path)).toEqual(['/src/a.txt'])
      expect(existsSync(world.place('outside'))).toBe(kind === 'off')
    },
  )

  // Mutation: grant hosts only where the sandbox is on.
  it.runIf(process.getuid?.() === 0)(
    'commands are root because nobody else is to be had, they reach the hosts that were granted and no other',
    async () => {
      const findUser = async () => ({ kind: 'root', why: 'asked for' }) as const
      await using world = await openCommandsWorld({
        sandbox: await openSandbox([], { findUser }),
        mounts: { findUser },
      })
      expect(world.shell.sandbox()).toMatchObject({ state: 'partial', reason: expect.stringContaining('runs as root') })
      const ask = `NO_PROXY= no_proxy= curl -s -m 10 http://localhost:${port()}/`
      await world.run(`${ask}granted`, { hosts: [`localhost:${port()}`] })
      await world.run(`${ask}other`, { hosts: ['example.com'] })
      await world.run(`${ask}none`)
      expect(served).toEqual(['/granted'])
    },
  )
})
