import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Shell, ShellRequest, ViewChange, ViewEntry } from '#core/ports/shell.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createShell } from './shell.ts'

const never = new AbortController().signal
const at = (path: string): VirtualPath => path as VirtualPath
const text = (content: string): Uint8Array => new TextEncoder().encode(content)

let above: string
let root: string
let views: string
let shell: Shell
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-shell-'))
  root = join(above, 'root')
  views = join(above, 'views')
  mkdirSync(root)
  shell = createShell({ rootFolder: root, viewsFolder: views })
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

function put(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content, { mode })
}
const run = (command: string, request: Partial<ShellRequest> = {}, signal = never) =>
  shell.execute({ command, timeoutMs: 20_000, overlay: [], onOutput: () => undefined, ...request }, signal)
const shown = (changes: readonly ViewChange[]) =>
  changes.map((change) => {
    if (change.kind === 'file') return `${change.path} ${change.executable ? 'x' : '-'} ${Buffer.from(change.bytes)}`
    return change.kind === 'symlink' ? `${change.path} -> ${change.target}` : `${change.path} ${change.kind}`
  })

/** A killed process whose parent is gone may wait to be collected; it does nothing any more. */
function isAlive(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
  return stat !== '' && !/\) Z /.test(stat)
}

describe('shell', () => {
  it('does not copy a hidden folder into the view, and everything beside it as it is', async () => {
    for (const path of ['in/.data/key', 'in/.database', 'in/-odd', 'in/.d', 'z/in/.data/kept']) put(path, path)
    put('in/run', '#!/bin/sh\n', 0o755)
    symlinkSync('.data/key', join(root, 'in/link'))
    chmodSync(join(root, 'in'), 0o750)
    shell = createShell({ rootFolder: root, viewsFolder: views, hidden: at('/in/.data') })
    const { output, changes } = await run('find . | sort; stat -c %a in in/run; readlink in/link; touch in/new')
    expect(output.split('\n').slice(0, -1)).toEqual(
      [
        '.',
        './in',
        './in/-odd',
        './in/.d',
        './in/.database',
        './in/link',
        './in/run',
        './z',
        './z/in',
        './z/in/.data',
      ].concat(['./z/in/.data/kept', '750', '755', '.data/key']),
    )
    expect(shown(changes)).toEqual(['/in/new - '])
  })

  it('sees the branch, not the base, and never works in the real folder', async () => {
    put('a', 'base')
    put('gone/x', 'base')
    put('folder/old', 'base')
    put('kept', 'base')
    const overlay: ViewEntry[] = [
      { kind: 'file', path: at('/a'), bytes: text('branch'), executable: false },
      { kind: 'directory', path: at('/folder'), opaque: true },
      { kind: 'file', path: at('/folder/new'), bytes: text('branch'), executable: true },
      { kind: 'absent', path: at('/gone') },
      { kind: 'symlink', path: at('/link'), target: 'a' },
    ]
    const outcome = await run('find . | sort; cat a link kept; test -x folder/new && echo exec; pwd', { overlay })
    expect(outcome.output).toContain('.\n./a\n./folder\n./folder/new\n./kept\n./link\nbranchbranchbase')
    expect(outcome.output).toContain('exec\n')
    expect(outcome.output).not.toContain(root)
    expect(outcome).toMatchObject({ exitCode: 0, signal: null, timedOut: false, changes: [], omittedBytes: 0 })
  })

  it('captures what the command changed and touches nothing else', async () => {
    put('a', 'one')
    put('b', 'two')
    put('same', 'same')
    put('script', '#!')
    put('old/deep/x', '1')
    put('old/y', '2')
    put('becomes-folder', 'f')
    const before = execFileSync('bash', ['-c', 'find . -type f -exec stat -c "%n %s %a %Y %Z" {} + | sort'], {
      cwd: root,
    })
    const outcome = await run(
      `echo ONE > a; rm b; touch same; chmod +x script; rm -r old; mkdir -p new/deep empty; echo n > new/deep/n
       ln -s ../a new/link; ln -s "$PWD/a" absolute; rm becomes-folder; mkdir becomes-folder; echo i > becomes-folder/i`,
    )
    expect(shown(outcome.changes)).toEqual([
      '/a - ONE\n',
      '/absolute -> a',
      '/b absent',
      '/becomes-folder/i - i\n',
      '/empty directory',
      '/new/deep/n - n\n',
      '/new/link -> ../a',
      '/old absent',
      '/script x #!',
    ])
    const after = execFileSync('bash', ['-c', 'find . -type f -exec stat -c "%n %s %a %Y %Z" {} + | sort'], {
      cwd: root,
    })
    expect(after.equals(before)).toBe(true)
    expect(readdirSync(views)).toEqual([])
  })

  it('leaves out .git and ignored files and counts them', async () => {
    put('.gitignore', 'dist/\n*.log\n')
    put('.git/config', '[core]')
    put('dist/old.js', 'old')
    const outcome = await run(
      'echo x > .git/hook; echo new > dist/new.js; rm dist/old.js; echo l > a.log; echo s > src.ts',
    )
    expect(shown(outcome.changes)).toEqual(['/src.ts - s\n'])
    expect(outcome.ignoredChanges).toBe(4)
  })

  it('has a clean environment and a home of its own', async () => {
    process.env.ANTHROPIC_API_KEY = 'canary-key'
    process.env.COPPICE_CANARY = 'canary-value'
    const outcome = await run('env; cd ~ && pwd && ls -A')
    delete process.env.ANTHROPIC_API_KEY
    delete process.env.COPPICE_CANARY
    expect(outcome.output).not.toContain('canary')
    expect(outcome.output).toContain(`HOME=${views}`)
    expect(outcome.output).toContain('TERM=dumb')
  })

  it('streams output as it comes and reports the exit code or the signal', async () => {
    const pieces: string[] = []
    const outcome = await run('echo one; sleep 0.2; echo two >&2; exit 3', { onOutput: (piece) => pieces.push(piece) })
    expect(pieces).toEqual(['one\n', 'two\n'])
    expect(outcome).toMatchObject({ exitCode: 3, output: 'one\ntwo\n' })
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  it('keeps head and tail of a flood, and whole characters', { timeout: 20_000 }, async () => {
    const outcome = await run(`echo first; yes 'äöü' | head -c 20000001; echo; echo last`)
    expect(outcome.output.length).toBeLessThan(1_100_000)
    expect(outcome.output.startsWith('first\n')).toBe(true)
    expect(outcome.output.endsWith('last\n')).toBe(true)
    expect(outcome.omittedBytes).toBeGreaterThan(18_000_000)
    expect(outcome.output.replace(/\ufffd(?=\n)/, '')).not.toContain('\ufffd')
  })

  it('ends a whole group that ignores SIGTERM, at the time limit', async () => {
    const outcome = await run(`trap '' TERM; (trap '' TERM; sleep 30; echo child > c) & echo partial > p; sleep 30`, {
      timeoutMs: 500,
    })
    expect(outcome).toMatchObject({ timedOut: true })
    expect(outcome.durationMs, 'and not after its 30 seconds').toBeLessThan(10_000)
    expect(shown(outcome.changes)).toEqual(['/p - partial\n'])
  })

  it('stops at once, rejects with the reason and leaves no view', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort('stopped'), 300)
    const before = performance.now()
    await expect(run(`trap '' TERM; sleep 30 & wait; sleep 30`, {}, controller.signal)).rejects.toBe('stopped')
    expect(performance.now() - before, 'and not after its 30 seconds').toBeLessThan(10_000)
    expect(readdirSync(views)).toEqual([])
  })

  it('ends what the command left in the background', async () => {
    const outcome = await run(`(sleep 30; echo late) & echo "pid $!"`)
    const pid = Number(/pid (\d+)/.exec(outcome.output)?.[1])
    expect(outcome.durationMs, 'and not after its 30 seconds').toBeLessThan(10_000)
    expect(isAlive(pid)).toBe(false)
  })

  it('takes links as they are, passes special files by, and never writes through a link of the base', async () => {
    mkdirSync(join(above, 'outside'))
    symlinkSync(join(above, 'outside'), join(root, 'out'))
    symlinkSync('nowhere', join(root, 'dangling'))
    execFileSync('mkfifo', [join(root, 'fifo')])
    const overlay: ViewEntry[] = [{ kind: 'file', path: at('/out/new'), bytes: text('x'), executable: false }]
    const plain = await run('ls -l out dangling; test -e fifo || echo no fifo; mkfifo made')
    expect(plain.output).toContain('dangling -> nowhere')
    expect(plain.output).toContain('no fifo')
    expect(plain).toMatchObject({ changes: [], ignoredChanges: 1 })
    await run('cat out/new', { overlay })
    expect(readdirSync(join(above, 'outside'))).toEqual([])
    expect(lstatSync(join(root, 'fifo')).isFIFO()).toBe(true)
  })

  it('leads absolute links into the project to the copy, so that nothing writes through them', async () => {
    put('data/file', 'original')
    symlinkSync(join(root, 'data'), join(root, 'absolute'))
    const outcome = await run('echo changed > absolute/file; mv absolute renamed')
    expect(readFileSync(join(root, 'data/file'), 'utf8')).toBe('original')
    expect(shown(outcome.changes)).toEqual(['/absolute absent', '/data/file - changed\n', '/renamed -> data'])
  })

  it('removes a view whose rights were taken away, and views that a crash left', async () => {
    await run('mkdir locked; echo x > locked/x; chmod 000 locked')
    expect(readdirSync(views)).toEqual([])
    mkdirSync(join(views, 'left/files'), { recursive: true })
    shell = createShell({ rootFolder: root, viewsFolder: views })
    await run('true')
    expect(existsSync(join(views, 'left'))).toBe(false)
  })

  it('works without a project folder, and with a data folder inside the project', async () => {
    shell = createShell({ rootFolder: null, viewsFolder: views })
    expect(shown((await run('echo hi > a')).changes)).toEqual(['/a - hi\n'])
    shell = createShell({ rootFolder: root, viewsFolder: join(root, '.data', 'views') })
    expect(shown((await run('ls > a')).changes)).toEqual(['/a - a\n'])
    expect(shell.sandbox().state).toBe('off')
  })
})
