import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const script = join(import.meta.dirname, 'check-waits.mjs')

/** Runs the check over a project with one file. */
function checkOf(file: string, text: string) {
  const root = mkdtempSync(join(tmpdir(), 'coppice-waits-'))
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
  return spawnSync(process.execPath, [script, root], { encoding: 'utf8' })
}

describe('the check of waits', () => {
  it.each([
    ['e2e/specs/a.spec.ts', `await page.${'waitForTimeout'}(500)`],
    ['bench/src/a.ts', `await page.${'waitForTimeout'}(500)`],
    ['src/a.test.ts', `await new ${'Promise'}((resolve) => setTimeout(resolve, 700))`],
    ['integration/a.test.ts', `await ${'delay'}(50)`],
    ['src/a.test.ts', `expect(performance.now() - ${'started'}).toBeLessThan(5_000)`],
    ['src/a.test.ts', `await vi.${'waitFor'}(() => expect(seen).toEqual([]))`],
    ['src/a.test.ts', `await expect.${'poll'}(ready, { timeout: 10_000 }).toBe(true)`],
    ['e2e/specs/a.spec.ts', `expect(Date.now() - (${'asked'} ?? 0), 'soon').toBeLessThan(10_000)`],
  ])('refuses in %s: %s', (file, line) => {
    const { status, stderr } = checkOf(file, `\n  ${line}\n`)
    expect([status, stderr.split('\n')[0]]).toEqual([1, `${file}:2: ${line}`])
  })

  it.each([
    ['e2e/specs/a.spec.ts', `await expect(page.getByText('Done')).toBeVisible()`],
    ['src/a.ts', `await new ${'Promise'}((resolve) => setTimeout(resolve, 700))`],
    ['src/a.test.ts', `const timer = setTimeout(stop, 700)`],
  ])('allows in %s: %s', (file, line) => {
    expect(checkOf(file, line)).toMatchObject({ status: 0, stdout: 'Waits: 1 files, 0 fixed waits\n' })
  })

  it('fails when nothing is checked', () => {
    expect(checkOf('elsewhere/a.ts', '')).toMatchObject({ status: 1, stderr: 'No file was checked.\n' })
  })
})
