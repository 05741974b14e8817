import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { structuredPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitLines } from '../../git-patch/patch-file.ts'
import { repeats, testSeed } from '../../ports/test-size.testkit.ts'
import { testTextMerge } from '../../tree/tree-fixtures.testkit.ts'
import { assemble, composeSegments, hunksOf, variantsOf } from './segments.ts'

const end = fc.constantFrom('\n', '\n', '\n', '\r\n')
const change = fc.record({
  at: fc.nat(40),
  removes: fc.nat(3),
  adds: fc.array(fc.constantFrom('new', 'other', 'é'), { maxLength: 3 }),
})
const scenario = fc.record({
  ends: fc.array(end, { minLength: 1, maxLength: 40 }),
  isOpen: fc.boolean(),
  versions: fc.array(fc.array(change, { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
  picks: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
})

/** Every line differs, so that each hunk has one place only. */
function baseOf(ends: readonly string[], isOpen: boolean): string {
  const text = ends.map((one, index) => `line ${index}${one}`).join('')
  return isOpen ? text.replace(/\r?\n$/, '') : text
}

function changed(base: string, changes: readonly { at: number; removes: number; adds: readonly string[] }[]): string {
  const lines = splitLines(base)
  for (const [index, { at, removes, adds }] of changes.entries())
    lines.splice(at % (lines.length + 1), removes, ...adds.map((word) => `${word} ${index}\n`))
  const last = lines.length - 1
  return lines.map((line, index) => (index < last && !line.endsWith('\n') ? `${line}\n` : line)).join('')
}

/** What git gets: of each picked version its own lines at the place of the hunk, with context from the base. */
function patchOf(
  name: string,
  base: string,
  picked: readonly { start: number; end: number; version: string | null }[],
) {
  const lines = splitLines(base)
  let moved = 0
  const hunks = picked.flatMap(({ start, end, version }) => {
    if (version === null) return []
    const own = structuredPatch('', '', base, version, '', '', { context: 0 }).hunks.filter(
      ({ oldStart, oldLines }) => {
        const from = oldStart - 1
        return from >= start && from + oldLines <= end
      },
    )
    const fresh = splitLines(version)
    const body = [...lines.slice(start, end)]
    for (const { oldStart, oldLines, newStart, newLines } of own.toReversed())
      body.splice(oldStart - 1 - start, oldLines, ...fresh.slice(newStart - 1, newStart - 1 + newLines))
    const [before, after] = [lines.slice(Math.max(0, start - 2), start), lines.slice(end, end + 2)]
    const context = before.length + after.length
    const oldCount = end - start + context
    const newCount = body.length + context
    const first = start - before.length
    const header = `@@ -${oldCount === 0 ? 0 : first + 1},${oldCount} +${newCount === 0 ? 0 : first + moved + 1},${newCount} @@\n`
    moved += newCount - oldCount
    const written = [
      ...before.map((line) => ` ${line}`),
      ...lines.slice(start, end).map((line) => `-${line}`),
      ...body.map((line) => `+${line}`),
      ...after.map((line) => ` ${line}`),
    ]
    return [header, ...written.map((line) => (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`))]
  })
  return hunks.length === 0 ? '' : `--- a/${name}\n+++ b/${name}\n${hunks.join('')}`
}

describe('chosen hunks', () => {
  it('are what git apply makes of them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'compose-'))
    const cases = fc.sample(scenario, { numRuns: repeats(2_000, 40_000), seed: testSeed() })
    const patches: string[] = []
    const expected = new Map<string, string>()
    for (const [index, { ends, isOpen, versions, picks }] of cases.entries()) {
      const base = baseOf(ends, isOpen)
      const texts = versions.map((changes, source) => ({ source, text: changed(base, changes) }))
      const segments = await composeSegments(base, texts, testTextMerge)
      const chosen = hunksOf(segments).map((hunk, place) => {
        const choices = [[], ...variantsOf(hunk).map(({ sources }) => sources.slice(0, 1))]
        return { from: choices[(picks[place] ?? 0) % choices.length] ?? [] }
      })
      const runs = assemble(segments, chosen)
      if (runs === null) throw new Error('One source alone cannot overlap.')
      let [line, hunk] = [0, 0]
      const picked = segments.flatMap((segment) => {
        const start = line
        line += segment.kind === 'same' ? splitLines(segment.text).length : segment.base.length
        if (segment.kind === 'same') return []
        const source = chosen[hunk++]?.from[0]
        const version = source === undefined ? null : (texts[source]?.text ?? null)
        return [{ start, end: line, version }]
      })
      const name = `${index}.txt`
      writeFileSync(join(folder, name), base)
      patches.push(patchOf(name, base, picked))
      expected.set(name, runs.map(({ text }) => text).join(''))
    }
    writeFileSync(join(folder, 'all.patch'), patches.join(''))
    execFileSync('git', ['apply', '--whitespace=nowarn', 'all.patch'], { cwd: folder })
    for (const [name, text] of expected) {
      const isGone = text === ''
      const found = isGone ? '' : readFileSync(join(folder, name), 'utf8')
      expect(found, name).toBe(text)
    }
    expect(patches.filter((patch) => patch !== '').length).toBeGreaterThan(cases.length / 3)
  })
})
