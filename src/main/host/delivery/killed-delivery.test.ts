import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { isQuick, timeLimit } from '#core/ports/test-size.testkit.ts'
import type { KilledDelivery } from './killed-delivery.testkit.ts'

/** `killed-delivery.testkit.ts` as one file. Every point starts a new process. */
const fixture = join(String(process.env.COPPICE_TEST_CHILDREN), 'killed-delivery.mjs')

const sh = (script: string, cwd: string) =>
  execFileSync('bash', ['-ec', script], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

function newRepository(): string {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-killed-delivery-')))
  vi.stubEnv('HOME', above)
  onTestFinished(() => void vi.unstubAllEnvs())
  const signer = 'cat > /dev/null; echo "[GNUPG:] SIG_CREATED " >&2; echo signature'
  sh(
    `git config --global user.name n; git config --global user.email e@e; printf '#!/bin/sh\n${signer}\n' > gpg; chmod +x gpg; git config --global gpg.program $PWD/gpg
     git init -q --template= -b main folder; cd folder; seq 2000 > a; git add a; git commit -qm 1; echo mine >> a; echo own > b`,
    above,
  )
  return above
}

/** The start of git that makes the commits. */
const firstWrite = 6

/** All but the objects and the branch: also locks that nobody holds. */
const everythingElse = `find . -not -path './.git/objects*' -not -path './.git/refs/heads' -not -path './.git/refs/heads/to' -not -path './.git/logs*' -printf '%p %m %l\\n' | sort
find . -type f -not -path './.git/objects/*' -not -path './.git/refs/heads/to' -not -path './.git/logs/*' -print0 | sort -z | xargs -0 sha256sum`

/** True when it was killed, false when it ended before that. */
async function killed(above: string, task: Pick<KilledDelivery, 'killAt' | 'when' | 'sign'>): Promise<boolean> {
  const places = { rootFolder: join(above, 'folder'), temporaryFolder: join(above, 'temporary') }
  const words = ['--no-warnings', fixture, JSON.stringify({ ...places, ...task } satisfies KilledDelivery)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code, signal] = await once(child, 'exit')
  if (signal === null) expect(code).toBe(0)
  // Git may go on a little.
  await expect.poll(() => workingIn(above)).toEqual([])
  return signal === 'SIGKILL'
}

function workingIn(above: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(above)
    } catch {
      return false
    }
  })
}

// Mutation: without `finishes` the git that moves the branch ends with the app and may leave a lock; a branch that moves before the
// last commit is there has half of the delivery.
it.runIf(process.platform === 'linux').each([[false], [true]])(
  'a delivery that is killed at any start of git leaves its branch whole or absent, and nothing else (signed: %s)',
  async (sign) => {
    const above = newRepository()
    const folder = join(above, 'folder')
    const before = sh(everythingElse, folder)
    const ends = new Set<string>()
    // The starts before only ask.
    for (let killAt = isQuick() ? firstWrite : 1; ; killAt += 1) {
      const found: boolean[] = []
      for (const when of ['before', 'started'] as const) {
        found.push(await killed(above, { killAt, when, sign }))
        expect(sh('git fsck --strict 2>&1 | grep -Ev "^(dangling|notice)" || true', folder)).toBe('')
        expect(sh(everythingElse, folder)).toBe(before)
        ends.add(sh('git log --format=%s main..to 2> /dev/null || true; git update-ref -d refs/heads/to', folder))
      }
      if (found.every((one) => !one)) break
    }
    expect([...ends].sort()).toEqual(['', 'two\none\n'])
    expect(sh('find .git -name "tmp_*" -o -name "*.lock"', folder)).toBe('')
  },
  timeLimit(60_000),
)
