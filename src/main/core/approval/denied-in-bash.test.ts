import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../ports/test-size.testkit.ts'
import { disguisedLines } from './disguised-lines.testkit.ts'
import { matchRules, noRules } from './rules.ts'
import { subjectOf } from './subject.testkit.ts'

/** A folder whose programs are links to harmless ones of the system, and `zap`, which notes that it ran. */
function harmlessPrograms() {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-deny-'))
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  for (const name of [
    'bash',
    'sh',
    'env',
    'nice',
    'nohup',
    'setsid',
    'stdbuf',
    'timeout',
    'xargs',
    'find',
    'cat',
    'flock',
    'awk',
    'sed',
    'tee',
    'git',
    'make',
    'cmake',
  ]) {
    const path = execFileSync('bash', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim()
    if (path !== '') symlinkSync(path, join(programs, name))
  }
  writeFileSync(join(programs, 'zap'), `#!/bin/bash\necho "$NUMBER" >> '${folder}/ran'\n`)
  chmodSync(join(programs, 'zap'), 0o755)
  return { folder, programs }
}

/** A repository with a changed file, and a makefile. */
function prepareWork(work: string): void {
  execFileSync('git', ['init', '-q', work])
  writeFileSync(join(work, 'x'), 'x\n')
  writeFileSync(join(work, 'Makefile'), 'all:\n\t@echo x\n')
  execFileSync('git', ['-C', work, 'add', 'x'])
  writeFileSync(join(work, 'x'), 'x\ny\n')
}

/** The numbers of the lines that ran `zap` in a real bash. */
function linesThatRun(candidates: readonly string[]): ReadonlySet<number> {
  const { folder, programs } = harmlessPrograms()
  try {
    writeFileSync(join(folder, 'ran'), '')
    prepareWork(join(folder, 'work'))
    const script = `
      number=0
      for line in "$@"; do
        NUMBER=$number timeout -s KILL 5 bash --noprofile --norc -c "$line" </dev/null >/dev/null 2>&1
        number=$((number + 1))
      done`
    execFileSync('/bin/bash', ['--norc', '-c', script, 'bash', ...candidates], {
      cwd: join(folder, 'work'),
      env: { PATH: programs, LANG: 'C.UTF-8', HOME: join(folder, 'work') },
      stdio: 'ignore',
    })
    return new Set(readFileSync(join(folder, 'ran'), 'utf8').split('\n').filter(Boolean).map(Number))
  } finally {
    // A line may have left a program in the background that still writes.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

describe.skipIf(process.platform === 'win32')('a denied program', () => {
  /** Notices each way to run a program that the reader of lines leaves out, and a line that is not read to its end. */
  it('never runs in a real bash from a line that would be allowed', () => {
    const { numRuns } = runs(400, 100_000)
    const lines = fc.sample(disguisedLines, { numRuns, seed: 20_261_122 })
    const surprises: string[] = []
    let ran = 0
    for (let at = 0; at < lines.length; at += 250) {
      const batch = lines.slice(at, at + 250)
      for (const number of linesThatRun(batch)) {
        ran += 1
        const command = batch[number] ?? ''
        const rules = { ...noRules, deny: ['Bash(zap *)'], allow: ['Bash'] }
        if (matchRules(rules, subjectOf('execute', { command }))?.effect === 'allow') surprises.push(command)
      }
    }
    expect(surprises).toEqual([])
    expect(ran).toBeGreaterThan(numRuns / 10)
  })
})
