import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { endsNamespaces, inNamespacesOf, systemScript } from './namespaces.ts'
import { afterSteps, canEnter } from './steps.ts'

function run(script: string, milliseconds?: number) {
  const [file = '', ...parameters] = inNamespacesOf({ kind: 'own' }, systemScript(script))
  return spawnSync(file, parameters, { timeout: milliseconds, killSignal: endsNamespaces })
}

const works = canEnter() && run(':').status === 0

describe('namespaces of a command', () => {
  /** Noticed: the waiting process blocks SIGTERM, so a probe that hung made the start of the app hang. */
  it.runIf(works)('end with a program that takes too long', () => {
    expect(run('sleep 30', 200)).toMatchObject({ status: null, signal: 'SIGKILL' })
  })

  /** Starts a command line in the background and ends when it has become the program `$0`. */
  const leave = '"$@" > /dev/null 2>&1 & until pgrep -f "^$0" > /dev/null; do :; done'
  const ways: readonly (readonly [string, (program: readonly string[]) => readonly string[]])[] = [
    ['a program', (program) => afterSteps([['end-with-parent']], program)],
    ['the processes of a namespace', (program) => inNamespacesOf({ kind: 'own' }, program)],
  ]
  // Mutation: with a step `end-with-parent` that does nothing, they go on.
  it.runIf(works).each(ways)('%s ends with whoever started it', async (_, inSteps) => {
    const program = ['sleep', `${600 + process.pid / 1e7}`]
    expect(spawnSync('bash', ['-c', leave, program.join(' '), ...inSteps(program)]).status).toBe(0)
    const isThere = () => spawnSync('pgrep', ['-f', `^${program.join(' ')}`]).status === 0
    await expect.poll(isThere).toBe(false)
  })

  // Mutation: without the flag of the mount, root of the namespace writes.
  it.runIf(works && process.getuid?.() === 0)('a folder that is given to be read cannot be written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'given-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const name of ['from', 'ro', 'rw']) mkdirSync(join(folder, name))
    const given = ['ro', 'rw'].map((name) => ({
      ...{ from: join(folder, 'from'), to: join(folder, name), writable: name === 'rw' },
    }))
    const script = systemScript('cd "$1"; echo yes > rw/file; true > ro/other', [folder])
    const [file = '', ...parameters] = inNamespacesOf({ kind: 'other' }, script, { given })
    expect(spawnSync(file, parameters, { encoding: 'utf8' }).stderr).toContain('Read-only file system')
    expect(readFileSync(join(folder, 'from/file'), 'utf8')).toBe('yes\n')
  })
})
