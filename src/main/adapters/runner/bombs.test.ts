import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { defaultRunnerLimits, type RunOutcome, type RunRequest } from '#core/ports/code-runner.ts'
import { testSize } from '#core/ports/test-size.testkit.ts'
import { asMount } from './as-mount.testkit.ts'
import { type Bomb, bombs } from './bombs.testkit.ts'
import { createCodeRunner } from './code-runner.ts'

/** The child as one bundled file, as in the built app. It starts much faster than the sources. */
const childPath = join(String(process.env.COPPICE_TEST_CHILDREN), 'runner-child.mjs')
const runner = createCodeRunner({ nodePath: process.execPath, childPath })
afterAll(() => runner[Symbol.dispose]())

const files = {
  read: async () => Promise.reject(new Error('There is no such file.')),
  write: async () => undefined,
  list: async () => [],
  exists: async () => false,
  delete: async () => undefined,
}
const folder = mkdtempSync(join(tmpdir(), 'coppice-bombs-'))
symlinkSync('/etc/passwd', join(folder, 'out'))
writeFileSync(join(folder, 'a.txt'), 'text')

async function run({ language, code }: Pick<Bomb, 'language' | 'code'>, timeoutMs: number): Promise<RunOutcome> {
  const limits = { ...defaultRunnerLimits, timeoutMs, bridgeCalls: 2000 }
  const request: RunRequest =
    language === 'python'
      ? { language, code, mount: asMount(folder), limits }
      : { language, code, files, limits, declares: true }
  return (await runner.run(request, AbortSignal.timeout(120_000))).outcome
}

async function expectNextRuns(language: Bomb['language']): Promise<void> {
  expect(await run({ language, code: '1 + 1' }, 30_000)).toMatchObject({ ok: true, value: 2 })
}

describe('code runner against hostile code', () => {
  it('is tested with at least forty attacks', () => expect(bombs.length).toBeGreaterThanOrEqual(40))

  it.each(bombs)('survives $language: $name', async (bomb) => {
    // Long enough to meet another limit first on a slow machine, unless the time limit may end the bomb.
    const timeoutMs = /time limit|^\.$|^limit/.test(bomb.error.source) ? 400 : 30_000
    for (let round = 0; round < testSize(1, 25); round += 1) {
      const outcome = await run(bomb, timeoutMs)
      if (outcome.ok) expect([false, null, '…']).toContain(typeof outcome.value === 'object' ? null : outcome.value)
      else expect(outcome.error).toMatch(bomb.error)
      expect(JSON.stringify(outcome).length).toBeLessThan(600_000)
      if (testSize(1, 25) > 1) await expectNextRuns(bomb.language)
    }
  })

  it.each(['javascript', 'python'] as const)('runs the next %s after all of them', expectNextRuns)

  it('ends every child', async () => {
    const outcome = await run({ language: 'javascript', code: 'for (;;) {}' }, 500)
    // Another process's timer may fire a millisecond early.
    expect(outcome.duration_ms, 'does not end early').toBeGreaterThan(480)
  })
})
