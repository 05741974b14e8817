import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { scopeOf } from '#core/ports/search.contract.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createMirrorPool } from './mirror-pool.ts'
import type { SearchPass } from './narrowed-passes.ts'
import { openSearchRoot } from './search-folder.ts'
import { runPasses } from './search-passes.ts'

const at = (path: string) => path as VirtualPath
const candidates = { files: [at('/a'), at('/large')], folders: [], whole: [at('/own'), at('/other')] }
let above = ''

/** Runs passes whose engine breaks down at each run of which `breaks` says so. Returns the runs that held. */
async function heldRuns(breaks: (pass: SearchPass, run: number) => boolean): Promise<readonly SearchPass[]> {
  above = mkdtempSync(join(tmpdir(), 'coppice-passes-'))
  const root = join(above, 'root')
  for (const folder of ['.git', 'own', 'other']) mkdirSync(join(root, folder), { recursive: true })
  for (const file of ['a', 'large']) writeFileSync(join(root, file), '')
  writeFileSync(join(root, '.gitignore'), '*.log')
  truncateSync(join(root, 'large'), 17 * 1024 * 1024)
  using mirrors = createMirrorPool(join(above, 'mirrors'))
  const signal = new AbortController().signal
  const options = { root: openSearchRoot(root), mirrors, signal, glob: undefined, narrow: async () => candidates }
  const held: SearchPass[] = []
  let runs = 0
  await runPasses({ ...options, keepPossible: async (overlay) => overlay }, scopeOf({}), async (pass) => {
    runs += 1
    if (breaks(pass, runs)) return false
    held.push(pass)
    return true
  })
  return held
}

describe('an engine that breaks down', () => {
  afterEach(() => rmSync(above, { recursive: true, force: true }))

  // Mutation: in `runWhole`, do not leave out large targets; in `searchBase`, begin with all passes again after one broke.
  it('is asked for each part until it holds: every part counts once, and what is missing is said', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 8 }), async (broken) => {
        const held = await heldRuns((_, run) => broken[run - 1] ?? false).catch((error: Error) => error.message)
        rmSync(above, { recursive: true, force: true })
        if (typeof held === 'string') expect(held).toMatch(/needs more memory than it may have\. Narrow it/)
        else {
          const targets = held.flatMap((pass) => pass.targets)
          // The engine has a limit for the size of files that it finds, and none for files that are named.
          const lacks = held.some((pass) => pass.isPartial === true && pass.args.includes('--max-depth'))
          expect(targets.toSorted()).toEqual(['./a', ...(lacks ? [] : ['./large']), './other', './own'])
        }
      }),
      { numRuns: 40, seed: 39 },
    )
  })

  // Mutation: leave `--no-ignore-files` or `translate` out of the second run.
  it('is not given ignore files again, and maps files before it leaves large ones out', async () => {
    const asked: (readonly string[])[] = []
    const error = await heldRuns((pass) => {
      asked.push(pass.args.filter((one) => /^--no-ignore|^--mmap|^--max-f/.test(one)))
      expect(pass.translate('./own/x.log')).toBe(asked.length === 1 ? '/own/x.log' : undefined)
      return true
    }).catch((reason: Error) => reason.message)
    const judged = ['--no-ignore', '--no-ignore-files']
    expect(asked).toEqual([[], judged, [...judged, '--mmap'], [...judged, '--max-filesize']])
    expect(error).toMatch(/read_file with byte_offset reads very long lines/)
  })
})
