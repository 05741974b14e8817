import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createGitDelivery, isBranchName } from './git-delivery.ts'

const home = process.env.HOME
let above = ''
let folder = ''

beforeEach(() => {
  above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-delivery-')))
  folder = join(above, 'folder')
  process.env.HOME = above
  sh('git config --global user.name n; git config --global user.email e@e', above)
  sh(
    'git init -q --template= -b main real; cd real; for n in 1 2 3; do echo $n > a; git add a; git commit -qm $n; done',
    above,
  )
})

afterEach(() => {
  process.env.HOME = home
  rmSync(above, { recursive: true, force: true })
})

function sh(script: string, cwd = folder): string {
  return execFileSync('bash', ['-ec', script], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

const delivery = () =>
  createGitDelivery({ rootFolder: folder, temporaryFolder: join(above, 'tmp'), trusts: () => true })
const open = (branch: string) => delivery().open({ repository: '', branch, base: null, began: null })

async function take(commit: string, objects: readonly string[]): Promise<readonly string[]> {
  using opened = await open('to')
  return opened.deliverMade(commit, objects)
}

/** Commits on top of what is checked out, with objects that only a folder beside the repository has. */
function commitApart(parent: string, name: string): string {
  return sh(`export GIT_OBJECT_DIRECTORY=${above}/apart GIT_ALTERNATE_OBJECT_DIRECTORIES=$PWD/.git/objects; mkdir -p $GIT_OBJECT_DIRECTORY
    blob=$(echo new | git hash-object -w --stdin)
    tree=$( (git ls-tree ${parent}; printf '100644 blob %s\\t${name}\\n' $blob) | git mktree --missing)
    git commit-tree -p ${parent} -m agent $tree`)
}

// Mutation: without the file `shallow` git looks for commits that are nowhere; with `--strict` a partial clone refuses.
it.each([
  ['a shallow clone', 'git clone -q --depth 1 file://$PWD/real folder'],
  ['a shallow clone with a branch', 'git clone -q --depth 2 file://$PWD/real folder; git -C folder branch to'],
  [
    'a shallow clone whose branches left its commit',
    'git clone -q --depth 1 file://$PWD/real folder; cd folder; git rev-parse HEAD > ../parent; git checkout -q --orphan new; git commit -qm new; git branch -qD main; git remote remove origin',
  ],
  [
    'a partial clone',
    'git -C real config uploadpack.allowFilter true; git clone -q --no-checkout --filter=blob:none file://$PWD/real folder; rm -rf real',
  ],
  [
    'a repository with a broken branch',
    'cp -r real folder; echo 1234567890123456789012345678901234567890 > folder/.git/refs/heads/broken',
  ],
])('%s takes commits of agents', async (_, script) => {
  sh(script, above)
  const commit = commitApart(sh('cat ../parent 2> /dev/null || echo HEAD'), 'b')
  const apart = [join(above, 'apart')]
  expect((await take(commit, apart)).at(-1)).toBe(commit)
  expect(sh('git log -1 --format=%s to; git ls-tree --name-only to')).toBe('agent\na\nb')
  sh('git gc -q 2> /dev/null || true; mv ../apart ../first')
  const second = commitApart('to', 'c')
  expect(await take(second, apart)).toEqual([second])
  expect(sh('git rev-parse to')).toBe(second)
})

it.each([
  ['a rebase', 'rebase-merge/head-name', 'refs/heads/to'],
  ['a rebase by patches', 'rebase-apply/head-name', 'refs/heads/to'],
  ['a rebase of branches that stand on each other', 'rebase-merge/update-refs', `refs/heads/to\n${'0'.repeat(40)}`],
])('no branch moves under %s in another worktree', async (_, file, text) => {
  sh('cp -r real folder', above)
  sh(
    `git branch to; git worktree add -q --detach ../else; mkdir .git/worktrees/else/${file.split('/')[0]}; printf '${text.replace('\n', '\\n')}\\n' > .git/worktrees/else/${file}`,
  )
  await expect(open('to')).rejects.toThrow('The branch to is being rebased.')
})

/** A stand-in for gpg that signs anything. */
const signer = `printf '#!/bin/sh\\ncat > /dev/null; echo "[GNUPG:] SIG_CREATED " >&2; echo signature\\n' > ../gpg; chmod +x ../gpg; git config --global gpg.program $PWD/../gpg`

async function deliverSigned(): Promise<string> {
  const file = { mode: '100644', id: '', bytes: Buffer.from('new\n') }
  const commits = ['Grüße\n', 'zwei\n'].map((message, at) => ({ message, files: new Map([[`f${at}`, file]]) }))
  using opened = await open('to')
  const made = await opened.deliver(commits, { sign: true })
  return made.at(-1) ?? ''
}

// Mutation: without `i18n.commitEncoding` on the command line the commit claims to be Latin-1.
it('signs a message as the UTF-8 that it is', async () => {
  sh('cp -r real folder', above)
  sh(`${signer}; git config i18n.commitEncoding ISO-8859-1`)
  await deliverSigned()
  expect(sh('git -c i18n.logOutputEncoding=UTF-8 log --reverse --format=%B main..to')).toBe('Grüße\n\nzwei')
  expect(sh('git cat-file commit to~1')).toMatch(/gpgsig signature(?![\s\S]*encoding)/)
  expect(sh('git fsck --strict 2>&1 | grep -v dangling || true')).toBe('')
})

it.runIf(process.getuid?.() === 0)('writes signed commits as the owner of the repository', async () => {
  sh('cp -r real folder', above)
  sh(`${signer}; chmod 755 ..; chown -R 12345:12345 .`)
  await deliverSigned()
  expect(sh('find .git -uid 0')).toBe('')
})

// Mutation: each rule of `isBranchName`.
it('knows the names of branches that git knows', () => {
  const letters = Array.from({ length: 0x7f }, (_, at) => String.fromCharCode(at + 1))
  const around = letters.map((letter) => `a${letter}b`)
  const others = '@ a. .a a..b a@{b a.lock a.lock/b a.lockb a//b /a a/ a/.b a/-b é 日本/語'.split(' ')
  const names = [...around, ...others]
  const ask = 'while IFS= read -r -d "" name; do git check-ref-format "refs/heads/$name" && echo 1 || echo 0; done'
  const input = names.map((name) => `${name}\0`).join('')
  const said = execFileSync('bash', ['-c', ask], { input, encoding: 'utf8' }).trim().split('\n')
  expect(names.filter((name, at) => isBranchName(name) !== (said[at] === '1'))).toEqual([])
  expect(['HEAD', '-x'].map(isBranchName)).toEqual([false, false])
})

// Mutation: without another git for the rest, what comes after an object that was not fetched has no answer.
it('reads what a partial clone has, beside what it has not', async () => {
  sh(
    'git -C real config uploadpack.allowFilter true; git clone -q --filter=blob:none file://$PWD/real folder; rm -rf real',
    above,
  )
  const [there, gone = ''] = ['HEAD:a', 'HEAD~1:a'].map((name) => sh(`git rev-parse ${name}`))
  using opened = await open('to')
  const found = await opened.contentsOf([gone, there ?? '', gone, there ?? ''])
  expect([...found].map(([id, bytes]) => [id, Buffer.from(bytes).toString()])).toEqual([[there, '3\n']])
  expect([...(await opened.filesAt('HEAD~1', ['a', 'b', 'a/c'])).values()]).toEqual([{ mode: '100644', id: gone }])
})
