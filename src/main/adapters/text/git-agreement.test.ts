import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { runs, testSeed } from '#core/ports/test-size.testkit.ts'
import { anyText } from '#overlay/testkit'
import { mergeTexts } from './merge-texts.ts'
import { splitLines } from './text-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-merge-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Texts = readonly [base: string, ours: string, theirs: string]

const splice = fc.tuple(
  fc.nat(30),
  fc.nat(3),
  fc.array(fc.constantFrom('new\n', 'other\n', '}\n', '\n', 'x\r\n', '<<<<<<< ours\n', '=======\n'), { maxLength: 3 }),
)
const splices = fc.array(splice, { maxLength: 3 })
const ends = fc.tuple(...Array.from({ length: 3 }, () => fc.constantFrom('', '', '', 'end')))

/** Lines as in programs: mostly unique, with many repeated braces and empty lines. */
const program = fc
  .integer({ min: 0, max: 25 })
  .map((size) => Array.from({ length: size }, (_, index) => ['}\n', '\n'][index % 5] ?? `line ${index}\n`))
const repeating = anyText.map(splitLines)

const cases: fc.Arbitrary<Texts> = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: program }, repeating), splices, splices, ends)
  .map(([lines, ours, theirs, [a, b, c]]) => {
    const edited = (all: typeof ours) =>
      all.reduce<readonly string[]>((left, [at, gone, come]) => left.toSpliced(at, gone, ...come), lines)
    return [lines.join('') + a, edited(ours).join('') + b, edited(theirs).join('') + c]
  })

/** The result of `git merge-file`. Null when it leaves conflict markers. */
async function gitMerge(worker: number, texts: Texts): Promise<string | null> {
  const names = ['base', 'ours', 'theirs'].map((name) => join(folder, `${worker}-${name}`))
  for (const [index, name] of names.entries()) writeFileSync(name, texts[index] ?? '')
  const [base = '', ours = '', theirs = ''] = names
  return new Promise((resolve, reject) => {
    execFile('git', ['merge-file', '-p', ours, base, theirs], (error, stdout) => {
      if (!error) resolve(stdout)
      else if (typeof error.code === 'number' && error.code > 0 && error.code < 128) resolve(null)
      else reject(error)
    })
  })
}

it("a merge is the same as git's, or a conflict: it never merges what git leaves to a person", async ({ annotate }) => {
  const seed = testSeed()
  const sampled = fc.sample(cases, { numRuns: runs(2_000, 100_000).numRuns, seed })
  const counts = { same: 0, bothConflict: 0, onlyGitClean: 0 }
  let next = 0
  const work = async (worker: number): Promise<void> => {
    for (let texts = sampled[next++]; texts; texts = sampled[next++]) {
      const merged = mergeTexts(...texts)
      const git = await gitMerge(worker, texts)
      if (merged) expect(git, `seed ${seed}: ${JSON.stringify(texts)}`).toBe(merged.text)
      counts[merged ? 'same' : git === null ? 'bothConflict' : 'onlyGitClean'] += 1
    }
  }
  await Promise.all([1, 2, 3].map(work))
  await annotate(`seed ${seed}, ${sampled.length} merges: ${JSON.stringify(counts)}`)
  expect(counts.same).toBeGreaterThan(sampled.length / 4)
  expect(counts.bothConflict).toBeGreaterThan(sampled.length / 10)
}, 1_200_000)
