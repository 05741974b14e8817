import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createGitRules } from '#overlay'
import { readGitIgnores } from './git-ignores.ts'

const commit = 'git -c user.name=Me -c user.email=m@e commit -qm 1'
const plain = `git init -q --template= -b main p; cd p; printf '*.gen.ts\\n' > .gitignore; mkdir in; echo 1 > in/api.gen.ts; echo 1 > a; git add -f .gitignore a in/api.gen.ts; ${commit}`

// Each kind of repository has its index elsewhere or in another form.
it.each([
  ['a plain one', 'p', ''],
  ['a worktree', 'w', 'git worktree add -q ../w'],
  [
    'a submodule',
    'top/sub',
    `cd ..; git init -q --template= top; cd top; git -c protocol.file.allow=always submodule --quiet add ../p sub`,
  ],
  ['a sparse checkout', 'p', 'git sparse-checkout set --no-cone /a /.gitignore 2>/dev/null'],
  ['a split index', 'p', 'git update-index --split-index; git rm -q --cached a'],
  ['an index of version 4', 'p', 'git update-index --index-version 4'],
  ['sha256', 'p', `rm -rf .git; git init -q --template= --object-format=sha256; git add -f in/api.gen.ts; ${commit}`],
  [
    'a partial clone',
    'c',
    `git config uploadpack.allowFilter true; git clone -q --filter=blob:none "file://$PWD" ../c 2>/dev/null`,
  ],
  [
    'a repository inside another one',
    'p/own',
    `git init -q --template= own; cd own; printf '*.gen.ts\\n' > .gitignore; mkdir in; touch in/api.gen.ts; git add -f in/api.gen.ts`,
  ],
])('what is tracked is no ignored file: %s', (_kind, place, script) => {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-ignores-')))
  execFileSync('bash', ['-ec', `${plain}; ${script}`], { cwd: above })
  const folders = [
    [place, '/in/api.gen.ts'],
    // A sparse checkout has not this folder.
    ...(existsSync(join(above, place, 'in')) ? [[`${place}/in`, '/api.gen.ts'] as const] : []),
  ] as const
  for (const [folder, path] of folders) {
    const ignores = readGitIgnores(join(above, folder))
    const text = (at: string) => textOf(join(above, folder, at, '.gitignore'))
    const { isLeftOut } = createGitRules(text, ignores)
    const other = path.replace('api', 'other')
    expect([folder, isLeftOut(path, false), isLeftOut(other, false), ignores.problem]).toEqual([
      folder,
      false,
      true,
      null,
    ])
  }
})

it('an index that git cannot read is said', () => {
  const above = mkdtempSync(join(tmpdir(), 'coppice-ignores-'))
  execFileSync('bash', ['-ec', `${plain}; echo broken > .git/index`], { cwd: above })
  expect(readGitIgnores(join(above, 'p')).problem).toContain('Git cannot read the index')
})

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
