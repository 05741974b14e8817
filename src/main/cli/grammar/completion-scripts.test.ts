import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { completionScripts } from './completion-scripts.ts'

/** A `coppice` that answers with what it was asked, so that a shell's words are seen. */
function fakeCoppice(): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-complete-'))
  const script = `shift; printf 'asked-%s\\tabout it\\n' "$(IFS=+; echo "$*")"`
  writeFileSync(join(folder, 'fake.sh'), script)
  writeFileSync(join(folder, 'names.sh'), `coppice() { sh "${join(folder, 'fake.sh')}" "$@"; }\n`)
  return { ...process.env, FAKE: join(folder, 'names.sh'), PATH: `${folder}${delimiter}${process.env.PATH}` }
}

const has = (shell: string): boolean => spawnSync(shell, ['--version'], { stdio: 'ignore' }).status === 0
const run = (shell: string, args: readonly string[], env: NodeJS.ProcessEnv): string =>
  execFileSync(shell, [...args], { env, encoding: 'utf8' })

describe('completions in a real shell', () => {
  it.runIf(has('bash'))('ask coppice for the words of the line: bash', () => {
    const test = `source "$FAKE"; ${completionScripts.bash}
COMP_WORDS=(coppice diff last ""); COMP_CWORD=3; _coppice; echo "\${COMPREPLY[@]}"`
    expect(run('bash', ['--norc', '-c', test], fakeCoppice())).toBe('asked-diff+last+\n')
  })

  it.runIf(has('bash'))('keep a file name with spaces whole: bash', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spaces-'))
    writeFileSync(join(folder, 'my task.md'), '')
    const test = `coppice() { echo :file; }; cd "$FOLDER"; ${completionScripts.bash}
COMP_WORDS=(coppice run --input my); COMP_CWORD=3; _coppice; printf '<%s>' "\${COMPREPLY[@]}"`
    expect(run('bash', ['--norc', '-c', test], { ...process.env, FOLDER: folder })).toBe('<my task.md>')
  })

  it.runIf(has('zsh'))('ask coppice for the words of the line: zsh', () => {
    const test = `source "$FAKE"; compdef() { }; _files() { }
_describe() { shift 3; print -l -- "\${(P@)1}"; }
${completionScripts.zsh}
words=(coppice diff last ""); CURRENT=4; _coppice`
    expect(run('zsh', ['-f', '-c', test], fakeCoppice())).toBe('asked-diff+last+:about it\n')
  })

  it.runIf(has('fish'))('ask coppice for the words of the line: fish', () => {
    const fake = `function coppice; set -e argv[1]; printf 'asked-%s\\tabout it\\n' (string join + -- $argv); end\n`
    const test = `${fake}${completionScripts.fish}complete -C 'coppice diff last '`
    expect(run('fish', ['--no-config', '-c', test], fakeCoppice())).toBe('asked-diff+last+\tabout it\n')
  })

  it('is valid for bash and zsh as they read it', () => {
    for (const shell of ['bash', 'zsh'] as const)
      if (has(shell)) expect(spawnSync(shell, ['-n'], { input: completionScripts[shell] }).status).toBe(0)
  })

  it('registers a completer for PowerShell that passes the typed word last', () => {
    expect(completionScripts.powershell).toContain('Register-ArgumentCompleter -Native -CommandName coppice')
    expect(completionScripts.powershell).toContain('coppice __complete @words "$wordToComplete"')
  })
})
