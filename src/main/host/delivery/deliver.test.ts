import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDeliveries } from '#core/delivery/find-deliveries.ts'
import { runs, testSeed } from '#core/ports/test-size.testkit.ts'
import { undoDelivery } from './deliver.ts'
import { openDeliveryWorld } from './delivery-world.testkit.ts'

const commit = 'git add -A; git commit -qm 1'

describe('a delivered tree is what git would make of the patch', () => {
  it.each([
    ['plain', `echo 1 > a.txt; ${commit}`, '.'],
    ['line ends', `printf '*.txt text eol=crlf\\n' > .gitattributes; printf 'a\\r\\n' > a.txt; ${commit}`, '.'],
    ['autocrlf', `git config core.autocrlf true; printf 'a\\r\\n' > a.txt; ${commit}`, '.'],
    ['sha256', `rm -rf .git; git init -q --template= -b main --object-format=sha256; echo 1 > a.txt; ${commit}`, '.'],
    ['a folder of the repository', `mkdir -p in/deep; echo 1 > in/deep/a.txt; ${commit}`, 'in/deep'],
    [
      'a worktree',
      `echo 1 > a.txt; ${commit}; cd ..; mv folder real; git -C real worktree add -q -b topic ../folder`,
      '.',
    ],
    [
      'a sparse checkout',
      `echo 1 > a.txt; mkdir far; seq 99 > far/b; ${commit}; git sparse-checkout set --no-cone '/*.txt'`,
      '.',
    ],
    [
      'a partial clone',
      `echo 1 > a.txt; mkdir far; seq 99 > far/b; ${commit}; cd ..; mv folder real; git -C real config uploadpack.allowFilter true
       git clone -q --no-checkout --filter=blob:none file://$PWD/real folder; cd folder; git sparse-checkout set --no-cone '/*.txt'; git checkout -q`,
      '.',
    ],
    [
      'a shallow clone',
      `echo 1 > a.txt; ${commit}; echo 2 > a.txt; ${commit}; cd ..; mv folder real; git clone -q --depth 1 file://$PWD/real folder`,
      '.',
    ],
    [
      'a rebase on its way',
      `echo 1 > a.txt; ${commit}; git checkout -q --detach; mkdir .git/rebase-merge; echo refs/heads/main > .git/rebase-merge/head-name`,
      '.',
    ],
    ['a locked index', `echo 1 > a.txt; ${commit}; touch .git/index.lock`, '.'],
    ['packed references', `echo 1 > a.txt; ${commit}; git pack-refs --all; git gc -q`, '.'],
    ['borrowed objects', `echo 1 > a.txt; ${commit}; cd ..; mv folder real; git clone -q --shared real folder`, '.'],
    [
      'a commit that another one replaces',
      `echo 1 > a.txt; ${commit}; git replace main $(echo other | git commit-tree $(git mktree < /dev/null))`,
      '.',
    ],
    ['a tag of that name', `echo 1 > a.txt; ${commit}; git tag to`, '.'],
  ])('%s', async (name, script, at) => {
    await using world = await openDeliveryWorld(script, at)
    const crlf = /line ends|autocrlf/.test(name)
    await world.write({ '/a.txt': crlf ? 'a\r\nb\r\n' : '1\n2\n', '/new dir/ü "x"': 'new\0\n', '/b.txt': 'z' })
    const before = world.everythingElse()
    const [made] = await world.deliver('to')
    expect(world.everythingElse()).toBe(before)
    const format = name === 'sha256' ? '--template=' : ''
    if (!/partial|sparse|shallow|worktree|replaces/.test(name))
      expect(world.treeOf('refs/heads/to')).toBe(await world.treeByPatch('plain', format))
    expect(
      world.sh('git diff --name-only main refs/heads/to 2>/dev/null || git diff --name-only HEAD refs/heads/to'),
    ).toContain('b.txt')
    expect([made?.files, world.sh('git log -1 --format=%s%n%an refs/heads/to')]).toEqual([3, 'the work\nn\n'])
    expect(world.sh('git fsck --strict --connectivity-only 2>&1 | grep -Ev "dangling|notice" || true')).toBe('')
  })

  it('for any files and changes', async () => {
    const names = ['a', 'b/c', 'b/d', 'e/f/g', 'É', 'sp ace', '-x']
    const file = fc.constantFrom('', '1\n', '1\n2\n3\n', '1\r\n2\r\n', 'x\0y', 'no end')
    const files = fc.dictionary(fc.constantFrom(...names), file, { minKeys: 1 })
    const change = fc.record({ name: fc.constantFrom(...names, 'b', 'e', 'a/z'), text: fc.option(file) })
    const attributes = fc.constantFrom('', '* text=auto\n', '*.x -text\n', '* text eol=lf\n', 'a ident\n')
    await fc.assert(
      fc.asyncProperty(
        files,
        attributes,
        fc.array(change, { minLength: 1, maxLength: 6 }),
        async (had, rules, changes) => {
          const made = Object.entries(had).filter(([name]) => !(name === 'a' && 'a/z' in had))
          const write = made.map(
            ([name, text]) => `mkdir -p -- "./$(dirname -- '${name}')"; printf '${escaped(text)}' > './${name}'`,
          )
          const attribute = rules === '' ? '' : `printf '${escaped(rules)}' > .gitattributes`
          await using world = await openDeliveryWorld(
            [...write, attribute, 'git add -A; git commit -qm 1'].filter(Boolean).join('\n'),
          )
          for (const { name, text } of changes) await world.write({ [`/${name}`]: text }).catch(() => undefined)
          const before = world.everythingElse()
          const receipts = await world.deliver('to').catch((error: unknown) => String(error))
          expect(world.everythingElse()).toBe(before)
          if (typeof receipts === 'string' || receipts.length === 0) return
          expect(world.treeOf('to')).toBe(await world.treeByPatch('clone'))
        },
      ),
      runs(10, 500),
    )
  })
})

function escaped(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\0', '\\0')
}

describe('a branch that has some of the work already', () => {
  it('gets the rest, beside what others did on it, and is taken back one delivery at a time', async () => {
    await using world = await openDeliveryWorld(`seq 9 > a.txt; echo 1 > b.txt; ${commit}; echo mine >> a.txt`)
    const first = ['one', ...'23456789'].join('\n')
    await world.write({ '/a.txt': `${first}\nmine\n`, '/b.txt': '2\n', '/c.txt': 'new\n' })
    await world.deliver('to')
    expect(world.sh('git show to:a.txt')).toBe(`${first}\n`)
    world.sh(
      'git worktree add -q ../other to; cd ../other; sed -i s/5/five/ a.txt; echo o > o; git add -A; git commit -qm theirs; git worktree remove -f .',
    )
    await world.write({ '/a.txt': `${first.replace('7', 'seven')}\nmine\n`, '/b.txt': '1\n', '/c.txt': null })
    const [second] = await world.deliver('to')
    expect(world.sh('git show to:a.txt; git ls-tree --name-only to')).toBe(
      'one\n2\n3\n4\nfive\n6\nseven\n8\n9\na.txt\nb.txt\no\n',
    )
    expect(world.sh('git show to:b.txt')).toBe('1\n')
    expect(await world.deliver('to')).toEqual([])
    await undoDelivery(world.project, world.branchId, second?.sequence ?? (0 as never))
    expect(world.sh('git log -1 --format=%s to')).toBe('theirs\n')
  })

  // Mutation: without the contents of the commit below, both changes are a conflict.
  it('joins a file that only the later part of the work changed with what others did to it', async () => {
    await using world = await openDeliveryWorld(`seq 9 > a.txt; seq 9 > b.txt; ${commit}`)
    await world.write({ '/a.txt': 'a\n' })
    await world.deliver('to')
    world.sh(
      'git worktree add -q ../other to; cd ../other; sed -i s/9/nine/ b.txt; git commit -qam theirs; git worktree remove -f .',
    )
    await world.write({ '/b.txt': `${['one', ...'23456789'].join('\n')}\n` })
    await world.deliver('to')
    expect(world.sh("git show to:b.txt | sed -n '1p;9p'")).toBe('one\nnine\n')
  })

  it('ends with the tree of one delivery, however often the work was delivered on its way', async () => {
    await using world = await openDeliveryWorld(`seq 40 > a.txt; seq 40 > b.txt; ${commit}; echo dirty >> b.txt`)
    const random =
      fc.sample(fc.array(fc.nat(36), { minLength: 3, maxLength: 8 }), { numRuns: 1, seed: testSeed() })[0] ?? []
    const lines = { '/a.txt': numbers(40), '/b.txt': [...numbers(40), 'dirty'] }
    for (const at of random) {
      for (const path of ['/a.txt', '/b.txt'] as const) lines[path][at] = `${lines[path][at]}!`
      await world.write({ '/a.txt': `${lines['/a.txt'].join('\n')}\n`, '/b.txt': `${lines['/b.txt'].join('\n')}\n` })
      if (at % 2 === 0) await world.deliver('to')
    }
    await world.deliver('to')
    await world.deliver('to-once')
    expect(world.treeOf('to')).toBe(world.treeOf('to-once'))
    expect(world.sh('git grep -c dirty to || true')).toBe('')
  })
})

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${at + 1}`)
}

it('a submodule gets a commit of its own, and the repository around it points to it', async () => {
  await using world = await openDeliveryWorld(
    `git init -q --template= ../lib; git -C ../lib commit -q --allow-empty -m 0; echo 1 > ../lib/x; git -C ../lib add x; git -C ../lib commit -qm 1
     echo 1 > a.txt; git submodule --quiet add ../lib sub; ${commit}`,
  )
  await world.write({ '/a.txt': '2\n', '/sub/x': '2\n' })
  const before = world.sh(
    'git rev-parse HEAD; git status --porcelain; git -C sub rev-parse HEAD; git -C sub status --porcelain',
  )
  const made = await world.deliver('to')
  expect(made.map(({ repository, files }) => [repository, files])).toEqual([
    ['sub', 1],
    ['', 2],
  ])
  expect(world.sh('git rev-parse to:sub').trim()).toBe(world.sh('git rev-parse to', join(world.folder, 'sub')).trim())
  expect(world.sh('git show to:x', join(world.folder, 'sub'))).toBe('2\n')
  expect(
    world.sh('git rev-parse HEAD; git status --porcelain; git -C sub rev-parse HEAD; git -C sub status --porcelain'),
  ).toBe(before)
})

const library = (name: string, more = '') =>
  `git init -q --template= -b main ../${name}; (cd ../${name}; echo 1 > x; ${more} git add -A; git commit -qm 1); `
const pointersOf = `git rev-parse to:middle; git -C middle rev-parse to; git -C middle rev-parse to:leaf; git -C middle/leaf rev-parse to`

// Mutation: with `isChosen` in place of `repository` the one in the middle gets the file of the inner one, or no file at all.
it('a submodule of a submodule that alone changed is what all repositories around it point to', async () => {
  await using world = await openDeliveryWorld(
    `${library('leaf')} ${library('middle', 'git submodule --quiet add ../leaf leaf;')}
     echo 1 > a.txt; git submodule --quiet add ../middle middle; git submodule --quiet update --init --recursive; ${commit}`,
  )
  await world.write({ '/middle/leaf/x': '2\n' })
  const made = await world.deliver('to')
  expect(made.map(({ repository, files }) => [repository, files])).toEqual([
    ['middle/leaf', 1],
    ['middle', 1],
    ['', 1],
  ])
  const [top, middle, inner, leaf] = world.sh(pointersOf).split('\n')
  expect([top, inner]).toEqual([middle, leaf])
  expect(world.sh('git show to:x', join(world.folder, 'middle/leaf'))).toBe('2\n')
  expect(await world.deliver('to')).toEqual([])
  await world.write({ '/middle/x': '3\n', '/middle/leaf/x': '4\n' })
  await world.deliver('to')
  expect(world.sh('git show to:x; git -C leaf show to:x', join(world.folder, 'middle'))).toBe('3\n4\n')
})

// Mutation: without `takeBack` the first submodule keeps a branch that nothing points to, and nobody is told.
it('takes back what it made in other repositories when one of them refuses', async () => {
  await using world = await openDeliveryWorld(
    `${library('first')} ${library('second')} echo 1 > a.txt
     git submodule --quiet add ../first first-one; git submodule --quiet add ../second second; ${commit}; touch .git/modules/second/refs/heads/to.lock`,
  )
  await world.write({ '/a.txt': '2\n', '/first-one/x': '2\n', '/second/x': '2\n' })
  await expect(world.deliver('to')).rejects.toThrow(
    /^In \/second: Git did not move the branch to: .* The branch to in \/first-one is as it was before\.$/,
  )
  expect(world.sh('for one in . first-one second; do git -C $one for-each-ref refs/heads/to; done')).toBe('')
  expect(
    findDeliveries(
      world.project.services.log,
      [...world.project.services.log.state.threads.keys()][0] ?? ('' as never),
    ).map(({ undone }) => undone),
  ).toEqual([true])
  world.sh('rm .git/modules/second/refs/heads/to.lock')
  expect((await world.deliver('to')).map(({ repository }) => repository)).toEqual(['first-one', 'second', ''])
})

// Mutation: without `isOwn` git takes the repository around the submodule for it, and delivers there twice.
it.each([
  ['not fetched', 'git submodule --quiet deinit -f sub'],
  ['removed by hand', 'rm -rf sub'],
])('files in a submodule that is %s are left out and named, and its commit stays', async (_, script) => {
  await using world = await openDeliveryWorld(
    `git init -q --template= ../lib; git -C ../lib commit -q --allow-empty -m 0; git submodule --quiet add ../lib sub
     echo 1 > a.txt; ${commit}; ${script}`,
  )
  await world.write({ '/a.txt': '2\n', '/sub/x': '2\n' })
  const before = world.everythingElse()
  const [plan] = await world.plan('to')
  expect(plan?.leftOut).toEqual([expect.objectContaining({ path: '/sub/x' })])
  expect((await world.deliver('to')).map(({ repository, files }) => [repository, files])).toEqual([['', 1]])
  expect(world.everythingElse()).toBe(before)
  expect(world.sh('git diff-tree -r --name-only main to; git rev-parse to:sub')).toBe(
    `a.txt\n${world.sh('git rev-parse main:sub')}`,
  )
})

describe('what stands in the way is said in words, and nothing is made', () => {
  it.each([
    ['no repository', 'rm -rf .git; echo 1 > a.txt', 'to', 'There is no git repository here. Make one with "git init"'],
    ['no commit', 'echo 1 > a.txt', 'to', 'The repository has no commit yet.'],
    [
      'nobody',
      `echo 1 > a.txt; ${commit}; git config --global --unset user.name; git config --global --unset user.email; git config --global user.useConfigOnly true`,
      'to',
      'Git does not know who commits.',
    ],
    [
      'checked out elsewhere',
      `echo 1 > a.txt; ${commit}; git worktree add -q -b to ../else`,
      'to',
      'The branch to is checked out in',
    ],
    [
      'another name',
      `echo 1 > a.txt; ${commit}; git symbolic-ref refs/heads/to refs/heads/main`,
      'to',
      'is only another name of refs/heads/main',
    ],
    ['a folder of branches', `echo 1 > a.txt; ${commit}; git branch to/x`, 'to', 'Git did not move the branch to'],
    ['no name', `echo 1 > a.txt; ${commit}`, 'a b', '"a b" is no name for a branch of git'],
    [
      'a broken repository',
      `echo 1 > a.txt; ${commit}; echo '[' > .git/config`,
      'to',
      'Git cannot read the repository: ',
    ],
    [
      'a locked branch',
      `echo 1 > a.txt; ${commit}; touch .git/refs/heads/to.lock`,
      'to',
      'Git did not move the branch to',
    ],
    [
      'no key',
      `echo 1 > a.txt; ${commit}; git config commit.gpgSign true; git config gpg.format ssh; git config user.signingKey /nowhere`,
      'to',
      'The commit could not be signed',
    ],
  ])('%s', async (_, script, to, message) => {
    await using world = await openDeliveryWorld(script)
    await world.write({ '/a.txt': '2\n' })
    const before = world.sh('find . -name objects -prune -o -print | sort')
    await expect(world.deliver(to)).rejects.toThrow(message)
    expect(world.sh('find . -name objects -prune -o -print | sort')).toBe(before)
  })

  it('a repository inside that has no commit', async () => {
    await using world = await openDeliveryWorld(
      `echo 1 > a.txt; git add -A; git commit -qm 1; git init -q --template= sub; echo x > sub/x`,
    )
    await world.write({ '/a.txt': '2\n', '/sub/x': '2\n' })
    const before = world.everythingElse()
    await expect(world.deliver('to')).rejects.toThrow('In /sub: The repository has no commit yet.')
    expect(world.everythingElse()).toBe(before)
  })

  it.skipIf(process.getuid?.() === 0)('objects that nobody may write', async () => {
    await using world = await openDeliveryWorld(
      `echo 1 > a.txt; ${commit}; find .git/objects -type d -exec chmod a-w {} +`,
    )
    await world.write({ '/a.txt': '2\n' })
    const before = world.everythingElse()
    await expect(world.deliver('to')).rejects.toThrow('Git did not take the commits: ')
    world.sh('find .git/objects -type d -exec chmod u+w {} +')
    expect(world.everythingElse()).toBe(before)
    expect((await world.deliver('to')).length).toBe(1)
  })

  it('a message that git refuses', async () => {
    await using world = await openDeliveryWorld(`echo 1 > a.txt; ${commit}`)
    await world.write({ '/a.txt': '2\n' })
    await expect(world.deliver('to', { messages: ['a\0b'] })).rejects.toThrow(
      'Git takes no message with a NUL character',
    )
  })

  it('a base that was rewritten', async () => {
    await using world = await openDeliveryWorld(`echo 1 > a.txt; ${commit}`)
    await world.write({ '/a.txt': '2\n' })
    world.sh('git commit -q --amend -m other; git reflog expire --expire=now --all')
    await expect(world.deliver('to')).rejects.toThrow('is in no branch any more: it was rewritten')
    await world.deliver('to', { base: 'HEAD' })
    expect(world.sh('git log --format=%s to')).toBe('the work\nother\n')
  })

  it('a branch that somebody moved', async () => {
    await using world = await openDeliveryWorld(`echo 1 > a.txt; ${commit}`)
    await world.write({ '/a.txt': '2\n' })
    const [made] = await world.deliver('to')
    world.sh('git update-ref refs/heads/to main')
    await expect(undoDelivery(world.project, world.branchId, made?.sequence ?? (0 as never))).rejects.toThrow(
      'Somebody moved the branch to',
    )
    await expect(world.deliver('to', { expected: [{ repository: '', tip: null }] })).rejects.toThrow(
      'moved since you looked',
    )
  })
})
