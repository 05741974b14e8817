import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commitAll, initialize, left, type Sample, shell, tracked } from './sample.ts'

type Files = Readonly<Record<string, string>>
const files: Files = { 'src/a.txt': 'a\nb\n', 'other/b.txt': 'b\n', '.gitignore': '*.log\n', 'debug.log': 'log\n' }

function fill(folder: string, contents: Files): void {
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** What git says of the folder, but for what the agent edits. The view is the folder when git says the same of it. */
const asGitSeesIt = `echo "tests: $(git ls-files | wc -l) tracked, $(
  git status --porcelain | grep -v -e smoke- -e src/a.txt | wc -l) changed, index $(
  git ls-files -s | git hash-object --stdin | cut -c 1-8)"`
const text = 'content\n'
const oid = createHash('sha256').update(`${text}\n`).digest('hex')

type Made = Pick<Sample, 'name' | 'write'> & Partial<Sample>

/** Small repositories of each kind, whose tests are what git says of them. */
const made: readonly Made[] = [
  {
    name: 'line ends',
    write: (folder) => {
      fill(folder, { ...files, '.gitattributes': '*.txt text eol=crlf\n', 'src/a.txt': 'a\r\nb\r\n' })
      commitAll(folder)
    },
    test: `${asGitSeesIt}; echo "$(grep -c $'\\r' src/a.txt) lines"`,
  },
  {
    name: 'autocrlf',
    write: (folder) => {
      initialize(folder)
      shell(folder, 'git config core.autocrlf true')
      fill(folder, { ...files, 'src/a.txt': 'a\r\nb\r\n', 'other/b.txt': 'b\r\n' })
      commitAll(folder)
    },
    test: `${asGitSeesIt}; echo "$(grep -c $'\\r' src/a.txt) lines"`,
    stored: /^a\nb\n/,
  },
  {
    name: 'LFS',
    needs: ['git-lfs'],
    write: (folder) => {
      initialize(folder)
      shell(folder, 'git lfs install --local && git lfs track "*.txt"')
      fill(folder, { ...files, 'src/a.txt': text, '.gitattributes': 'src/*.txt filter=lfs diff=lfs merge=lfs -text\n' })
      commitAll(folder)
    },
    stored: new RegExp(`^version .*git-lfs.*\noid sha256:${oid}\n`),
  },
  {
    name: 'sparse',
    write: (folder) => {
      fill(folder, files)
      commitAll(folder)
      shell(folder, 'git sparse-checkout set src')
    },
  },
  {
    name: 'worktree',
    write: (folder) => {
      const main = join(folder, '../main')
      mkdirSync(main)
      fill(main, files)
      commitAll(main)
      shell(main, `git worktree add -q -b beside '${folder}'`)
    },
  },
  {
    name: 'submodule',
    write: (folder) => {
      const inner = join(folder, '../inner')
      mkdirSync(inner)
      fill(inner, files)
      commitAll(inner)
      fill(folder, files)
      initialize(folder)
      shell(folder, `git -c protocol.file.allow=always submodule add -q '${inner}' inner`)
      commitAll(folder)
    },
    test: `${asGitSeesIt}; git submodule status`,
  },
  {
    name: 'sha256',
    write: (folder) => {
      initialize(folder, 'sha256')
      fill(folder, files)
      commitAll(folder)
    },
  },
  {
    name: 'dirty tree',
    write: (folder) => {
      fill(folder, files)
      commitAll(folder)
      fill(folder, { 'other/b.txt': 'changed\n', 'other/new.txt': 'new\n', 'staged.txt': 'staged\n' })
      shell(folder, 'git add staged.txt')
    },
  },
  {
    name: 'names',
    write: (folder) => {
      fill(folder, { ...files, 'ümlaut and space.txt': 'u\n', 'src/-dash': 'd\n', 'new\nline': 'n\n' })
      commitAll(folder)
    },
  },
  {
    name: 'no repository',
    write: (folder) => fill(folder, { ...files, [tracked]: 'first\n', [`${left}/first.txt`]: 'first\n' }),
    test: `echo "tests: $(find . -type f ! -path '*smoke-*' | wc -l) files"`,
  },
]

export const madeProjects: readonly Sample[] = made.map((one) => ({
  needs: ['git'],
  edited: 'src/a.txt',
  test: asGitSeesIt,
  ...one,
}))
