import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
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

describe('patch check', () => {
  it('takes a patch that fits its base, and leaves nothing behind', async () => {
    expect(await check(patch('two'), base)).toEqual({ ran: true, ok: true, message: '' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses a patch that does not fit, although the checkout around it would hide that', async () => {
    const answer = await check(patch('twenty'), base)
    expect(answer).toMatchObject({ ran: true, ok: false })
    expect(answer.message).toContain('patch')
  })

  it('takes modes, links, binary content and deletions', async () => {
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
    expect(await check(made, files)).toEqual({ ran: true, ok: true, message: '' })
  })

  it('does not ask the configuration of the person', async () => {
    const home = mkdtempSync(join(tmpdir(), 'coppice-git-home-'))
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, '.gitconfig'), '[apply]\n\twhitespace = error-all\n')
    const before = process.env.HOME
    process.env.HOME = home
    expect(await check(patch('two'), base)).toMatchObject({ ok: true })
    process.env.HOME = before
  })

  it('says that it did not run where there is no git', async () => {
    const before = process.env.PATH
    process.env.PATH = '/nowhere'
    expect(await check(patch('two'), base)).toMatchObject({ ran: false, ok: false })
    process.env.PATH = before
  })

  it('never places a file outside its repository', async () => {
    const outside = [{ path: '../../escaped', bytes: encode('x'), mode: '100644' as const }]
    await expect(check(patch('two'), outside)).rejects.toThrow('leaves the repository')
  })
})
