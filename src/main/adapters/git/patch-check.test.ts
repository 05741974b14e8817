import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPatchCheck } from './patch-check.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-git-'))
const { check } = createPatchCheck(folder)
const encode = (text: string) => new TextEncoder().encode(text)
const base = [{ path: 'a b/file.txt', bytes: encode('one\ntwo\n'), mode: '100644' as const }]
const patch = (removed: string) =>
  encode(`diff --git a/a b/file.txt b/a b/file.txt
--- a/a b/file.txt\t
+++ b/a b/file.txt\t
@@ -1,2 +1,2 @@
 one
-${removed}
+three  \t
`)

const wanted = [{ ...base[0], bytes: encode('one\nthree  \t\n') }] as typeof base

describe('patch check', () => {
  it('accepts a patch that fits its base, and leaves nothing behind', async () => {
    expect(await check(patch('two'), base, wanted)).toEqual({ ran: true, ok: true, message: '' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses a patch that does not fit, even when the checkout around it would hide that', async () => {
    const answer = await check(patch('twenty'), base, wanted)
    expect(answer).toMatchObject({ ran: true, ok: false })
    expect(answer.message).toContain('patch')
  })

  it('accepts modes, links, binary content and deletions', async () => {
    const source = mkdtempSync(join(tmpdir(), 'coppice-git-source-'))
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: source })
    git('init', '-q')
    writeFileSync(join(source, 'gone'), 'gone\n')
    writeFileSync(join(source, 'bin'), new Uint8Array([0, 1, 2, 255]))
    writeFileSync(join(source, 'run'), 'run\n')
    git('add', '-A')
    git('commit', '-qm', 'base')
    execFileSync('bash', ['-c', 'rm gone; printf "\\0\\5\\6" > bin; chmod +x run; ln -s run link'], { cwd: source })
    git('add', '-A')
    const made = git('diff', '--cached', '--binary', '--full-index')
    const files = [
      { path: 'gone', bytes: encode('gone\n'), mode: '100644' as const },
      { path: 'bin', bytes: new Uint8Array([0, 1, 2, 255]), mode: '100644' as const },
      { path: 'run', bytes: encode('run\n'), mode: '100644' as const },
    ]
    const after = [
      { path: 'bin', bytes: new Uint8Array([0, 5, 6]), mode: '100644' as const },
      { path: 'run', bytes: encode('run\n'), mode: '100755' as const },
      { path: 'link', bytes: encode('run'), mode: '120000' as const },
    ]
    expect(await check(made, files, after)).toEqual({ ran: true, ok: true, message: '' })
    for (const [index, file] of after.entries()) {
      const other = { ...file, bytes: encode('other') }
      const message = `git produces other content for ${file.path}`
      expect(await check(made, files, after.with(index, other))).toEqual({ ran: true, ok: false, message })
      expect(await check(made, files, after.toSpliced(index, 1))).toEqual({ ran: true, ok: false, message })
    }
    const missing = await check(made, files, [...after, { ...base[0], path: 'absent' } as (typeof base)[0]])
    expect(missing.message).toContain('absent')
  })

  it("ignores the person's git configuration, attributes and environment", async () => {
    const home = mkdtempSync(join(tmpdir(), 'coppice-git-home-'))
    writeFileSync(join(home, 'attributes'), '* filter=evil text eol=crlf whitespace=trailing-space\n')
    writeFileSync(join(home, '.gitconfig'), hostileConfiguration(home))
    const environment = { HOME: home, GIT_DIR: join(home, 'elsewhere'), GIT_CONFIG_COUNT: '1', ...forcedSetting }
    const before = { ...process.env }
    Object.assign(process.env, environment)
    try {
      expect(await check(patch('two'), base, wanted)).toEqual({ ran: true, ok: true, message: '' })
      expect(await check(patch('two  '), base, wanted)).toMatchObject({ ran: true, ok: false })
      expect(await check(newLink, [], [link])).toEqual({ ran: true, ok: true, message: '' })
      expect(existsSync(join(home, 'ran'))).toBe(false)
    } finally {
      for (const name of Object.keys(environment)) delete process.env[name]
      Object.assign(process.env, before)
    }
  })

  it('ignores the attributes of the project itself', async () => {
    const own = {
      path: '.gitattributes',
      bytes: encode('* text eol=crlf\n*.txt filter=evil ident\n'),
      mode: '100644' as const,
    }
    expect(await check(patch('two'), [...base, own], [...wanted, own])).toEqual({ ran: true, ok: true, message: '' })
  })

  it('says that it did not run when git is missing', async () => {
    const before = process.env.PATH
    process.env.PATH = '/nowhere'
    expect(await check(patch('two'), base, wanted)).toMatchObject({ ran: false, ok: false })
    process.env.PATH = before
  })

  it('never places a file outside its repository', async () => {
    const outside = [{ path: '../../escaped', bytes: encode('x'), mode: '100644' as const }]
    await expect(check(patch('two'), outside, [])).rejects.toThrow('leaves the repository')
  })
})

const forcedSetting = { GIT_CONFIG_KEY_0: 'core.symlinks', GIT_CONFIG_VALUE_0: 'false' }
const link = { path: 'link', bytes: encode('target'), mode: '120000' as const }
const newLink = encode(`diff --git a/link b/link
new file mode 120000
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+target
\\ No newline at end of file
`)

/** Every setting of a person that changes what `git apply` accepts or writes. */
function hostileConfiguration(home: string): string {
  return `[core]
	autocrlf = true
	safecrlf = true
	fileMode = false
	symlinks = false
	quotePath = false
	attributesFile = ${join(home, 'attributes')}
	hooksPath = ${join(home, 'hooks')}
[apply]
	whitespace = fix
	ignoreWhitespace = change
[diff]
	noprefix = true
[filter "evil"]
	smudge = touch ${join(home, 'ran')}; tr a-z A-Z
	clean = touch ${join(home, 'ran')}; tr a-z A-Z
	required = true
[init]
	templateDir = ${join(home, 'template')}
`
}
